#include <algorithm>
#include <cmath>
#include <span>

#include "core/infinity.hpp"
#include "solvers/eigen/lower/exclusion_search.hpp"
#include "solvers/eigen/lower/lanczos_bound.hpp"
#include "solvers/eigen/lower/sturm_bound.hpp"
#include "solvers/eigen/steps/krylov.hpp"

// Evidence from the recurrences of a Krylov space on states that it did not find.

namespace cisolve {
namespace {

/// The energies not above `end`; they ascend.
std::span<const double> below(const Eigen::Ref<const HostVector>& energies, double end) {
  const auto last = std::ranges::upper_bound(energies, end);
  return {energies.data(), static_cast<std::size_t>(last - energies.begin())};
}

}  // namespace

bool Krylov::excludes_others(int s, std::span<const double> known, double width, double end) const {
  const int components = work_.backend.components();
  const double probability = 0.5 * work_.options.exclusion_probability / work_.sectors();
  const double needed = LanczosBound::needed(static_cast<double>(components) * work_.rows_of(s),
                                             probability, starts_, components);
  return std::ranges::all_of(parts_[s].of_start, [&](const LanczosRecurrence& r) {
    return r.can_tell() && cisolve::excludes_others({r.alpha, r.beta}, known, width, end, needed);
  });
}

/// True if that is so of the Ritz values, the highest state being that of as many levels as states.
bool Krylov::excludes_lower() const {
  const double end = lowest_[work_.options.states - 1].first - 2.0 * finest_gap;
  for (int s = 0; s < work_.sectors(); ++s) {
    const std::span known = below(parts_[s].of_start[0].values, end);
    if (!excludes_others(s, known, finest_gap, end)) return false;
  }
  return true;
}

double Krylov::excluded_gap(const Roots& roots) const {
  if (parts_.empty() || rounded_) return infinity;
  const double width = std::max(finest_gap, roots.residual_norm()), gap = 2.0 * width;
  return work_.ranks().of_first(excludes_lower(roots, width, roots.highest() - gap) ? gap
                                                                                    : infinity);
}

/// True if that is so of the states, up to `end`.
bool Krylov::excludes_lower(const Roots& roots, double width, double end) const {
  for (int s = 0; s < work_.sectors(); ++s) {
    const std::span known = below(work_.search(s).values().head(roots.wanted(s)), end);
    const auto is_simple = [&](double energy) {
      return std::ranges::any_of(parts_[s].simple,
                                 [&](double level) { return std::abs(level - energy) <= width; });
    };
    if (!std::ranges::all_of(known, is_simple)) return false;
    if (!excludes_others(s, known, width, end)) return false;
  }
  return true;
}

}  // namespace cisolve
