#include "app/solve/matrix_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "backends/ranks/communicator.hpp"
#include "core/host_matrix.hpp"
#include "core/mixed.hpp"

namespace cisolve {
namespace {

double power_of_two_within(double x) {
  return std::ldexp(1.0, std::ilogb(x));
}

double lower_median(std::vector<double>& values) {
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The elements of a column that is distributed as rows are, of all ranks.
std::vector<double> gathered(const HostMatrix& column, Communicator& ranks) {
  return ranks.gather(std::span<const double>(column.data(), column.rows()));
}

/// Signs by row, whatever rank has it.
HostMatrix random_signs(Index rows, Communicator& ranks) {
  const auto first = static_cast<std::uint64_t>(ranks.sum_before(rows));
  HostMatrix signs(rows, 1);
  for (Index i = 0; i < rows; ++i) signs(i, 0) = mixed_uniform(first + i) < 0.0 ? -1.0 : 1.0;
  return signs;
}

/// The median over rows, as the header has it; 0 where no row has more than rounding.
double typical_row(const std::vector<double>& diagonal, double center,
                   const std::vector<double>& signs, const std::vector<double>& product) {
  constexpr double rounding = 16.0 * std::numeric_limits<double>::epsilon();
  std::vector<double> sizes;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double off = std::abs(product[i] - signs[i] * diagonal[i]);
    const double size = std::max(off, std::abs(diagonal[i] - center));
    const bool counts = size > rounding * std::max(std::abs(diagonal[i]), std::abs(center));
    if (counts && std::isfinite(size)) sizes.push_back(size);
  }
  return sizes.empty() ? 0.0 : lower_median(sizes);
}

double matrix_scale(const LinearOperator& a, Backend& backend) {
  Communicator& ranks = backend.communicator();
  MultiVector x(backend, a.rows(), 1), y(backend, a.rows(), 1);
  const HostMatrix signs = random_signs(a.rows(), ranks);
  backend.upload(signs, x.view());
  a.apply(1.0, x.view(), 0.0, y.view());
  const std::vector<double> product = gathered(backend.download(y.view()), ranks);
  a.diagonal(y.view());
  const std::vector<double> diagonal = gathered(backend.download(y.view()), ranks);
  std::vector<double> sorted = diagonal;
  const double center = lower_median(sorted);
  const double size = typical_row(diagonal, center, gathered(signs, ranks), product);
  if (size > 0.0) return power_of_two_within(size);
  return center == 0.0 || !std::isfinite(center) ? 1.0 : power_of_two_within(std::abs(center));
}

}  // namespace

double scale_of(Units units, const LinearOperator& a, Backend& backend) {
  if (units == Units::none || units == Units::automatic) return matrix_scale(a, backend);
  return power_of_two_within(from_hartree(1.0, units));
}

}  // namespace cisolve
