#include "solvers/linear/linear_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "backends/ranks/communicator.hpp"
#include "solvers/linear/system_units.hpp"

namespace cisolve {
namespace {

// 2^−u is a double then.
constexpr int largest_unit = 1000;
// ‖S‖ over the largest element of D where no spectrum tells: that of a grid's Laplacian is 2.
constexpr double usual_magnitude = 4.0;
// Unit: the system's.
constexpr double largest_of_diagonal = 2.0;

}  // namespace

double largest(const ColumnScalars& numbers) {
  double largest = 0.0;
  for (const double number : numbers) {
    if (!(number <= largest)) largest = number;
    if (std::isnan(largest)) break;
  }
  return largest;
}

ColumnScalars ratio(const ColumnScalars& a, const ColumnScalars& b) {
  ColumnScalars q(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) {
    q[j] = a[j] / b[j];
    if (!std::isfinite(q[j]) && std::isfinite(a[j]) && std::isfinite(b[j])) q[j] = 0.0;
  }
  return q;
}

struct LinearSystem::Diagonal {
  HostMatrix d;
  int unit = 0;
  int products = 0;

  Diagonal(const LinearOperator& a, Backend& backend, double shift, ZeroDiagonal zeros) {
    MultiVector on_backend(backend, a.rows(), 1);
    a.diagonal(on_backend.view());
    d = backend.download(on_backend.view());
    d.array() -= shift;
    Communicator& ranks = backend.communicator();
    double largest = 0.0;
    for (const double element : d.reshaped()) {
      if (std::isfinite(element)) largest = std::max(largest, std::abs(element));
    }
    for (const double of_rank : ranks.gather(largest)) largest = std::max(largest, of_rank);
    // One, by which zeros are divided, is of the size of the matrix's elements.
    if (zeros == ZeroDiagonal::counts_as_one && !ranks.all((d.array() != 0.0).all())) {
      largest = std::max(largest, size_of_rows(a, backend, shift, on_backend.view()));
      products = 1;
    }
    unit = std::clamp(exponent_of(largest), -largest_unit, largest_unit);
    d *= std::ldexp(1.0, -unit);
  }

 private:
  /// The largest element of (A − σ)x for a random x; `y` is overwritten.
  static double size_of_rows(const LinearOperator& a, Backend& backend, double shift, View y) {
    constexpr std::uint64_t seed = 1;
    MultiVector x(backend, a.rows(), 1);
    backend.fill_random(seed, 0, x.view());
    a.apply(1.0, x.view(), 0.0, y);
    backend.axpby(-shift, x.view(), 1.0, y);
    double size = 0.0;
    backend.largest_elements(y, 0.0, {&size, 1});
    return std::isfinite(size) ? std::abs(size) : 0.0;
  }
};

LinearSystem::LinearSystem(const LinearOperator& a, Backend& backend, double shift,
                           Diagonal diagonal, ZeroDiagonal zeros)
    : LinearSystem(a, backend, Splitting(backend, std::move(diagonal.d), shift, zeros)) {
  set_unit(diagonal.unit, shift);
  products_ = diagonal.products;
}

LinearSystem::LinearSystem(const LinearOperator& a, Backend& backend, double shift,
                           Diagonal diagonal, const DiagonalBlocks& blocks)
    : LinearSystem(a, backend,
                   Splitting(backend, std::move(diagonal.d), shift, diagonal.unit, blocks)) {
  set_unit(diagonal.unit, shift);
}

LinearSystem::LinearSystem(const LinearOperator& a, Backend& backend, double shift,
                           ZeroDiagonal zeros)
    : LinearSystem(a, backend, shift, Diagonal(a, backend, shift, zeros), zeros) {}

LinearSystem::LinearSystem(const LinearOperator& a, Backend& backend, double shift,
                           const DiagonalBlocks& blocks)
    : LinearSystem(a, backend, shift, Diagonal(a, backend, shift, ZeroDiagonal::refused), blocks) {}

LinearSystem::LinearSystem(const LinearOperator& a, Backend& backend, Splitting splitting)
    : a_(a), backend_(backend), magnitude_(usual_magnitude), splitting_(std::move(splitting)) {}

void LinearSystem::set_unit(int unit, double shift) {
  unit_ = unit;
  scale_of_a_ = std::ldexp(1.0, -unit);
  shift_ = std::ldexp(shift, -unit);
}

void LinearSystem::tell_largest_eigenvalue(double of_preconditioned) {
  magnitude_ = largest_of_diagonal * of_preconditioned;
}

void LinearSystem::see_eigenvalue(double of_preconditioned) {
  magnitude_ = std::max(magnitude_, largest_of_diagonal * of_preconditioned);
}

double LinearSystem::rounding(double norm_of_x, double norm_of_b) const {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return epsilon * ((magnitude_ + 2.0 * std::abs(shift_)) * norm_of_x + norm_of_b);
}

void LinearSystem::apply(ConstView x, View y) {
  a_.apply(scale_of_a_, x, 0.0, y);
  if (shift_ != 0.0) backend_.axpby(-shift_, x, 1.0, y);
  products_ += x.columns;
}

void LinearSystem::residual(ConstView b, ConstView x, View r) {
  if (shift_ == 0.0) {
    backend_.copy(b, r);
  } else {
    backend_.waxpby(1.0, b, shift_, x, r);
  }
  a_.apply(-scale_of_a_, x, 1.0, r);
  products_ += x.columns;
}

void LinearSystem::add_product(ConstView x, View y) {
  a_.apply(scale_of_a_, x, 1.0, y);
  if (shift_ != 0.0) backend_.axpby(-shift_, x, 1.0, y);
  products_ += x.columns;
}

ColumnScalars LinearSystem::norms(ConstView x) {
  ColumnScalars values(x.columns);
  backend_.column_norms(x, values);
  return values;
}

ColumnScalars LinearSystem::dots(ConstView x, ConstView y) {
  ColumnScalars values(x.columns);
  backend_.column_dots(x, y, values);
  return values;
}

ColumnScalars LinearSystem::step_residual(const ColumnScalars& s, ConstView v, View r) {
  ColumnScalars squares(s.size());
  splitting_.step_residual(s, v, r, squares);
  return squares;
}

void LinearSystem::add(double alpha, const ColumnScalars& s, ConstView x, View y) {
  const auto k = static_cast<Eigen::Index>(s.size());
  scale_.setZero(k, k);
  for (Eigen::Index j = 0; j < k; ++j) scale_(j, j) = s[j];
  backend_.combine(alpha, x, scale_, 1.0, y);
}

void LinearSystem::scale_and_add(ConstView x, const ColumnScalars& s, View y) {
  if (s.size() == 1) return backend_.axpby(1.0, x, s[0], y);  // one pass
  backend_.scale_columns(s, y);
  backend_.axpby(1.0, x, 1.0, y);
}

}  // namespace cisolve
