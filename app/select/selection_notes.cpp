#include "app/select/selection_notes.hpp"

#include <spdlog/fmt/fmt.h>

#include <cmath>

#include "app/select/endings.hpp"
#include "core/text/text.hpp"

namespace cisolve {
namespace {

/// "5 was 6, 6 was 5": states that continue others; empty: none does.
std::string crossings_of(const SelectionStep& step) {
  std::vector<std::string> all;
  for (std::size_t j = 0; j < step.continues.size(); ++j) {
    const int before = step.continues[j];
    if (before < 0) {
      all.push_back(fmt::format("{} is none of those", j + 1));
    } else if (std::abs(step.energies[j] - step.energies[before]) >
               1e-3 * std::abs(step.correction.energies[j])) {
      all.push_back(fmt::format("{} was {}", j + 1, before + 1));
    }
  }
  return joined(all, ", ");
}

}  // namespace

std::vector<std::string> notes_of_coefficients(const SelectionStep& step) {
  std::vector<std::string> notes;
  const std::vector<double>& largest = step.correction.coefficients;
  for (std::size_t j = 0; j < largest.size(); ++j) {
    if (largest[j] <= large_coefficient) continue;
    notes.push_back(fmt::format(
        "state {}: a determinant outside the list has the first-order coefficient {:.2f}: its "
        "correction means little; more determinants may mend that",
        j + 1, largest[j]));
  }
  return notes;
}

std::vector<std::string> notes_of_crossings(const std::vector<SelectionStep>& steps) {
  std::vector<std::string> notes;
  for (const SelectionStep& step : steps) {
    const std::string which = crossings_of(step);
    if (which.empty()) continue;
    notes.push_back(
        fmt::format("states crossed between the list of {} determinants and the one before: {}; "
                    "extrapolations follow the state",
                    step.determinants, which));
  }
  return notes;
}

std::vector<std::string> notes_of_orbitals(const SelectionOutcome& outcome, bool wanted) {
  if (!outcome.natural) {
    if (!wanted) return {};
    return {"orbitals were not rotated: the selection ended before"};
  }
  std::string note =
      "orbitals were rotated to natural ones: determinants, vectors and densities are over these";
  if (const std::vector<int>& frozen = outcome.natural->frozen; !frozen.empty()) {
    const auto number = [](int orbital) { return std::to_string(orbital + 1); };
    note += "; those that are frozen are " + joined(frozen, ", ", number) + " (input.frozen)";
  }
  return {note};
}

}  // namespace cisolve
