#include "spmv/reference.hpp"

#include <cmath>

#include "formats/csr_matrix.hpp"

namespace cisolve {
namespace {

template <class F>
HostMatrix row_sums(const CsrMatrix& a, const HostMatrix& x, F term) {
  require_full(a, "the reference product");
  HostMatrix y = HostMatrix::Zero(a.rows, x.cols());
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      for (Eigen::Index k = 0; k < x.cols(); ++k) {
        y(i, k) += term(a.values[e], x(a.column_indices[e], k));
      }
    }
  }
  return y;
}

}  // namespace

HostMatrix reference_product(const CsrMatrix& a, const HostMatrix& x) {
  return row_sums(a, x, [](double v, double w) { return v * w; });
}

HostMatrix reference_magnitude(const CsrMatrix& a, const HostMatrix& x) {
  return row_sums(a, x, [](double v, double w) { return std::abs(v * w); });
}

}  // namespace cisolve
