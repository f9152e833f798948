#include "solvers/orthonormalize.hpp"

#include <algorithm>
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

int orthonormalize(Backend& backend, ConstView basis, View t) {
  constexpr int most_passes = 4;
  // A pass leaves the square of what it found, so one that finds less leaves rounding alone.
  constexpr double little = 1e-5;
  int count = t.columns;
  if (count == 0) return 0;
  std::vector<double> lengths(count);
  backend.column_norms(t, lengths);
  for (int j = 0; j < count; ++j) {
    if (!std::isfinite(lengths[j])) backend.fill(0.0, t.slice(j, 1));
    lengths[j] = std::isfinite(lengths[j]) && lengths[j] > 0.0 ? 1.0 / lengths[j] : 0.0;
  }
  backend.scale_columns(lengths, t);

  HostMatrix c, gram;
  for (int pass = 0; pass < most_passes; ++pass) {
    const View block = t.slice(0, count);
    double found = 0.0;
    if (basis.columns > 0) {
      backend.gram(basis, block, c);                // C = VᵀT
      backend.combine(-1.0, basis, c, 1.0, block);  // T ← T − VC
      found = c.cwiseAbs().maxCoeff();
    }
    backend.gram(block, block, gram);  // G = TᵀT
    const HostMatrix identity = HostMatrix::Identity(count, count);
    found = std::max(found, (gram - identity).cwiseAbs().maxCoeff());
    const HostMatrix b = orthonormal_combination(gram, pass == 0 ? dependent : 0.0);
    backend.recombine(block, b);  // T ← TB
    count = static_cast<int>(b.cols());
    if (count == 0 || found <= little) break;
  }
  return count;
}

}  // namespace cisolve
