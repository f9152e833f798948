#include "solvers/eigen/progress.hpp"

#include <algorithm>

#include "core/infinity.hpp"

namespace cisolve {

void Progress::go_on_from(const SolverState& from) {
  first_iteration_ = iterations_ = from.iterations;
  probes_ = probes_before_ = from.probe_applications;
  products_before_ = from.operator_applications + from.probe_applications;
  seconds_before_ = from.seconds;
}

double Progress::seconds_left() const {
  const double limit = work_.options.time_limit;
  return limit > 0.0 ? limit - timer_.seconds() : infinity;
}

bool Progress::observe() {
  if (cancelled_) return false;
  if (!observer_) return true;
  energies_.clear();
  norms_.clear();
  int basis = 0;
  for (const Root& root : roots_.list()) {
    energies_.push_back(root.energy);
    norms_.push_back(work_.search(root.sector).norm(root.number));
  }
  for (const auto& search : work_.searches) basis = std::max(basis, search->size());
  shown_ = {iterations_,          basis,   energies_, norms_,           roots_.small_count(),
            products() - probes_, probes_, {},        timer_.seconds(), work_.a.seconds()};
  return observer_(shown_);
}

bool Progress::observe_correction() {
  constexpr double interval = 0.2;
  if (seconds_left() <= 0.0) return false;
  if (!observer_ || timer_.seconds() < shown_.seconds + interval) return true;
  shown_.operator_applications = products() - probes_;
  shown_.seconds = timer_.seconds();
  shown_.product_seconds = work_.a.seconds();
  shown_.correcting = true;
  cancelled_ = !observer_(shown_);
  return !cancelled_;
}

bool Progress::observe_search(std::int64_t before, const ExclusionProgress& search) {
  shown_.probe_applications = probes_before_ + before + search.products;
  shown_.exclusion = search;
  shown_.seconds = timer_.seconds();
  shown_.product_seconds = work_.a.seconds();
  return !observer_ || observer_(shown_);
}

}  // namespace cisolve
