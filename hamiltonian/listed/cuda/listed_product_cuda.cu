#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/cuda/check.hpp"
#include "backends/cuda/warp.cuh"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/listed/cuda/listed_kernels_cuda.cuh"
#include "hamiltonian/listed/listed_product.hpp"

namespace cisolve::listed_product {
namespace {

constexpr unsigned most_of_grid = 65535;  ///< blocks in its second direction

struct MatrixBuffers {
  MatrixBuffers(const StringMatrix& h, Backend& backend)
      : begin(Buffer<Offset>::from_host(backend, h.begin)),
        columns(Buffer<Index>::from_host(backend, h.columns)),
        values(Buffer<double>::from_host(backend, h.values)) {}
  Held held() const { return {begin.data(), columns.data(), values.data()}; }

  Buffer<Offset> begin;
  Buffer<Index> columns;
  Buffer<double> values;
};

class ListedCuda final : public LinearOperator {
 public:
  ListedCuda(std::shared_ptr<const ListedTables> tables, Backend& backend)
      : tables_(std::move(tables)),
        backend_(backend),
        panel_columns_(listed_panel_columns(*tables_)),
        h_{MatrixBuffers(tables_->h(alpha), backend), MatrixBuffers(tables_->h(beta), backend)},
        alpha_links_(Buffer<AlphaLink>::from_host(backend, tables_->all_alpha_links())),
        beta_begin_(Buffer<Offset>::from_host(backend, tables_->all_beta_begin())),
        beta_links_(Buffer<ListedLink>::from_host(backend, tables_->all_beta_links())) {
    const CiSpace& space = tables_->space();
    std::vector<std::uint8_t> occupied;
    for (const OrbitalString& s : space.beta.strings) {
      for (const int p : s) occupied.push_back(static_cast<std::uint8_t>(p));
    }
    occupied_ = Buffer<std::uint8_t>::from_host(backend, occupied);
    upload_integrals();
    make_batches();
    const auto n = static_cast<std::size_t>(space.size());
    const auto betas = static_cast<std::size_t>(space.beta.size());
    c_ = Buffer<double>(backend, n);
    sigma_ = Buffer<double>(backend, n);
    panel_ = Buffer<double>(backend, betas * static_cast<std::size_t>(panel_columns_));
  }

  Index rows() const override { return static_cast<Index>(tables_->space().size()); }
  Index columns() const override { return rows(); }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    for (int j = 0; j < x.columns; ++j) {
      multiply_vector(alpha, x.slice(j, 1), beta, y.slice(j, 1));
    }
  }

  void diagonal(View d) const override {
    const Array<double> h = listed_diagonal(*tables_);
    backend_.upload(Eigen::Map<const HostMatrix>(h.data(), std::ssize(h), 1), d);
  }

  OperatorInfo info() const override {
    return info_without_matrix(tables_->bytes(), listed_scratch(*tables_, BackendKind::cuda, 1));
  }

 private:
  using Block = ListedTables::Block;

  /// Links of a pair that lead to one block, columns of a panel.
  struct Task {
    int pair;
    const Block* to;
    Index first_column, columns;
  };
  /// Tasks whose rows of C are brought side by side together: their links follow each other.
  struct Batch {
    const Block* from;
    Offset first_link;
    Index columns;
    std::vector<Task> tasks;
  };

  /// Rows (pr|·) of the pairs that lead from any string.
  void upload_integrals() {
    const int width = tables_->integrals().alpha_beta->pairs();
    std::vector<double> rows;
    for (int pair = 0; pair < tables_->pairs(); ++pair) {
      row_of_pair_.push_back(static_cast<std::int64_t>(rows.size()));
      if (tables_->alpha_links(pair).empty()) continue;
      const double* const row = tables_->integrals_of(pair);
      rows.insert(rows.end(), row, row + width);
    }
    integrals_ = Buffer<double>::from_host(backend_, rows);
  }
  const double* integrals_of(int pair) const { return integrals_.data() + row_of_pair_[pair]; }

  void make_batches() {
    for (int pair = 0; pair < tables_->pairs(); ++pair) {
      const auto links = tables_->alpha_links(pair);
      for (auto first = links.begin(); first != links.end();) {
        const Block& to = tables_->block_of(first->target);
        const Block& from = tables_->block_of(first->source);
        const auto last = std::find_if(first, links.end(), [&](const AlphaLink& link) {
          return link.target >= to.alphas.last;
        });
        if (to.betas.size() > 0 && from.betas.size() > 0) {
          add_links(pair, from, to, tables_->alpha_begin()[pair] + (first - links.begin()),
                    static_cast<Index>(last - first));
        }
        first = last;
      }
    }
  }
  /// Adds links to the last batch while that has room, then to new ones.
  void add_links(int pair, const Block& from, const Block& to, Offset first_link, Index count) {
    while (count > 0) {
      const auto joins = [&](const Batch& batch) {
        return batch.from == &from && batch.first_link + batch.columns == first_link &&
               batch.columns < panel_columns_;
      };
      if (batches_.empty() || !joins(batches_.back())) {
        batches_.push_back({&from, first_link, 0, {}});
      }
      Batch& batch = batches_.back();
      const Index taken = std::min(count, panel_columns_ - batch.columns);
      batch.tasks.push_back({pair, &to, batch.columns, taken});
      batch.columns += taken;
      first_link += taken;
      count -= taken;
    }
  }

