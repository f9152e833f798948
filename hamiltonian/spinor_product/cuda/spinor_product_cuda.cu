#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cuda/check.hpp"
#include "backends/cuda/cublas.hpp"
#include "backends/cuda/warp.cuh"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/spinor_product/cuda/spinor_kernels_cuda.cuh"
#include "hamiltonian/spinor_product/spinor_product.hpp"

namespace cisolve::spinor_product {
namespace {

constexpr int threads = 256;

/// Blocks of W over the pairs of a group.
struct GroupBlocks {
  std::vector<GroupPairs::Block> blocks;
  std::vector<Buffer<int>> chosen;  ///< of each block
};

class SpinorProductCuda final : public LinearOperator {
 public:
  SpinorProductCuda(std::shared_ptr<const SpinorProductTables> tables, Backend& backend,
                    const SpinorPanels& panels)
      : tables_(std::move(tables)),
        backend_(backend),
        binomials_(Buffer<std::uint32_t>::from_host(backend, tables_->binomials())),
        w_(Buffer<double2>(backend, tables_->pairs().elements().size() / 2)) {
    backend.upload_bytes(tables_->pairs().elements().data(), w_.data(),
                         sizeof(double2) * w_.size());
    std::vector<uchar2> pairs;
    for (int f = 1; f < tables_->spinors() - tables_->electrons() + 2; ++f) {
      for (int e = 0; e < f; ++e) {
        pairs.push_back({static_cast<unsigned char>(e), static_cast<unsigned char>(f)});
      }
    }
    empty_pairs_ = Buffer<uchar2>::from_host(backend, pairs);
    make_groups(panels);
  }

  Index rows() const override { return 2 * tables_->determinants(); }
  Index columns() const override { return rows(); }
  int components() const override { return 2; }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    for (int j = 0; j < x.columns; ++j) {
      const double2* const c = contiguous(x.slice(j, 1));
      for (std::size_t b = 0; b + 1 < batches_.size(); ++b) {
        for (std::size_t g = batches_[b]; g < batches_[b + 1]; ++g) multiply(g, c);
        add(b, alpha, c, b == 0 ? beta : 1.0, y.slice(j, 1));
      }
    }
  }

  void diagonal(View d) const override {
    const Array<double> energies = tables_->diagonal();
    HostMatrix all(rows(), 1);
    for (Index i = 0; i < rows(); ++i) all(i, 0) = energies[i / 2];
    backend_.upload(all, d);
  }

  OperatorInfo info() const override {
    return info_without_matrix(tables_->bytes(), spinor_scratch(*tables_, BackendKind::cuda));
  }

 private:
  void make_groups(const SpinorPanels& panels) {
    std::vector<int> places, group_of;
    std::size_t panel = 0, real = 0, most_in_t = 0;
    std::int64_t in_t = 0;
    for (const RemainderGroup& group :
         remainder_groups(tables_->spinors(), tables_->electrons() - 2, panels.columns)) {
      GroupPairs pairs(*tables_, group.common);
      const std::int64_t elements = std::int64_t{pairs.count} * group.count;
      if (groups_.empty() || 2 * (in_t + elements) > static_cast<std::int64_t>(panels.batch)) {
        batches_.push_back(groups_.size());
        in_t = 0;
      }
      group_of.insert(group_of.end(), group.count, static_cast<int>(groups_.size()));
      groups_.push_back({static_cast<std::uint32_t>(group.first),
                         static_cast<std::uint32_t>(group.count), nullptr, pairs.count, in_t});
      places.insert(places.end(), pairs.places.begin(), pairs.places.end());
      in_t += elements;
      most_in_t = std::max(most_in_t, static_cast<std::size_t>(in_t));
      panel = std::max(panel, static_cast<std::size_t>(elements));
      blocks_.push_back({std::move(pairs.blocks), {}});
      for (const GroupPairs::Block& block : blocks_.back().blocks) {
        blocks_.back().chosen.push_back(Buffer<int>::from_host(backend_, block.chosen));
        real = std::max(real, 4 * block.chosen.size() * block.chosen.size());
      }
    }
    batches_.push_back(groups_.size());
    places_ = Buffer<int>::from_host(backend_, places);
    const std::size_t of_a_group = places.size() / groups_.size();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      groups_[g].places = places_.data() + of_a_group * g;
    }
    group_of_ = Buffer<int>::from_host(backend_, group_of);
    on_device_ = Buffer<Group>::from_host(backend_, groups_);
    column_ = Buffer<double2>(backend_, static_cast<std::size_t>(tables_->determinants()));
    d_ = Buffer<double2>(backend_, panel);
    t_ = Buffer<double2>(backend_, most_in_t);
    real_ = Buffer<double>(backend_, real);
  }

