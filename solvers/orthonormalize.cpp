#include "solvers/orthonormalize.hpp"

#include <cmath>
#include <vector>

#include "core/dense.hpp"

namespace cisolve {
namespace {

constexpr double dependent = 1e-7;

/// The matrix B that turns T into TB, orthonormal, from its Gram matrix; columns of T shorter than
/// `shortest` and directions shorter than `dependent` are left out. May have no columns.
HostMatrix orthonormal_combination(const HostMatrix& gram, double shortest) {
  const Eigen::Index k = gram.rows();
  HostVector scale(k);
  for (Eigen::Index j = 0; j < k; ++j) {
    const double length = std::sqrt(std::max(gram(j, j), 0.0));
    scale[j] = length > shortest ? 1.0 / length : 0.0;
  }
  const HostMatrix scaled = scale.asDiagonal() * gram * scale.asDiagonal();
  const SymmetricEigen eigen = symmetric_eigen(scaled);
  const double smallest = dependent * dependent * eigen.values[k - 1];
  Eigen::Index first = 0;
  while (first < k && !(eigen.values[first] > smallest)) ++first;
  const Eigen::Index kept = k - first;
  return scale.asDiagonal() * eigen.vectors.rightCols(kept) *
         eigen.values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

Orthonormalizer::Orthonormalizer(Backend& backend, Index rows, int columns)
    : backend_(backend), scratch_(backend, rows, columns) {}

int Orthonormalizer::operator()(ConstView basis, MultiVector& t, int count) {
  if (count == 0) return 0;
  std::vector<double> lengths(count);
  backend_.column_norms(t.packed(count), lengths);
  for (double& length : lengths) length = std::isfinite(length) && length > 0 ? 1.0 / length : 0.0;
  backend_.scale_columns(lengths, t.packed(count));

  HostMatrix c, gram;
  for (int pass = 0; pass < 3 && count > 0; ++pass) {
    const View block = t.packed(count);
    if (basis.columns > 0) {
      backend_.gram(basis, block, c);                // C = VᵀT
      backend_.combine(-1.0, basis, c, 1.0, block);  // T ← T − VC
    }
    backend_.gram(block, block, gram);  // G = TᵀT
    const HostMatrix b = orthonormal_combination(gram, pass == 0 ? dependent : 0.0);
    const int kept = static_cast<int>(b.cols());
    if (kept == 0) return 0;
    backend_.combine(1.0, block, b, 0.0, scratch_.packed(kept));  // T ← TB
    std::swap(t, scratch_);
    count = kept;
  }
  return count;
}

}  // namespace cisolve
