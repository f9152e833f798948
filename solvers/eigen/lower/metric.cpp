#include "solvers/eigen/lower/metric.hpp"

#include <algorithm>
#include <cmath>

namespace cisolve {

Metric::Metric(Workspace& work, double sigma) : work_(work), sigma_(sigma) {
  constexpr double part_of_spread = 3e-3, part_of_size = 1e-3;
  // A few elements that are further away than that say nothing of the others' distances.
  constexpr double far = 1e6, smallest_distance = 1e-12;
  const auto [lowest, highest] = work.backend.extremes(work.diagonal.view());
  const double size = std::max(std::abs(highest - sigma), std::abs(lowest - sigma));
  least_ = std::max({part_of_spread * std::min(highest - lowest, far),
                     part_of_size * std::min(size, far), smallest_distance});
  smallest_ = std::max(lowest - sigma, least_);
  largest_ = std::max(highest - sigma, least_);
  device_diagonal_ = MultiVector(work.backend, work.rows, 1);
  for (int s = 0; s < work.sectors(); ++s) {
    const HostVector& levels = work.search(s).levels();
    levels_.push_back((levels.array() - sigma)
                          .abs()
                          .max(least_)
                          .matrix()
                          .replicate(work.backend.components(), 1));
    if (levels.size() > 0) {
      largest_ = std::max(largest_, levels_.back().maxCoeff());
      smallest_ = std::min(smallest_, levels_.back().minCoeff());
    }
    device_levels_.emplace_back(work.backend, static_cast<Index>(levels_.back().rows()), 1);
  }
  divide_by(Power::one);
}

void Metric::multiply_by_root(View u) {
  divide_by(Power::inverse_root);
  for (int s = 0; s < work_.sectors(); ++s) divide(s, work_.part(u, s), work_.part(u, s));
  divide_by(Power::one);
}

void Metric::divide(int s, ConstView r, View t) {
  work_.search(s).divide(work_.part(device_diagonal_.view(), s), device_levels_[s].view(), r, t);
}

/// Preconditioner::divide takes −M^p. M itself is not kept: it would be a vector more of memory.
void Metric::divide_by(Power p) {
  work_.backend.shifted_power(-1.0, work_.diagonal.view(), sigma_, least_, p,
                              device_diagonal_.view());
  for (int s = 0; s < work_.sectors(); ++s) {
    if (levels_[s].rows() == 0) continue;
    const auto minus_power = [p](double m) { return -power(p, m); };
    work_.backend.upload(HostMatrix(levels_[s].unaryExpr(minus_power)), device_levels_[s].view());
  }
}

}  // namespace cisolve
