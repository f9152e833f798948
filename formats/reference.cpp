#include "formats/reference.hpp"

#include <array>

#include "core/threads/parallel.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/elements.hpp"

namespace cisolve {

void reference_product(const CsrMatrix& a, const HostMatrix& x, HostMatrix& y) {
  require_full(a, "the reference product");
  require_real(a, "the reference product");
  for (Index i = 0; i < a.rows; ++i) {
    for (Eigen::Index k = 0; k < x.cols(); ++k) {
      double sum = 0.0;
      for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
        sum += a.values[e] * x(a.column_indices[e], k);
      }
      y(i, k) = sum;
    }
  }
}

HostMatrix reference_product(const CsrMatrix& a, const HostMatrix& x) {
  HostMatrix y(a.rows, x.cols());
  reference_product(a, x, y);
  return y;
}

namespace {

/// Rows d·i … d·i + d − 1 of AX in a column of X, of elements of d real numbers.
template <int D>
std::array<long double, D> extended_row(const CsrMatrix& a, Index i, const HostMatrix& x,
                                        Eigen::Index k) {
  std::array<long double, D> sum{};
  for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
    const double* const element = a.values.data() + D * e;
    const Eigen::Index j = Eigen::Index{D} * a.column_indices[e];
    for (int r = 0; r < D; ++r) {
      for (int c = 0; c < D; ++c) {
        sum[r] += static_cast<long double>(left_factor(element, r, c)) * x(j + c, k);
      }
    }
  }
  return sum;
}

}  // namespace

HostMatrix extended_product(const CsrMatrix& a, const HostMatrix& x) {
  require_full(a, "the extended product");
  return with_components(a.components, [&](auto d) {
    constexpr int numbers = d.value;
    HostMatrix y(Eigen::Index{numbers} * a.rows, x.cols());
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 128)
    for (Index i = 0; i < a.rows; ++i) {
      for (Eigen::Index k = 0; k < x.cols(); ++k) {
        const auto sum = extended_row<numbers>(a, i, x, k);
        for (int r = 0; r < numbers; ++r) {
          y(Eigen::Index{numbers} * i + r, k) = static_cast<double>(sum[r]);
        }
      }
    }
    return y;
  });
}

}  // namespace cisolve
