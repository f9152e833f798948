#include "solvers/eigen/lower/metric.hpp"

#include <algorithm>
#include <cmath>

#include "core/host_matrix.hpp"
#include "core/parallel.hpp"

namespace cisolve {

Metric::Metric(Workspace& work, double sigma) : work_(work), sigma_(sigma) {
  constexpr double part_of_spread = 3e-3, part_of_size = 1e-3;
  {
    const HostMatrix d = work.backend.download(work.diagonal.view());
    const double lowest = d.minCoeff(), highest = d.maxCoeff();
    const double size = std::max(std::abs(highest - sigma), std::abs(lowest - sigma));
    smallest_ = std::max({part_of_spread * (highest - lowest), part_of_size * size, 1e-300});
    largest_ = std::max(highest - sigma, smallest_);
  }
  device_diagonal_ = MultiVector(work.backend, work.rows, 1);
  for (int s = 0; s < work.sectors(); ++s) {
    const HostVector& levels = work.search(s).levels();
    levels_.push_back((levels.array() - sigma).abs().max(smallest_).matrix());
    if (levels.size() > 0) largest_ = std::max(largest_, levels_.back().maxCoeff());
    device_levels_.emplace_back(work.backend, static_cast<Index>(levels.size()), 1);
  }
  upload([](double m) { return -m; });
}

void Metric::multiply_by_root(View u) {
  upload([](double m) { return -1.0 / std::sqrt(m); });
  for (int s = 0; s < work_.sectors(); ++s) divide(s, work_.part(u, s));
  upload([](double m) { return -m; });
}

void Metric::divide(int s, View t) {
  work_.search(s).divide(work_.part(device_diagonal_.view(), s), device_levels_[s].view(), t);
}

/// M where it is diagonal, n × 1; not kept, as it would be a vector more of memory.
HostMatrix Metric::diagonal() const {
  HostMatrix d = work_.backend.download(work_.diagonal.view());
#pragma omp parallel for schedule(static) if (worth_threads(work_.rows))
  for (Index i = 0; i < work_.rows; ++i) d(i, 0) = std::max(d(i, 0) - sigma_, smallest_);
  return d;
}

/// `divide` will divide by −f(M).
void Metric::upload(const std::function<double(double)>& f) {
  HostMatrix d = diagonal();
#pragma omp parallel for schedule(static) if (worth_threads(work_.rows))
  for (Index i = 0; i < work_.rows; ++i) d(i, 0) = f(d(i, 0));
  work_.backend.upload(d, device_diagonal_.view());
  for (int s = 0; s < work_.sectors(); ++s) {
    if (levels_[s].rows() == 0) continue;
    work_.backend.upload(HostMatrix(levels_[s].unaryExpr(f)), device_levels_[s].view());
  }
}

}  // namespace cisolve