  Strings strings() const {
    return {
        {binomials_.data(), tables_->electrons() + 1}, tables_->spinors(), tables_->electrons()};
  }

  const double2* contiguous(ConstView x) const {
    if (x.stride == 1 && reinterpret_cast<std::uintptr_t>(x.data) % sizeof(double2) == 0) {
      return reinterpret_cast<const double2*>(x.data);
    }
    auto* const column = reinterpret_cast<double*>(column_.data());
    take_column<<<blocks_of(x.rows, threads), threads>>>(x.data, x.stride, x.rows, column);
    check_launch("bringing a vector together");
    return column_.data();
  }

  /// T of a group.
  void multiply(std::size_t number, const double2* c) const {
    const Group& group = groups_[number];
    const std::int64_t ld = 2 * group.pairs, columns = group.count;
    check_cuda(cudaMemsetAsync(d_.data(), 0, sizeof(double) * ld * columns),
               "clearing pairs of electrons");
    take_pairs<<<blocks_of(columns, warps), warps * lanes>>>(strings(), group, empty_pairs_.data(),
                                                             tables_->empty_pairs(), c, d_.data());
    check_launch("taking pairs of electrons out");
    const auto& [blocks, chosen] = blocks_[number];
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const PairOperator::Block& of = tables_->pairs().blocks()[blocks[b].of];
      const auto count = static_cast<std::int64_t>(blocks[b].chosen.size());
      restrict_block<<<blocks_of(count * count, threads), threads>>>(
          w_.data() + of.first, static_cast<int>(of.pairs.size()), chosen[b].data(),
          static_cast<int>(count), real_.data());
      check_launch("taking integrals of pairs");
      const auto* const d = reinterpret_cast<const double*>(d_.data() + blocks[b].first);
      auto* const t = reinterpret_cast<double*>(t_.data() + group.in_t + blocks[b].first);
      cublas_.gemm(CUBLAS_OP_N, CUBLAS_OP_N, 2 * count, columns, 2 * count, 1.0, real_.data(),
                   2 * count, d, ld, 0.0, t, ld, "multiplying pairs of electrons");
    }
  }

  /// y := α (what the batch adds, with the core energy where it is the first) + βy.
  void add(std::size_t number, double alpha, const double2* c, double beta, View y) const {
    const Group &first = groups_[batches_[number]], &last = groups_[batches_[number + 1] - 1];
    const Batch batch{first.first, last.first + last.count - first.first, group_of_.data(),
                      on_device_.data()};
    const Index n = tables_->determinants();
    const auto shared = static_cast<std::size_t>(5 * tables_->electrons() * summing_threads);
    add_pairs<<<blocks_of(n, summing_threads), summing_threads, shared>>>(
        strings(), batch, t_.data(), static_cast<std::uint32_t>(n), alpha,
        number == 0 ? tables_->pairs().core_energy() : 0.0, c, beta, y.data, y.stride);
    check_launch("putting pairs of electrons back");
  }

  std::shared_ptr<const SpinorProductTables> tables_;
  Backend& backend_;
  Buffer<std::uint32_t> binomials_;
  Buffer<double2> w_;
  Buffer<uchar2> empty_pairs_;
  std::vector<Group> groups_;
  std::vector<GroupBlocks> blocks_;   ///< of each group
  std::vector<std::size_t> batches_;  ///< first group of each, and the end
  Buffer<int> places_, group_of_;
  Buffer<Group> on_device_;
  mutable Buffer<double2> d_, t_, column_;
  mutable Buffer<double> real_;
  mutable Cublas cublas_;
};

}  // namespace
}  // namespace cisolve::spinor_product

namespace cisolve {

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_spinor_product_cuda)(
    std::shared_ptr<const SpinorProductTables> tables, Backend& backend,
    const SpinorPanels& panels) {
  return std::make_unique<spinor_product::SpinorProductCuda>(std::move(tables), backend, panels);
}

}  // namespace cisolve
