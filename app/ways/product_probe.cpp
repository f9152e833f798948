#include "app/ways/product_probe.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/error.hpp"
#include "core/mixed.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

constexpr int pairs_to_estimate = 5;

/// ±[1/2, 1): far from zero, so that no row is told little of, and of many values, so that no two
/// elements that differ cancel.
double random_element(std::uint64_t number) {
  const double u = mixed_uniform(number);
  return 0.5 * (u < 0.0 ? u - 1.0 : u + 1.0);
}

/// Products with two random vectors at a time, and what they tell of every row.
class Probe {
 public:
  explicit Probe(const CallersProduct& product)
      : product_(product), rows_(product.numbers()), x_(2 * rows_), image_(2 * rows_) {}

  void multiply(int pair) {
    const std::uint64_t first = std::uint64_t{2} * rows_ * pair;
#pragma omp parallel for if (worth_threads(rows_)) schedule(static)
    for (Offset i = 0; i < 2 * rows_; ++i) x_[i] = random_element(first + i);
    std::ranges::fill(image_, 0.0);
    product_.multiply(x_.data(), image_.data(), 2);
    double largest = 0.0;
    for (const double y : image_) {
      if (!std::isfinite(y)) throw InputError("A: its product with a random vector is not finite");
      largest = std::max(largest, std::abs(y));
    }
    if (scale_ == 0.0) scale_ = largest;  // so that squares are finite
    if (scale_ > 0.0) {
      for (double& y : image_) y /= scale_;
    }
  }

  /// Throws InputError unless yᵀ(Ax) = xᵀ(Ay) up to rounding, also of single precision. If ‖A - Aᵀ‖
  /// is f‖A‖, the two differ by about f‖Ax‖‖y‖/√n.
  void require_symmetric() const {
    constexpr double tolerance = 1e-5;
    double there = 0.0, back = 0.0, x = 0.0, y = 0.0, ax = 0.0, ay = 0.0;
#pragma omp parallel for if (worth_threads(rows_)) schedule(static) \
    reduction(+ : there, back, x, y, ax, ay)
    for (Offset i = 0; i < rows_; ++i) {
      there += x_[2 * i + 1] * image_[2 * i];
      back += x_[2 * i] * image_[2 * i + 1];
      x += x_[2 * i] * x_[2 * i];
      y += x_[2 * i + 1] * x_[2 * i + 1];
      ax += image_[2 * i] * image_[2 * i];
      ay += image_[2 * i + 1] * image_[2 * i + 1];
    }
    const double size = (std::sqrt(x * ay) + std::sqrt(y * ax)) / std::sqrt(double(rows_));
    if (std::abs(there - back) <= tolerance * size) return;
    throw InputError(
        fmt::format("A: found y'(Ax) = {:.9g} and x'(Ay) = {:.9g} for random vectors x and y, "
                    "expected the same: its products are not those of a symmetric matrix",
                    scale_ * there, scale_ * back));
  }

  void add_to_estimate() {
    sums_.resize(rows_);
#pragma omp parallel for if (worth_threads(rows_)) schedule(static)
    for (Offset i = 0; i < rows_; ++i) {
      for (Offset e = 2 * i; e < 2 * i + 2; ++e) {
        const double weight = x_[e] * x_[e], t = x_[e] * image_[e];
        Sums& s = sums_[i];
        s.weights += weight;
        s.squares += weight * weight;
        s.t += t;
        s.t_weighted += t * weight;
        s.t_squared += t * t;
      }
    }
    count_ += 2;
  }

  std::vector<double> estimate() const {
    std::vector<double> made(rows_), error(rows_);
    double mean = 0.0, spread = 0.0, errors = 0.0;
    for (Offset i = 0; i < rows_; ++i) {
      const Sums& s = sums_[i];
      const double d = s.t / s.weights;
      // Σ (t − d v²)²
      const double rest = s.t_squared - 2.0 * d * s.t_weighted + d * d * s.squares;
      made[i] = d;
      error[i] = std::sqrt(std::max(rest, 0.0) * count_ / (count_ - 1)) / s.weights;
      mean += d / static_cast<double>(rows_);
    }
    for (Offset i = 0; i < rows_; ++i) {
      spread += (made[i] - mean) * (made[i] - mean);
      errors += error[i] * error[i];
    }
    const double kept = spread > errors ? 1.0 - errors / spread : 0.0;
    for (Offset i = 0; i < rows_; ++i) {
      made[i] = mean + kept * (made[i] - mean) + (kept > 0.0 ? 2.0 * error[i] : 0.0);
      made[i] *= scale_;
    }
    return made;
  }

 private:
  /// Sums over the vectors of a row's elements v and t = v (Av): Σ v², Σ v⁴, Σ t, Σ t v², Σ t².
  struct Sums {
    double weights = 0.0, squares = 0.0, t = 0.0, t_weighted = 0.0, t_squared = 0.0;
  };

  const CallersProduct& product_;
  Offset rows_;
  std::vector<double> x_, image_;
  std::vector<Sums> sums_;
  double scale_ = 0.0;
  int count_ = 0;
};

/// The mean of the estimates of an element's components.
std::vector<double> over_rows(const std::vector<double>& of_components, int d) {
  std::vector<double> made(of_components.size() / d, 0.0);
  for (std::size_t i = 0; i < of_components.size(); ++i) made[i / d] += of_components[i] / d;
  return made;
}

}  // namespace

std::vector<double> probed_diagonal(const CallersProduct& product) {
  Probe probe(product);
  probe.multiply(0);
  probe.require_symmetric();
  if (!product.diagonal.empty()) return product.diagonal;
  probe.add_to_estimate();
  for (int pair = 1; pair < pairs_to_estimate; ++pair) {
    probe.multiply(pair);
    probe.require_symmetric();
    probe.add_to_estimate();
  }
  return over_rows(probe.estimate(), product.components);
}

}  // namespace cisolve