  /// Place of a block's alpha and beta strings in vectors in either order.
  template <class T>
  static T* place(T* vector, const Block& block) {
    return vector + block.first_row;
  }

  template <class Visit>
  void for_each_block(Visit visit) const {
    for (const Block& block : tables_->blocks()) {
      if (block.alphas.size() > 0 && block.betas.size() > 0) visit(block);
    }
  }

  template <class Matrix, class Sink>
  static void launch(const Matrix& matrix, const StringRange& targets, Index first_source,
                     const double* x, std::int64_t ld, Index columns, const Sink& sink) {
    const dim3 grid(blocks_of(targets.size(), warps),
                    std::min(most_of_grid, blocks_of(columns, tile_columns)));
    multiply<<<grid, listed_threads>>>(matrix, targets.first, targets.size(), first_source, x, ld,
                                       columns, sink);
  }

  template <class Read, class Write>
  static void launch_transpose(Index rows, Index columns, const Read& read, const Write& write) {
    const dim3 grid(blocks_of(rows, transposed_tile),
                    std::min(most_of_grid, blocks_of(columns, transposed_tile)));
    transpose<<<grid, listed_threads>>>(rows, columns, read, write);
  }

  void multiply_vector(double factor, ConstView x, double beta_factor, View y) const {
    for_each_block([&](const Block& block) {
      const Index alphas = block.alphas.size(), betas = block.betas.size();
      launch_transpose(alphas, betas,
                       ReadVector{x.data + block.first_row * x.stride, betas, x.stride},
                       WriteTransposed{place(c_.data(), block), alphas});
      launch(h_[beta].held(), block.betas, block.betas.first, place(c_.data(), block), alphas,
             alphas, Store{place(sigma_.data(), block), alphas});
    });
    check_launch("multiplying with electrons of one spin");
    for (const Batch& batch : batches_) add_batch(batch);
    check_launch("multiplying with single excitations");
    const double* const c = contiguous(x);
    for_each_block([&](const Block& block) {
      const Index alphas = block.alphas.size(), betas = block.betas.size();
      double* const to = y.data + block.first_row * y.stride;
      launch_transpose(betas, alphas, ReadVector{place(sigma_.data(), block), alphas, 1},
                       WriteScaled{to, betas, y.stride, factor, beta_factor});
      launch(h_[alpha].held(), block.alphas, block.alphas.first, place(c, block), betas, betas,
             AddScaled{to, betas, y.stride, factor});
    });
    check_launch("storing a vector");
  }

  void add_batch(const Batch& batch) const {
    const Block& from = *batch.from;
    const StringSpace& betas = tables_->space().beta;
    const AlphaLink* const links = alpha_links_.data() + batch.first_link;
    const dim3 grid(blocks_of(from.betas.size(), warps), blocks_of(batch.columns, lanes));
    pack<<<grid, listed_threads>>>(links, batch.columns, from.alphas.first, place(c_.data(), from),
                                   from.alphas.size(), from.betas.size(), panel_.data());
    for (const auto& [pair, to, first_column, columns] : batch.tasks) {
      const int label = tables_->label(pair);
      const LookedUp matrix{beta_begin_.data() + Offset{label} * betas.size(), beta_links_.data(),
                            integrals_of(pair), label == 0 ? occupied_.data() : nullptr,
                            betas.electrons};
      launch(matrix, to->betas, from.betas.first, panel_.data() + first_column, batch.columns,
             columns,
             AddByLink{place(sigma_.data(), *to), to->alphas.size(), links + first_column,
                       to->alphas.first});
    }
  }

  /// x with nothing between its elements.
  const double* contiguous(ConstView x) const {
    if (x.stride == 1) return x.data;
    if (column_.size() == 0) column_ = Buffer<double>(backend_, static_cast<std::size_t>(x.rows));
    copy_column<<<blocks_of(x.rows, listed_threads), listed_threads>>>(x.data, x.stride, x.rows,
                                                                       column_.data());
    return column_.data();
  }

  std::shared_ptr<const ListedTables> tables_;
  Backend& backend_;
  Index panel_columns_;
  std::array<MatrixBuffers, 2> h_;
  Buffer<AlphaLink> alpha_links_;
  Buffer<Offset> beta_begin_;
  Buffer<ListedLink> beta_links_;
  Buffer<std::uint8_t> occupied_;  ///< orbitals of the beta strings
  Buffer<double> integrals_;
  std::vector<std::int64_t> row_of_pair_;
  std::vector<Batch> batches_;
  mutable Buffer<double> c_, sigma_;  ///< of each block by beta, then alpha string
  mutable Buffer<double> panel_, column_;
};

}  // namespace
}  // namespace cisolve::listed_product

namespace cisolve {

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_listed_cuda)(
    std::shared_ptr<const ListedTables> tables, Backend& backend) {
  return std::make_unique<listed_product::ListedCuda>(std::move(tables), backend);
}

}  // namespace cisolve
