#include "solvers/linear/spectrum/model_levels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cisolve {
namespace {

/// A measure of all of one, by its quadrature.
class Measure {
 public:
  Measure(const HostVector& nodes, const HostVector& weights, double least_power) {
    double before = 0.0;
    for (Eigen::Index i = 0; i < nodes.size(); ++i) {
      places_.push_back(nodes[i]);
      up_to_.push_back(before + 0.5 * weights[i]);
      before += weights[i];
    }
    const std::size_t third = std::min<std::size_t>(2, places_.size() - 1);
    power_ = std::log(up_to_[third] / up_to_[0]) / std::log(places_[third] / places_[0]);
    power_ = std::clamp(power_, least_power, largest_power);
    const double last_gap = places_.size() > 1 ? places_.back() - *(places_.rbegin() + 1) : 0.0;
    places_.push_back(places_.back() + 0.3 * last_gap);
    up_to_.push_back(1.0);
  }

  double up_to(double place) const {
    if (place <= places_[0]) return up_to_[0] * std::pow(place / places_[0], power_);
    return between(places_, up_to_, place);
  }
  double place_of(double part) const {
    if (part <= up_to_[0]) return places_[0] * std::pow(part / up_to_[0], 1.0 / power_);
    return between(up_to_, places_, part);
  }

 private:
  static constexpr double largest_power = 3.0;

  /// y at x on the line through the points.
  static double between(const std::vector<double>& xs, const std::vector<double>& ys, double x) {
    const auto above = std::ranges::upper_bound(xs, x);
    if (above == xs.end()) return ys.back();
    const auto i = static_cast<std::size_t>(above - xs.begin());
    const double width = xs[i] - xs[i - 1];
    return width > 0.0 ? ys[i - 1] + (ys[i] - ys[i - 1]) * (x - xs[i - 1]) / width : ys[i];
  }

  std::vector<double> places_, up_to_;
  double power_ = 1.0;
};

/// For each level the part of all n up to and with it.
std::vector<double> quantiles(std::int64_t rows, int most) {
  const auto n = static_cast<double>(rows);
  std::vector<double> made;
  if (rows <= most) {
    for (int j = 1; j <= rows; ++j) made.push_back(j / n * (1.0 - 0.5 / n));
    return made;
  }
  const int lowest = most / 2, others = most - lowest;
  for (int j = 1; j <= lowest; ++j) made.push_back(j / n);
  const double step = (1.0 - lowest / n) / others;
  for (int j = 0; j < others; ++j) made.push_back(lowest / n + (j + 0.5) * step);
  return made;
}

}  // namespace

bool is_open_below(const JacobiSpectrum& spectrum) {
  constexpr double half = 0.5 * (1.0 + 1e-12);
  return spectrum.definite && !spectrum.exhausted && spectrum.random_nodes.size() > 2 &&
         spectrum.nodes[0] > 0.0 && spectrum.random_nodes[0] > 0.0 &&
         spectrum.interval.lowest <= half * spectrum.lowest_node;
}

Levels model_levels(const JacobiSpectrum& spectrum, std::int64_t rows, int most) {
  const Measure of_levels(spectrum.random_nodes, spectrum.random_weights, 0.3);
  const Measure of_b(spectrum.nodes, spectrum.weights, 0.02);
  const std::vector<double> parts = quantiles(rows, most);
  const auto n = std::ssize(parts);
  Levels levels{HostVector(n), HostVector(n)};
  for (std::int64_t j = 0; j < n; ++j) levels.values[j] = of_levels.place_of(parts[j]);
  constexpr double least = 1e-32;  // of b: what rounding brings in
  double before = 0.0;
  for (std::int64_t j = 0; j < n; ++j) {
    const bool last = j + 1 == n;
    const double up_to =
        last ? 1.0 : of_b.up_to(std::sqrt(levels.values[j] * levels.values[j + 1]));
    levels.parts[j] = std::sqrt(std::max(least, up_to - before));
    before = up_to;
  }
  return levels;
}

}  // namespace cisolve
