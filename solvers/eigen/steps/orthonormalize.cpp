#include "solvers/eigen/steps/orthonormalize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/ranks/agree.hpp"
#include "core/infinity.hpp"

namespace cisolve {
namespace {

constexpr double dependent = 1e-7;
// A pass leaves the square of what it found, so one that finds less leaves rounding alone.
constexpr double little = 1e-5;
// G − CᵀC has lost half its digits, or more, where what is left is shorter, or more dependent.
constexpr double least_trusted = 1e-4;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
// VᵀV − 1 that a single pass may leave.
constexpr double most_loss = 100.0 * epsilon;

double inverse_length(double square, double shortest) {
  const double length = std::sqrt(std::max(square, 0.0));
  return length > shortest ? 1.0 / length : 0.0;
}

/// Columns of T that hold NaN or infinity become zero; true when there are any.
bool clear_nonfinite(Backend& backend, const ConstHostRef& gram, View t) {
  const int d = backend.components();
  bool any = false;
  for (int j = 0; j < t.columns; ++j) {
    if (std::isfinite(gram(d * j, d * j))) continue;
    backend.fill(0.0, t.slice(j, 1));
    any = true;
  }
  return any;
}

}  // namespace

Orthonormalizer::Orthonormalizer(Backend& backend, int columns, double loss)
    : backend_(backend),
      d_(backend.components()),
      loss_(loss),
      c_(d_ * columns, d_ * columns),
      gram_(d_ * columns, d_ * columns),
      b_(d_ * columns, d_ * columns),
      cb_(d_ * columns, d_ * columns),
      s_(d_ * columns),
      left_(d_ * columns),
      eigen_(columns, d_) {}

int Orthonormalizer::operator()(ConstView basis, View t) {
  constexpr int most_passes = 4;
  const int m = d_ * basis.columns;
  int count = t.columns;
  double shortest = 0.0;  // of the columns of T that are not dropped
  amplification_ = 1.0;
  // Traffic of a pass: V twice, T three times, and one wait.
  for (int pass = 0; pass < most_passes && count > 0; ++pass) {
    const View block = t.slice(0, count);
    const int k = d_ * count;
    const auto c = c_.topLeftCorner(m, k), gram = gram_.topLeftCorner(k, k);
    // C = VᵀT, G = TᵀT
    backend_.grams(basis, block, c, gram);
    if (pass == 0 && clear_nonfinite(backend_, gram, block)) backend_.grams(basis, block, c, gram);
    const double found = measure(m, k, shortest);
    agree(backend_.communicator(), eigen_);
    const bool all = trusted(k, m > 0 ? c.cwiseAbs().maxCoeff() : 0.0);
    if (pass > 0) amplification_ *= s_.head(k).maxCoeff();
    const int kept = all ? combine(m, k) : project(m, k);
    count = kept / d_;
    shortest = all ? 0.0 : dependent;
    if (count > 0) {  // T ← TB − V(CB)
      backend_.recombine(basis, cb_.topLeftCorner(m, kept), block, b_.topLeftCorner(k, kept));
    }
    if (all && (found <= little || (pass == 0 && takes_loss()))) break;
  }
  return count;
}

/// S, D, CS, DS(G − CᵀC)SD and its eigenpairs; returns how far the columns of TS were from being
/// orthonormal and orthogonal to V.
double Orthonormalizer::measure(int m, int k, double shortest) {
  auto c = c_.topLeftCorner(m, k), gram = gram_.topLeftCorner(k, k);
  double found = 0.0;
  for (int j = 0; j < k; ++j) s_[j] = inverse_length(gram(j, j), shortest);
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) {
      gram(i, j) *= s_[i] * s_[j];
      if (i != j) found = std::max(found, std::abs(gram(i, j)));
    }
  }
  c *= s_.head(k).asDiagonal();
  if (m > 0) found = std::max(found, c.cwiseAbs().maxCoeff());
  gram.noalias() -= c.transpose().lazyProduct(c);
  for (int j = 0; j < k; ++j) left_[j] = inverse_length(gram(j, j), 0.0);
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) gram(i, j) *= left_[i] * left_[j];
  }
  eigen_.solve(gram);
  return found;
}

/// True if G − CᵀC tells what is left of T where VᵀT had `removed` at most.
bool Orthonormalizer::trusted(int k, double removed) const {
  if (removed <= little) return true;
  int dropped = 0;
  for (int j = 0; j < k; ++j) {
    if (s_[j] == 0.0) {
      ++dropped;
    } else if (left_[j] == 0.0 || left_[j] > 1.0 / std::sqrt(least_trusted)) {
      return false;
    }
  }
  return dropped == k || eigen_.values()[dropped / d_] >= least_trusted;
}

/// True if V and T may stay as they are without another pass, which adds to the loss. A remainder
/// of length 1 that is enlarged by a factor a has lost CᵀC ≤ 1 − 1/a². Rounding of C and G leaves
/// εa² there, and a loss of V so far adds √(a² − 1) times itself.
bool Orthonormalizer::takes_loss() {
  const double square = amplification_ * amplification_;
  const double left = epsilon * square + std::sqrt(std::max(square - 1.0, 0.0)) * loss_;
  if (!(left <= most_loss)) return false;
  loss_ = std::max(loss_, left);
  return true;
}

/// B of the pass, and −CB; the number of columns.
int Orthonormalizer::combine(int m, int k) {
  const auto values = eigen_.values();
  const int count = k / d_;
  const double smallest = dependent * dependent * values[count - 1];
  int first = 0;
  while (first < count && !(values[first] > smallest)) ++first;
  const int kept = d_ * (count - first);
  if (kept > 0) amplification_ *= left_.head(k).maxCoeff() / std::sqrt(values[first]);
  auto b = b_.topLeftCorner(k, kept);
  b = eigen_.vectors().rightCols(kept);
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < kept; ++j) b(i, j) *= left_[i] / std::sqrt(values[first + j / d_]);
  }
  cb_.topLeftCorner(m, kept).noalias() = -c_.topLeftCorner(m, k).lazyProduct(b);
  b = s_.head(k).asDiagonal() * b;
  return kept;
}

/// B = S without the columns dropped, and −CB; their number.
int Orthonormalizer::project(int m, int k) {
  int kept = 0;
  for (int j = 0; j < k; ++j) {
    if (s_[j] == 0.0) continue;
    b_.col(kept).head(k).setZero();
    b_(j, kept) = s_[j];
    cb_.col(kept).head(m) = -c_.col(j).head(m);
    ++kept;
  }
  return kept;
}

int orthonormalize(Backend& backend, ConstView basis, View t) {
  return Orthonormalizer(backend, std::max(basis.columns, t.columns), infinity)(basis, t);
}

}  // namespace cisolve
