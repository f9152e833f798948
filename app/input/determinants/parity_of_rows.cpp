#include "app/input/determinants/parity_of_rows.hpp"

namespace cisolve {

SpinInversion parity_of_rows(const RunConfig& config, const Determinants& determinants) {
  const std::optional<int> multiplicity = config.solver.multiplicity;
  if (config.input.spin_inversion != SpinInversion::all || !multiplicity ||
      config.task != Task::eigen || config.solver.project) {
    return config.input.spin_inversion;
  }
  const CiSpace* const space = determinants.ranges();
  const bool full = space != nullptr && !determinants.listed() && space->alpha.full;
  if (!full || determinants.active_integrals().unrestricted ||
      space->alpha.electrons != space->beta.electrons) {
    return SpinInversion::all;
  }
  return parity_of_multiplicity(*multiplicity);
}

SpinInversion parity_of_multiplicity(int multiplicity) {
  return multiplicity % 4 == 1 ? SpinInversion::even : SpinInversion::odd;
}

}  // namespace cisolve
