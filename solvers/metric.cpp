#include "solvers/metric.hpp"

#include <algorithm>
#include <cmath>

namespace cisolve {

Metric::Metric(Workspace& work, double sigma) : work_(work) {
  constexpr double part_of_spread = 3e-3, part_of_size = 1e-3;
  diagonal_ = work.backend.download(work.diagonal.view());
  const double lowest = diagonal_.minCoeff(), highest = diagonal_.maxCoeff();
  const double size = std::max(std::abs(highest - sigma), std::abs(lowest - sigma));
  smallest_ = std::max({part_of_spread * (highest - lowest), part_of_size * size, 1e-300});
  diagonal_ = (diagonal_.array() - sigma).max(smallest_);
  largest_ = diagonal_.maxCoeff();
  device_diagonal_ = MultiVector(work.backend, work.rows, 1);
  for (int s = 0; s < work.sectors(); ++s) {
    const HostVector& levels = work.search(s).levels();
    levels_.push_back((levels.array() - sigma).abs().max(smallest_).matrix());
    if (levels.size() > 0) largest_ = std::max(largest_, levels_.back().maxCoeff());
    device_levels_.emplace_back(work.backend, static_cast<Index>(levels.size()), 1);
  }
  upload([](const HostMatrix& m) -> HostMatrix { return -m; });
}

void Metric::multiply_by_root(View u) {
  upload([](const HostMatrix& m) -> HostMatrix { return -m.array().sqrt().inverse(); });
  for (int s = 0; s < work_.sectors(); ++s) divide(s, work_.part(u, s));
  upload([](const HostMatrix& m) -> HostMatrix { return -m; });
}

void Metric::divide(int s, View t) {
  work_.search(s).divide(work_.part(device_diagonal_.view(), s), device_levels_[s].view(), t);
}

/// `divide` will divide by −f(M).
void Metric::upload(const std::function<HostMatrix(const HostMatrix&)>& f) {
  work_.backend.upload(f(diagonal_), device_diagonal_.view());
  for (int s = 0; s < work_.sectors(); ++s) {
    if (levels_[s].rows() > 0) work_.backend.upload(f(levels_[s]), device_levels_[s].view());
  }
}

}  // namespace cisolve
