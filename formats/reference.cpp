#include "formats/reference.hpp"

#include "core/threads/parallel.hpp"
#include "formats/matrix/csr_matrix.hpp"

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

HostMatrix extended_product(const CsrMatrix& a, const HostMatrix& x) {
  require_full(a, "the extended product");
  require_real(a, "the extended product");
  HostMatrix y(a.rows, x.cols());
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 128)
  for (Index i = 0; i < a.rows; ++i) {
    for (Eigen::Index k = 0; k < x.cols(); ++k) {
      long double sum = 0.0L;
      for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
        sum += static_cast<long double>(a.values[e]) * x(a.column_indices[e], k);
      }
      y(i, k) = static_cast<double>(sum);
    }
  }
  return y;
}

}  // namespace cisolve
