#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cuda/check.hpp"
#include "backends/cuda/cublas.hpp"
#include "core/host_matrix.hpp"
#include "hamiltonian/spinor_product/cuda/spinor_kernels_cuda.cuh"
#include "hamiltonian/spinor_product/spinor_product.hpp"

namespace cisolve::spinor_product {
namespace {

constexpr int threads = 256;

unsigned blocks_for(std::int64_t items, int of_a_block) {
  return static_cast<unsigned>((items + of_a_block - 1) / of_a_block);
}

/// A group of remainders with its pairs on the device.
struct DeviceGroup {
  RemainderGroup group;
  int pairs;
  std::vector<GroupPairs::Block> blocks;
  std::vector<Buffer<int>> chosen;  ///< of each block
  Buffer<int> places;
};

class SpinorProductCuda final : public LinearOperator {
 public:
  SpinorProductCuda(std::shared_ptr<const SpinorProductTables> tables, Backend& backend,
                    const SpinorPanels& panels)
      : tables_(std::move(tables)),
        backend_(backend),
        binomials_(Buffer<std::uint32_t>::from_host(backend, tables_->binomials())),
        w_(Buffer<double>::from_host(backend, tables_->pairs().elements())) {
    std::vector<uchar2> pairs;
    for (int f = 1; f < tables_->spinors() - tables_->electrons() + 2; ++f) {
      for (int e = 0; e < f; ++e) {
        pairs.push_back({static_cast<unsigned char>(e), static_cast<unsigned char>(f)});
      }
    }
    empty_pairs_ = Buffer<uchar2>::from_host(backend, pairs);
    std::size_t panel = 0, real = 0;
    for (const RemainderGroup& group :
         remainder_groups(tables_->spinors(), tables_->electrons() - 2, panels.columns)) {
      add_group(group);
      panel = std::max(panel, std::size_t{2} * groups_.back().pairs * group.count);
      for (const GroupPairs::Block& block : groups_.back().blocks) {
        real = std::max(real, 4 * block.chosen.size() * block.chosen.size());
      }
    }
    d_ = Buffer<double>(backend, panel);
    t_ = Buffer<double>(backend, panel);
    real_ = Buffer<double>(backend, real);
  }

  Index rows() const override { return 2 * tables_->determinants(); }
  Index columns() const override { return rows(); }
  int components() const override { return 2; }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    for (int j = 0; j < x.columns; ++j) {
      const auto* const c = reinterpret_cast<const double2*>(contiguous(x.slice(j, 1)));
      for (const DeviceGroup& group : groups_) {
        const bool first = &group == &groups_.front();
        multiply(group, c);
        add(group, alpha, first ? tables_->pairs().core_energy() : 0.0, c, first ? beta : 1.0,
            y.slice(j, 1));
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
    OperatorInfo info;
    info.format = "direct";
    info.stored = false;
    info.bytes = tables_->bytes();
    info.scratch = spinor_scratch(*tables_, BackendKind::cuda);
    return info;
  }

 private:
  void add_group(const RemainderGroup& group) {
    GroupPairs pairs(*tables_, group.common);
    DeviceGroup made{group,
                     pairs.count,
                     std::move(pairs.blocks),
                     {},
                     Buffer<int>::from_host(backend_, pairs.places)};
    for (const GroupPairs::Block& block : made.blocks) {
      made.chosen.push_back(Buffer<int>::from_host(backend_, block.chosen));
    }
    groups_.push_back(std::move(made));
  }

  Strings strings() const {
    return {
        {binomials_.data(), tables_->electrons() + 1}, tables_->spinors(), tables_->electrons()};
  }
  static Group held(const DeviceGroup& group) {
    return {static_cast<std::uint32_t>(group.group.first),
            static_cast<std::uint32_t>(group.group.count), group.places.data(), 2 * group.pairs};
  }

  const double* contiguous(ConstView x) const {
    if (x.stride == 1 && reinterpret_cast<std::uintptr_t>(x.data) % sizeof(double2) == 0) {
      return x.data;
    }
    if (column_.size() == 0) column_ = Buffer<double>(backend_, static_cast<std::size_t>(x.rows));
    take_column<<<blocks_for(x.rows, threads), threads>>>(x.data, x.stride, x.rows, column_.data());
    check_launch("bringing a vector together");
    return column_.data();
  }

  /// T of a group.
  void multiply(const DeviceGroup& group, const double2* c) const {
    const std::int64_t ld = 2 * group.pairs, columns = group.group.count;
    check_cuda(cudaMemsetAsync(d_.data(), 0, sizeof(double) * ld * columns),
               "clearing pairs of electrons");
    take_pairs<<<blocks_for(columns, warps), warps * lanes>>>(
        strings(), held(group), empty_pairs_.data(), tables_->empty_pairs(), c, d_.data());
    check_launch("taking pairs of electrons out");
    for (std::size_t b = 0; b < group.blocks.size(); ++b) {
      const GroupPairs::Block& block = group.blocks[b];
      const PairOperator::Block& of = tables_->pairs().blocks()[block.of];
      const auto count = static_cast<std::int64_t>(block.chosen.size());
      restrict_block<<<blocks_for(count * count, threads), threads>>>(
          reinterpret_cast<const double2*>(w_.data()) + of.first, static_cast<int>(of.pairs.size()),
          group.chosen[b].data(), static_cast<int>(count), real_.data());
      check_launch("taking integrals of pairs");
      cublas_.gemm(CUBLAS_OP_N, CUBLAS_OP_N, 2 * count, columns, 2 * count, 1.0, real_.data(),
                   2 * count, d_.data() + 2 * block.first, ld, 0.0, t_.data() + 2 * block.first, ld,
                   "multiplying pairs of electrons");
    }
  }

  void add(const DeviceGroup& group, double alpha, double core, const double2* c, double beta,
           View y) const {
    const Index n = tables_->determinants();
    const auto shared = static_cast<std::size_t>(5 * tables_->electrons() * summing_threads);
    add_pairs<<<blocks_for(n, summing_threads), summing_threads, shared>>>(
        strings(), held(group), t_.data(), static_cast<std::uint32_t>(n), alpha, core, c, beta,
        y.data, y.stride);
    check_launch("putting pairs of electrons back");
  }

  std::shared_ptr<const SpinorProductTables> tables_;
  Backend& backend_;
  Buffer<std::uint32_t> binomials_;
  Buffer<double> w_;
  Buffer<uchar2> empty_pairs_;
  std::vector<DeviceGroup> groups_;
  mutable Buffer<double> d_, t_, real_;
  mutable Buffer<double> column_;
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
