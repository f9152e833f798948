#include "solvers/eigen/steps/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/dense/host_matrix.hpp"
#include "core/infinity.hpp"

namespace cisolve {
namespace {

/// Numbers read or written by an iteration of Davidson's method beside its product, with k new
/// vectors for a basis of m (Subspace). The constant stands for about 50 µs an iteration on a CPU,
/// for matrices of m rows and many small steps. On a GPU, which moves numbers a hundred times
/// faster, it is too small.
double iteration_traffic(double n, int m, int k) {
  return n * (7.0 * m + 20.0 * k) + 150'000.0;
}

// Levels of A_PP that differ by no more count as one, in units of the scale.
constexpr double degenerate = 1e-8;

/// True if A_PP has but one level, and more than the block takes: the diagonal tells nothing of the
/// lowest states, and the start vectors are as good as others.
bool start_is_arbitrary(const Workspace& work) {
  double lowest = infinity, highest = -infinity;
  Index count = 0;
  for (int s = 0; s < work.sectors(); ++s) {
    const HostVector& levels = work.search(s).levels();  // ascending
    if (levels.size() == 0) continue;
    lowest = std::min(lowest, levels[0]);
    highest = std::max(highest, levels[levels.size() - 1]);
    count += levels.size();
  }
  return count > work.block && highest - lowest <= degenerate;
}

}  // namespace

Outlook::Outlook(Workspace& work)
    : work_(work),
      numbers_(work.a.product_numbers()),
      n_(static_cast<double>(work.backend.components()) * work.all_rows) {
  pace_.gains.resize(start_is_arbitrary(work) ? 2 : 8);
}

void Outlook::follow(const Roots& roots) {
  const double norm = roots.residual_norm();
  if (pace_.norm > 0.0) {
    ++pace_.iterations;
    // A norm that rises, where a lower state comes into sight, is no loss.
    const bool falls = 0.0 < norm && norm < pace_.norm;
    const double gain = falls ? std::log(pace_.norm / norm) : 0.0;
    pace_.gains[pace_.iterations % pace_.gains.size()] = gain;
    pace_.gained += gain;
  }
  pace_.norm = norm;
}

void Outlook::leave_out_next() {
  pace_.norm = 0.0;
}

double Outlook::gain() const {
  const double mean = pace_.gained / pace_.iterations;
  const double last = std::accumulate(pace_.gains.begin(), pace_.gains.end(), 0.0) /
                      static_cast<double>(pace_.gains.size());
  return std::max(mean, last);
}

double Outlook::best_gain() const {
  return *std::ranges::max_element(pace_.gains);
}

double Outlook::iteration() const {
  return product(work_.block) + iteration_traffic(n_, work_.basis.columns(), work_.block);
}

/// An element of d numbers and its column once, and what it is multiplied with.
double Outlook::product(int columns) const {
  const int d = work_.backend.components();
  return numbers_.value_or(0.0) * (d + 0.5 + 0.5 * d * columns) + 2.0 * n_ * columns;
}

double Outlook::value(int number, const Roots& roots) {
  values_.clear();
  for (int s = 0; s < work_.sectors(); ++s) {
    const auto known = work_.search(s).values();
    values_.insert(values_.end(), known.data(), known.data() + known.size());
  }
  const auto place = std::min<std::size_t>(number, values_.size() - 1);
  std::ranges::nth_element(values_, values_.begin() + static_cast<std::ptrdiff_t>(place));
  return std::max(values_[place], roots.highest());
}

double Outlook::growth(double theta, double a) {
  return std::acosh(1.0 + 2.0 * std::max(a - theta, 0.0) / (end() - a));
}

bool Outlook::has_interval(const Roots& roots, double a) {
  return end() - a > 1e-3 * (end() - roots.highest());
}

double Outlook::end() {
  if (!end_) end_ = work_.backend.extremes(work_.diagonal.view()).second;
  return *end_;
}

void Outlook::take_pace(const Pace& pace) {
  if (pace.gains.size() == pace_.gains.size()) pace_ = pace;
}

}  // namespace cisolve
