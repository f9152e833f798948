#include <algorithm>

#include "core/threads/parallel.hpp"
#include "formats/dia/dia.hpp"
#include "formats/shared/interleaved_sums.hpp"
#include "formats/shared/stored_operator.hpp"
#include "spmv/block_width.hpp"

namespace cisolve {
namespace {

/// Rows a thread takes at a time: their sums stay in the first-level cache, and each of their
/// diagonals is one run of memory.
constexpr Index strip_rows = 256;

/// sum := AX for the rows begin … end − 1, K vectors.
template <int K>
void multiply_strip(const DiaMatrix& dia, Index begin, Index end, const double* x,
                    std::int64_t stride, double* sum) {
  std::fill_n(sum, Offset{end - begin} * K, 0.0);
  for (std::size_t d = 0; d < dia.offsets.size(); ++d) {
    const Offset offset = dia.offsets[d];
    // The rows where the diagonal lies in the matrix.
    const Offset first = std::max<Offset>(begin, -offset);
    const Offset last = std::min<Offset>(end, dia.columns - offset);
    const double* values = dia.values.data() + static_cast<Offset>(d) * dia.rows;
#pragma omp simd
    for (Offset i = first; i < last; ++i) {
      const double* from = x + (i + offset) * stride;
      for (int j = 0; j < K; ++j) sum[(i - begin) * K + j] += values[i] * from[j];
    }
  }
}

class DiaOperator final : public StoredOperator {
 public:
  DiaOperator(const CsrMatrix& a, Backend& backend)
      : StoredOperator(a, backend, "dia"), dia_(to_dia(a)) {
    built(dia_.bytes(), static_cast<Offset>(dia_.values.size()) - a.nonzeros(),
          std::to_string(dia_.offsets.size()) + " diagonals");
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    for_each_piece(x.columns, [&](auto width, int first) {
      constexpr int k = width.value;
#pragma omp parallel for if (worth_threads(dia_.values.size())) schedule(dynamic)
      for (Offset begin = 0; begin < y.rows; begin += strip_rows) {
        const auto end = static_cast<Index>(std::min<Offset>(begin + strip_rows, y.rows));
        double sum[strip_rows * k];
        multiply_strip<k>(dia_, static_cast<Index>(begin), end, x.data + first, x.stride, sum);
        for (Offset i = begin; i < end; ++i) {
          write_row<k>(alpha, sum + (i - begin) * k, beta, y.data + i * y.stride + first);
        }
      }
    });
  }

 private:
  DiaMatrix dia_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_dia_cpu(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                             const FormatOptions&) {
  return std::make_unique<DiaOperator>(*a, backend);
}

}  // namespace cisolve
