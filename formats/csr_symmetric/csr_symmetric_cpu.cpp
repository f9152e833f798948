#include <omp.h>

#include <algorithm>

#include "core/threads/parallel.hpp"
#include "formats/csr_symmetric/csr_symmetric.hpp"
#include "formats/matrix/elements.hpp"
#include "formats/shared/fetch_ahead.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

/// sum += a_i x and to_j += a_ij own for a run of entries of one row; `to` and `own` are for y_j
/// and αx_i. Columns of a row differ, so no two entries meet in `to`.
template <int K>
inline void add_both(const double* values, const Index* columns, Offset count, const double* x,
                     std::int64_t x_stride, const double* own, double* to, std::int64_t to_stride,
                     double* sum) {
  if constexpr (K == 1) {
    double total = 0.0;
    const double factor = own[0];
    constexpr Offset at_once = 16;  // columns of a line
    for (Offset first = 0; first < count; first += at_once) {
      fetch_entry(values + first, columns + first, FarAhead());
      fetch_entry(values + first + 8, columns + first, FarAhead());
      const Offset last = std::min(first + at_once, count);
#pragma omp simd reduction(+ : total)
      for (Offset e = first; e < last; ++e) {
        total += values[e] * x[columns[e] * x_stride];
        to[columns[e] * to_stride] += values[e] * factor;
      }
    }
    sum[0] += total;
  } else {
    double part[K] = {}, factor[K];
    std::copy_n(own, K, factor);
    for (Offset e = 0; e < count; ++e) {
      if (e % 4 == 0) fetch_entry(values + e, columns + e, FarAhead());
      const double value = values[e];
      const double* from = x + columns[e] * x_stride;
      double* y = to + columns[e] * to_stride;
#pragma omp simd
      for (int j = 0; j < K; ++j) {
        part[j] += value * from[j];
        y[j] += value * factor[j];
      }
    }
    for (int j = 0; j < K; ++j) sum[j] += part[j];
  }
}

/// Adds entries of D numbers, whose components lie one below another: to_j += conj(a_ij) own.
template <int D, int K>
inline void add_both(const FieldElement<D>* values, const Index* columns, Offset count,
                     const double* x, std::int64_t x_stride, const double* own, double* to,
                     std::int64_t to_stride, double* sum) {
  double part[D * K] = {}, factor[D * K];
  std::copy_n(own, D * K, factor);
  for (Offset e = 0; e < count; ++e) {
    const double* a = values[e].data();
    const double* from = x + columns[e] * (D * x_stride);
    double* y = to + columns[e] * (D * to_stride);
    for (int r = 0; r < D; ++r) {
      for (int c = 0; c < D; ++c) {
        // The real form of conj(a) is the transpose of a's.
        const double element = left_factor(a, r, c), conjugate = left_factor(a, c, r);
#pragma omp simd
        for (int j = 0; j < K; ++j) {
          part[r * K + j] += element * from[c * x_stride + j];
          y[r * to_stride + j] += conjugate * factor[c * K + j];
        }
      }
    }
  }
  for (int n = 0; n < D * K; ++n) sum[n] += part[n];
}

/// Over elements of D real numbers.
template <int D>
class CsrSymmetricOperator final : public StoredOperator {
 public:
  CsrSymmetricOperator(const std::shared_ptr<const CsrMatrix>& a, Backend& backend)
      : StoredOperator(*a, backend, "csr_symmetric"),
        a_(upper_part(a, "csr_symmetric")),
        partition_(partition_rows(*a_, omp_get_max_threads())),
        scratch_(partition_.make_scratch("csr_symmetric")) {
    built(CsrMatrix::bytes(a_->rows, a_->nonzeros(), D), 0,
          std::to_string(partition_.parts()) + " parts, " + std::to_string(partition_.width) +
              " vectors at once, scratch " + format_bytes(partition_.scratch_bytes()));
  }

