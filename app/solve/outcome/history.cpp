#include "app/solve/outcome/history.hpp"

#include <algorithm>

namespace cisolve {
namespace {

/// Entries of so many states that are kept: some 100 000 numbers, but enough for a curve.
std::size_t longest_history_of(std::size_t states) {
  return std::clamp<std::size_t>(50'000 / std::max<std::size_t>(states, 1), 32, 512);
}

}  // namespace

void EigenHistory::add(const EigenIteration& iteration) {
  if (iteration.exclusion || iteration.correcting) return;
  if (!entries_.empty() && !is_kept(entries_.back())) entries_.pop_back();
  entries_.push_back({iteration.iteration,
                      iteration.operator_applications,
                      iteration.seconds,
                      {iteration.energies.begin(), iteration.energies.end()},
                      {iteration.residual_norms.begin(), iteration.residual_norms.end()}});
  if (entries_.size() < longest_history_of(iteration.energies.size())) return;
  every_ *= 2;
  const auto last = entries_.end() - 1;
  entries_.erase(
      std::remove_if(entries_.begin(), last, [&](const Entry& e) { return !is_kept(e); }), last);
}

}  // namespace cisolve
