#include "core/threads/parallel.hpp"
#include "formats/csb/csb.hpp"

#include <algorithm>

#include "formats/shared/stored_operator.hpp"
#include "spmv/block_width.hpp"

namespace cisolve {
namespace {

/// y_i += α Σ_e values[e] · x(column, j) over one block, a row's entries summed before they are
/// added; x and y point to the block's first column and row.
template <int K>
void add_block(const CsbMatrix& csb, Offset block, double alpha, const double* x,
               std::int64_t x_stride, double* y, std::int64_t y_stride) {
  const Offset end = csb.block_offsets[block + 1];
  for (Offset e = csb.block_offsets[block]; e < end;) {
    const std::uint16_t row = csb.local_rows[e];
    double sum[K] = {};
    for (; e < end && csb.local_rows[e] == row; ++e) {
      const double* from = x + csb.local_columns[e] * x_stride;
      for (int j = 0; j < K; ++j) sum[j] += csb.values[e] * from[j];
    }
    double* to = y + row * y_stride;
    for (int j = 0; j < K; ++j) to[j] += alpha * sum[j];
  }
}

/// One block row of Y := αAX + βY; no other thread writes its rows.
template <int K>
void multiply_block_row(const CsbMatrix& csb, Offset block_row, double alpha, const ConstView& x,
                        double beta, const View& y) {
  const Offset first = block_row * csb.block_size;
  const Offset last = std::min<Offset>(csb.rows, first + csb.block_size);
  for (Offset i = first; i < last; ++i) {
    double* to = y.data + i * y.stride;
    for (int j = 0; j < K; ++j) to[j] = beta == 0.0 ? 0.0 : beta * to[j];
  }
  for (Offset b = csb.block_row_offsets[block_row]; b < csb.block_row_offsets[block_row + 1]; ++b) {
    const Offset column = Offset{csb.block_columns[b]} * csb.block_size;
    add_block<K>(csb, b, alpha, x.data + column * x.stride, x.stride, y.data + first * y.stride,
                 y.stride);
  }
}

class CsbOperator final : public StoredOperator {
 public:
  CsbOperator(const CsrMatrix& a, Backend& backend, Index block_size)
      : StoredOperator(a, backend, "csb"), csb_(to_csb(a, block_size)) {
    built(csb_.bytes(), 0, csb_.description());
  }

  /// The paper's outer loop: block rows in parallel. (Its inner one, which parts a crowded block
  /// row among threads, is left out: a CI matrix has many block rows of like weight.)
  void apply(double alpha, ConstView x, double beta, View y) const override {
    for_each_piece(x.columns, [&](auto width, int first) {
      constexpr int k = width.value;
      const ConstView from = x.slice(first, k);
      const View to = y.slice(first, k);
#pragma omp parallel for if (worth_threads(csb_.values.size())) schedule(dynamic)
      for (Offset block_row = 0; block_row < csb_.block_rows(); ++block_row) {
        multiply_block_row<k>(csb_, block_row, alpha, from, beta, to);
      }
    });
  }

 private:
  CsbMatrix csb_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_csb_cpu(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                             const FormatOptions& options) {
  return std::make_unique<CsbOperator>(*a, backend, options.block_size);
}

}  // namespace cisolve