  /// One product at a time: the buffers are the operator's.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    partition_.for_each_block(x.columns, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      multiply<k>(alpha, x.slice(first, k), beta, y.slice(first, k));
    });
  }

 private:
  template <int K>
  void multiply(double alpha, ConstView x, double beta, View y) const {
#pragma omp parallel if (worth_threads(a_->nonzeros()))
    {
#pragma omp for schedule(static, 1)
      for (int p = 0; p < partition_.parts(); ++p) add_part<K>(p, alpha, x, beta, y);
#pragma omp for schedule(static)
      for (Index i = partition_.starts[1]; i < a_->rows; ++i) {
        partition_.add_buffers<D, K>(scratch_, i, y);
      }
    }
  }

  /// Component c of row i.
  static double* row(View y, Index i, int c) {
    return y.data + (Offset{i} * D + c) * y.stride;
  }

  /// The part's rows of βY, and what its entries add there and to its buffer.
  template <int K>
  void add_part(int p, double alpha, ConstView x, double beta, View y) const {
    const Index begin = partition_.starts[p], end = partition_.starts[p + 1];
    double* const behind = partition_.buffer<D, K>(scratch_, p);
    std::fill_n(behind, Offset{a_->rows - end} * (D * K), 0.0);
    partition_.scale_part<D, K>(p, beta, y);
    for (Index i = begin; i < end; ++i) add_row<K>(i, end, alpha, x, y, behind);
  }

  template <int K>
  void add_row(Index i, Index end, double alpha, ConstView x, View y, double* behind) const {
    const Index* columns = a_->column_indices.data();
    const FieldElement<D>* values = field_elements<D>(*a_);
    Offset e = a_->row_offsets[i];
    const Offset last = a_->row_offsets[i + 1];
    double from[D * K], sum[D * K] = {}, own[D * K];
    for (int n = 0; n < D * K; ++n) {
      from[n] = x.data[(Offset{i} * D + n / K) * x.stride + n % K];
      own[n] = alpha * from[n];
    }
    if (e < last && columns[e] == i) add_diagonal<K>(values[e++], from, sum);
    const Offset middle = std::lower_bound(columns + e, columns + last, end) - columns;
    add_run<K>(values + e, columns + e, middle - e, x, own, y.data, y.stride, sum);
    if (middle < last) {  // the buffer begins with row `end`
      add_run<K>(values + middle, columns + middle, last - middle, x, own,
                 behind - Offset{end} * (D * K), K, sum);
    }
    for (int c = 0; c < D; ++c) {
      double* to = row(y, i, c);
      for (int j = 0; j < K; ++j) to[j] += alpha * sum[c * K + j];
    }
  }

  template <int K>
  static void add_diagonal(const FieldElement<D>& element, const double* from, double* sum) {
    if constexpr (D == 1) {
      for (int j = 0; j < K; ++j) sum[j] = element * from[j];
    } else {
      for (int n = 0; n < D * K; ++n) {
        for (int c = 0; c < D; ++c) {
          sum[n] += left_factor(element.data(), n / K, c) * from[c * K + n % K];
        }
      }
    }
  }

  template <int K>
  static void add_run(const FieldElement<D>* values, const Index* columns, Offset count,
                      ConstView x, const double* own, double* to, std::int64_t to_stride,
                      double* sum) {
    if constexpr (D == 1) {
      add_both<K>(values, columns, count, x.data, x.stride, own, to, to_stride, sum);
    } else {
      add_both<D, K>(values, columns, count, x.data, x.stride, own, to, to_stride, sum);
    }
  }

  std::shared_ptr<const CsrMatrix> a_;
  SymmetricPartition partition_;
  mutable Array<double> scratch_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_csr_symmetric_cpu(std::shared_ptr<const CsrMatrix> a,
                                                       Backend& backend, const FormatOptions&) {
  if (a->components == 2) return std::make_unique<CsrSymmetricOperator<2>>(a, backend);
  if (a->components == 4) return std::make_unique<CsrSymmetricOperator<4>>(a, backend);
  return std::make_unique<CsrSymmetricOperator<1>>(a, backend);
}

}  // namespace cisolve
