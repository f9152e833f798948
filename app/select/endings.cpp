#include "app/select/endings.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace cisolve {
namespace {

/// Determinants of the last list that the one before has not.
std::int64_t last_added(const std::vector<SelectionStep>& steps) {
  const SelectionStep& last = steps.back();
  const bool first = steps.size() == 1 || steps[steps.size() - 2].natural != last.natural;
  return last.determinants - (first ? 0 : steps[steps.size() - 2].determinants);
}

bool knows_energies(const SelectionStep& last, double accuracy) {
  const auto sure = [&](const auto& limit) { return limit && limit->uncertainty <= accuracy; };
  const auto small = [](double coefficient) { return coefficient <= large_coefficient; };
  return last.converged && std::ranges::all_of(last.limits, sure) &&
         std::ranges::all_of(last.correction.coefficients, small);
}

}  // namespace

std::string ending_of(const SelectionOutcome& outcome, const SelectionSettings& wanted) {
  const SelectionStep& last = outcome.steps.back();
  if (outcome.complete) return "the Hamiltonian leads to no other determinant";
  if (wanted.determinants) {
    if (last.determinants < *wanted.determinants) return "";
    return fmt::format("{} determinants were asked for", *wanted.determinants);
  }
  if (wanted.epsilon) {
    const std::int64_t added = last_added(outcome.steps);
    if (last.epsilon > *wanted.epsilon || 1000 * added > last.determinants) return "";
    return fmt::format("all that is more important than {:.1e} was added, {} determinants at last",
                       *wanted.epsilon, added);
  }
  if (!knows_energies(last, wanted.accuracy)) return "";
  return fmt::format("energies are known to {:.1e}", wanted.accuracy);
}

bool tells_of_orbitals(const SelectionStep& last, const SelectionSettings& wanted) {
  constexpr std::int64_t enough = 100000;  // determinants
  constexpr double before = 10.0;
  if (last.determinants >= enough) return true;
  if (wanted.determinants) return before * last.determinants >= *wanted.determinants;
  if (wanted.epsilon) return last.epsilon > 0.0 && last.epsilon <= before * *wanted.epsilon;
  return std::ranges::all_of(last.limits, [&](const auto& limit) {
    return limit && limit->uncertainty <= before * wanted.accuracy;
  });
}

}  // namespace cisolve
