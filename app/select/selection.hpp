#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/prepare/context.hpp"
#include "app/solve/outcome/outcome.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/select/correction.hpp"
#include "hamiltonian/select/extrapolation.hpp"

namespace cisolve {

/// One list of a selection and its states.
struct SelectionStep {
  std::int64_t determinants = 0;
  /// Importance of the least important one that this step added, Hartree; 0 of the first list.
  double epsilon = 0.0;
  bool natural = false;          ///< over natural orbitals
  std::vector<double> energies;  ///< variational, of each state
  /// State of the previous list, over the same orbitals, that each state continues, by overlap,
  /// from 0; −1: none. Empty for the first list.
  std::vector<int> continues;
  bool converged = false;  ///< the solve
  Correction correction;
  /// Limits of the states, from this list and those before; none: too few.
  std::vector<std::optional<Extrapolation>> limits;
  struct {
    double select = 0.0, solve = 0.0, correct = 0.0;
  } seconds;
};

/// Natural orbitals that a selection went on with.
struct SelectionOrbitals {
  HostMatrix rotation;      ///< as columns over the orbitals of the Hamiltonian's file
  Integrals integrals;      ///< over them, all of them
  std::vector<int> frozen;  ///< which of them are, from 0
};

/// Result of a selection.
struct SelectionOutcome {
  std::vector<SelectionStep> steps;
  bool complete = false;  ///< the Hamiltonian leads from the list to no other determinant
  std::string ended;      ///< why no more were selected, a sentence
  std::vector<std::string> notes;
  std::optional<SelectionOrbitals> natural;  ///< where lists are over these at last
  /// A ResourceError, where the selection had no room to go on; `last` is of the last list that
  /// was finished.
  std::exception_ptr failure;
  EigenOutcome last;  ///< states of the last list, with its determinants
};

/// Who watches a selection.
struct SelectionObservers {
  Observers last;                 ///< of the solve over the last list; the first begins, too
  std::function<bool()> goes_on;  ///< asked often; false: the selection ends, cancelled
  std::function<bool(const SelectionStep&)> step;  ///< called after each; false: likewise
};

/// Lists of determinants that grow by heat-bath selection, the states of each, and their
/// second-order corrections. Throws InputError where the keys contradict each other or the model
/// has no determinants, ResourceError where the first list has no room.
SelectionOutcome select_determinants(const RunContext& context, const OpenModel& open,
                                     const SelectionObservers& observers);

}  // namespace cisolve
