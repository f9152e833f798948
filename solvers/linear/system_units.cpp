#include "solvers/linear/system_units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.hpp"

namespace cisolve {
namespace {

// 2^e of a start in the system's units, beyond which squares of its residual may overflow: a
// solution of that size is none that doubles tell from infinity.
constexpr int largest_start = 400;

ColumnScalars largest_elements(Backend& backend, ConstView x) {
  ColumnScalars elements(x.columns);
  backend.largest_elements(x, 0.0, elements);
  return elements;
}

/// x_j := 2^e_j x_j, in several steps where a double does not hold 2^e_j.
void scale(Backend& backend, std::vector<int> exponents, View x) {
  constexpr int most = 1000;
  while (std::ranges::any_of(exponents, [](int e) { return e != 0; })) {
    ColumnScalars factors;
    for (int& e : exponents) {
      const int step = std::clamp(e, -most, most);
      factors.push_back(std::ldexp(1.0, step));
      e -= step;
    }
    backend.scale_columns(factors, x);
  }
}

/// Throws naming a column whose largest element, times 2^e, leaves the doubles or their precision.
void require_held(Backend& backend, const std::vector<int>& exponents, ConstView x,
                  const std::string& what) {
  constexpr int lowest =
                    std::numeric_limits<double>::min_exponent + std::numeric_limits<double>::digits,
                highest = std::numeric_limits<double>::max_exponent - 1;
  const ColumnScalars largest = largest_elements(backend, x);
  for (std::size_t j = 0; j < largest.size(); ++j) {
    const int e = exponent_of(largest[j]) + exponents[j];
    if (largest[j] == 0.0 || !std::isfinite(largest[j]) || (e >= lowest && e < highest)) continue;
    throw InputError("linear: the largest element of column " + std::to_string(j + 1) + " of " +
                     what + " is about 2^" + std::to_string(e) +
                     ", which double precision does not hold; other units of the matrix or of the "
                     "right-hand side help");
  }
}

/// Throws where elements of a solution that doubles do not hold may be needed for a residual that
/// is small beside b, the largest elements of the matrix being of about 2^unit.
void require_small_elements(int unit, const ColumnScalars& largest_of_b) {
  constexpr int smallest =
      std::numeric_limits<double>::min_exponent - std::numeric_limits<double>::digits;
  for (std::size_t j = 0; j < largest_of_b.size(); ++j) {
    if (largest_of_b[j] == 0.0 || !std::isfinite(largest_of_b[j])) continue;
    const int e = exponent_of(largest_of_b[j]);
    if (unit + smallest < e - std::numeric_limits<double>::digits) continue;
    throw InputError("linear: the matrix is of about 2^" + std::to_string(unit) + ", column " +
                     std::to_string(j + 1) + " of the right-hand side of 2^" + std::to_string(e) +
                     ": double precision does not hold small elements of the solution; other units "
                     "of the matrix or of the right-hand side help");
  }
}

}  // namespace

int exponent_of(double number) {
  return number == 0.0 || !std::isfinite(number) ? 0 : std::ilogb(number);
}

SystemUnits::SystemUnits(LinearSystem& system, ConstView b, View x)
    : backend_(system.backend()), b_(system.backend(), b.rows, b.columns) {
  const ColumnScalars largest = largest_elements(backend_, b);
  std::vector<int> down, of_start;
  for (const double element : largest) {
    const int e = exponent_of(element);
    exponents_of_b_.push_back(e);
    exponents_of_x_.push_back(e - system.unit());
    down.push_back(-e);
    of_start.push_back(system.unit() - e);
  }
  require_small_elements(system.unit(), largest);
  backend_.copy(b, b_.view());
  scale(backend_, down, b_.view());
  for (const double norm : system.norms(b_.view())) {
    if (std::isfinite(norm)) continue;
    throw InputError("linear: the norm of the right-hand side is " + std::to_string(norm));
  }
  const ColumnScalars of_x = largest_elements(backend_, x);
  for (int j = 0; j < b.columns; ++j) {
    const bool dwarfs = exponent_of(of_x[j]) + of_start[j] > largest_start;
    if (largest[j] == 0.0 || dwarfs) backend_.fill(0.0, x.slice(j, 1));
  }
  require_held(backend_, of_start, x, "the start, in the solver's units,");
  scale(backend_, of_start, x);
}

ColumnScalars SystemUnits::of_user(ColumnScalars numbers) const {
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    numbers[j] = std::ldexp(numbers[j], -exponents_of_b_[j]);
  }
  return numbers;
}

ColumnScalars SystemUnits::to_user(ColumnScalars numbers) const {
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    numbers[j] = std::ldexp(numbers[j], exponents_of_b_[j]);
  }
  return numbers;
}

void SystemUnits::restore(View x) const {
  require_held(backend_, exponents_of_x_, x, "the solution");
  scale(backend_, exponents_of_x_, x);
}

}  // namespace cisolve
