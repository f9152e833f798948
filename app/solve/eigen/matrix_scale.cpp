#include "app/solve/eigen/matrix_scale.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "backends/ranks/communicator.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "core/mixed.hpp"

namespace cisolve {
namespace {

constexpr int largest_exponent = 1000;
/// The unit of smaller elements would be too large for them.
const double smallest_unit = std::ldexp(1.0, -largest_exponent);

/// A power of two whose inverse is one, too.
double power_of_two_within(double x) {
  return std::ldexp(1.0, std::clamp(std::ilogb(x), -largest_exponent, largest_exponent));
}

double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Rows evenly spread over those of all ranks, a million at most: medians need no more, and of a
/// vector of all rows no rank may have room for the whole.
class Sample {
 public:
  Sample(Index rows, Communicator& ranks)
      : ranks_(ranks),
        first_(ranks.sum_before(rows)),
        stride_(1 + ranks.total(std::int64_t{rows}) / most) {}

  std::int64_t first() const { return first_; }
  /// The elements of a column there, of all ranks.
  std::vector<double> of(const HostMatrix& column) const {
    std::vector<double> mine;
    for (std::int64_t i = (stride_ - first_ % stride_) % stride_; i < column.rows(); i += stride_) {
      mine.push_back(column(i, 0));
    }
    return ranks_.gather(std::span<const double>(mine));
  }

 private:
  static constexpr std::int64_t most = 1'000'000;

  Communicator& ranks_;
  std::int64_t first_, stride_;
};

/// Numbers from −1 to 1 by row, whatever rank has it: no two that cancel.
HostMatrix random_weights(Index rows, std::int64_t first) {
  HostMatrix weights(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    weights(i, 0) = mixed_uniform(static_cast<std::uint64_t>(first + i));
  }
  return weights;
}

/// The median over rows, as the header has it; 0 where no row has more than rounding.
double typical_row(const std::vector<double>& diagonal, double center,
                   const std::vector<double>& weights, const std::vector<double>& product) {
  constexpr double rounding = 16.0 * std::numeric_limits<double>::epsilon();
  std::vector<double> sizes;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double off = 2.0 * std::abs(product[i] - weights[i] * diagonal[i]);
    const double size = std::max(off, std::abs(diagonal[i] - center));
    const bool counts = size > rounding * std::max(std::abs(diagonal[i]), std::abs(center));
    if (counts && std::isfinite(size)) sizes.push_back(size);
  }
  return sizes.empty() ? 0.0 : lower_median(std::move(sizes));
}

double matrix_scale(const LinearOperator& a, Backend& backend) {
  // Smallest scale, a millionth of which is above the diagonal's rounding.
  constexpr double least = 128.0 * std::numeric_limits<double>::epsilon() / 1e-6;
  const Sample sample(a.rows(), backend.communicator());
  MultiVector x(backend, a.rows(), 1), y(backend, a.rows(), 1);
  const HostMatrix random = random_weights(a.rows(), sample.first());
  backend.upload(random, x.view());
  a.apply(1.0, x.view(), 0.0, y.view());
  const std::vector<double> weights = sample.of(random);
  const std::vector<double> product = sample.of(backend.download(y.view()));
  a.diagonal(y.view());
  const std::vector<double> diagonal = sample.of(backend.download(y.view()));
  const double center = lower_median(diagonal);
  const double size = typical_row(diagonal, center, weights, product);
  if (size == 0.0 && a.rounding_error() > 0.0) {
    throw InputError(
        "spmv.off_diagonal: found float32, in which the elements of this matrix are zero, so small "
        "are they; expected float64");
  }
  if (0.0 < size && size < smallest_unit) {
    throw InputError(
        fmt::format("A: found rows of {:.1g}, of which double keeps few digits; multiply the "
                    "matrix by a power of two, and divide the eigenvalues by it",
                    size));
  }
  if (size > 0.0) return power_of_two_within(std::max(size, least * std::abs(center)));
  return center == 0.0 || !std::isfinite(center) ? 1.0 : power_of_two_within(std::abs(center));
}

}  // namespace

double scale_of(Units units, const LinearOperator& a, Backend& backend) {
  if (units == Units::none || units == Units::automatic) return matrix_scale(a, backend);
  if (unit_of_scale(units) == units) return 1.0;
  return power_of_two_within(from_hartree(1.0, units));
}

}  // namespace cisolve
