#include "solvers/eigen/steps/subspace.hpp"

#include <algorithm>

#include "backends/ranks/agree.hpp"

namespace cisolve {
namespace {

// What is shorter than this part of a whole adds nothing to it.
constexpr double smallest_part = 1e-6;
// What is left of a vector of length 1 has no direction where it is as short as this.
constexpr double rounding = 1e-13;

}  // namespace

Subspace::Subspace(Backend& backend, View basis, View images)
    : backend_(backend),
      basis_(basis),
      images_(images),
      projection_(HostMatrix::Zero(basis.columns, basis.columns)),
      ritz_(basis.columns),
      earlier_(basis.columns, basis.columns),
      coefficients_(basis.columns, basis.columns),
      product_(basis.columns, basis.columns),
      orthonormalize_(basis.columns, 0.0) {}

bool Subspace::append(ConstView t, ConstView at) {
  const int added = t.columns;
  if (added == 0) return true;
  backend_.copy(t, basis_.slice(size_, added));
  backend_.copy(at, images_.slice(size_, added));
  const int size = size_ + added;
  const auto columns = coefficients_.topLeftCorner(size, added);
  backend_.gram(basis_.slice(0, size), at, HostRef(columns));  // VᵀAT
  if (!columns.allFinite()) return false;
  earlier_size_ = size_;
  earlier_.topLeftCorner(size_, size_) = ritz_.vectors();
  projection_.block(0, size_, size, added) = columns;
  projection_.block(size_, 0, added, size) = columns.transpose();
  size_ = size;
  solve_projected();
  return true;
}

/// Θ and S, of H's symmetric part.
void Subspace::solve_projected() {
  for (int i = 0; i < size_; ++i) {
    for (int j = 0; j < i; ++j) {
      projection_(i, j) = projection_(j, i) = 0.5 * (projection_(i, j) + projection_(j, i));
    }
  }
  ritz_.solve(projection_.topLeftCorner(size_, size_));
  agree(backend_.communicator(), ritz_);
}

void Subspace::vectors(View x) const {
  backend_.combine(1.0, basis(), ritz_.vectors().leftCols(x.columns), 0.0, x);
}

void Subspace::vector(int j, View x) const {
  backend_.combine(1.0, basis(), ritz_.vectors().middleCols(j, 1), 0.0, x);
}

void Subspace::vector_and_image(int j, View x, View y) const {
  const ConstHostRef s = ritz_.vectors().middleCols(j, 1);
  backend_.combine(1.0, basis(), s, 0.0, x);
  backend_.combine(1.0, images_.slice(0, size_), s, 0.0, y);
}

void Subspace::residuals(View r, std::span<double> norms) const {
  const std::span<const double> theta(values().data(), static_cast<std::size_t>(r.columns));
  backend_.residuals(images_.slice(0, size_), basis(), ritz_.vectors().leftCols(r.columns), theta,
                     r, norms);
}

void Subspace::restart(int ritz, int earlier) {
  coefficients_.topLeftCorner(size_, ritz) = ritz_.vectors().leftCols(ritz);
  const int kept = add_earlier(ritz, std::min(earlier, earlier_size_));
  // V ← VC, W ← WC
  const auto c = coefficients_.topLeftCorner(size_, kept);
  backend_.recombine(basis_.slice(0, size_), c);
  backend_.recombine(images_.slice(0, size_), c);
  // H ← CᵀHC
  auto hc = product_.topLeftCorner(size_, kept);
  hc.noalias() = projection_.topLeftCorner(size_, size_) * c;
  projection_.topLeftCorner(kept, kept).noalias() = c.transpose() * hc;
  earlier_size_ = 0;  // they were coefficients in the basis that is gone
  size_ = kept;
  solve_projected();
}

HostMatrix Subspace::earlier(int count) const {
  return ritz_.vectors().topRows(earlier_size_).transpose() *
         earlier_.topLeftCorner(earlier_size_, std::min(count, earlier_size_));
}

void Subspace::take_earlier(const HostMatrix& c) {
  earlier_size_ = size_;
  earlier_.topLeftCorner(size_, size_).setZero();
  const auto count = std::min<Eigen::Index>(c.cols(), size_);  // the basis may be a smaller one
  earlier_.topLeftCorner(size_, count) = c.leftCols(count);
}

void Subspace::clear() {
  size_ = earlier_size_ = 0;
  solve_projected();
}

/// Earlier Ritz vectors, orthonormal to the `columns` columns of the coefficients, behind these;
/// returns the number of columns then. Those that have moved by next to nothing beside the others
/// are left out; how far they all have moved does not matter: without any, LOBPCG is steepest
/// descent.
int Subspace::add_earlier(int columns, int earlier) {
  const auto take_out_columns = [&](auto v) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < columns; ++i) {
        const auto c = coefficients_.col(i).head(size_);
        v -= c.dot(v) * c;
      }
    }
  };
  auto moved = product_.topLeftCorner(size_, earlier);
  moved.setZero();
  moved.topRows(earlier_size_) = earlier_.topLeftCorner(earlier_size_, earlier);
  double furthest = 0.0;
  for (int j = 0; j < earlier; ++j) {
    take_out_columns(moved.col(j));
    furthest = std::max(furthest, moved.col(j).norm());
  }
  for (int j = 0; j < earlier; ++j) {
    const double length = moved.col(j).norm();
    if (length < std::max(smallest_part * furthest, rounding)) continue;
    auto v = coefficients_.col(columns).head(size_);
    v = moved.col(j) / length;
    take_out_columns(v);
    const double own = v.norm();
    if (own < smallest_part) continue;
    v /= own;
    ++columns;
  }
  return columns;
}

}  // namespace cisolve
