#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/eigen.hpp"
#include "cisolve/hamiltonian.hpp"
#include "cisolve/machine.hpp"

namespace cisolve {

/// End of a selection, in the Hamiltonian's unit. At most one of `determinants` and `epsilon` is
/// given.
struct SelectionSettings {
  std::optional<int> determinants;  ///< so many, the most important ones
  /// Least importance: every determinant a with |H_ai c_i| above it for a selected i is selected.
  std::optional<double> epsilon;
  /// Largest uncertainty of the extrapolated energies, if neither of these is given.
  double accuracy = 1e-3;
  /// Largest standard deviation of a second-order correction, part of which is sampled; 0: the
  /// whole correction is summed.
  double deviation = 1e-5;
  /// Natural orbitals, for restricted orbitals: once a list has a tenth of the determinants wanted,
  /// the lists begin anew over the natural orbitals of its states.
  bool natural = false;
};

/// Limit of an energy as its list grows to all determinants.
struct Extrapolation {
  double energy = 0.0;       ///< Hartree
  double uncertainty = 0.0;  ///< Hartree; an estimate, not a bound
  int points = 0;            ///< lists that were used
  double slope = 0.0;        ///< of the variational energy over the correction
};

/// A list of determinants that was selected, and its states, Hartree.
struct SelectedList {
  std::int64_t determinants = 0;  ///< how many
  /// Importance |H_ai c_i| of the least important one that this list added; 0 of the first list.
  double epsilon = 0.0;
  bool converged = false;           ///< the solve
  std::vector<double> energies;     ///< variational, of each state, core energy included
  std::vector<double> corrections;  ///< of second order (Epstein–Nesbet), to be added
  std::vector<double> deviations;   ///< standard deviation of each correction; 0: all was summed
  /// Limits of the states, from this list and those before; none: too few.
  std::vector<std::optional<Extrapolation>> limits;
  double seconds = 0.0;  ///< of selection, solve and corrections
  bool natural = false;  ///< over natural orbitals
  /// State of the previous list that each state continues, by overlap, from 0; −1: none. Empty for
  /// the first list.
  std::vector<int> continues;
};

/// Natural orbitals of a selection over the orbitals of its Hamiltonian, and integrals over them,
/// as in IntegralArrays. Frozen orbitals are unchanged.
struct NaturalIntegrals {
  int orbitals = 0;              ///< n
  std::vector<double> rotation;  ///< orbital j is Σ_p rotation[p n + j] φ_p
  std::vector<double> h1;        ///< n²
  std::vector<double> eri;       ///< pairs × pairs
  int electrons = 0;             ///< in all orbitals
  int ms2 = 0;                   ///< 2 M_s
  double core_energy = 0.0;      ///< as of the Hamiltonian
  std::vector<int> irreps;       ///< of each orbital, from 0; empty: none
  std::vector<int> frozen;       ///< those that are, from 1, as DeterminantSettings::frozen
};

/// Functions that watch a selection; empty ones are not called. If either returns false, the
/// selection ends as `cancelled` with the states that it has.
struct SelectionObserver {
  std::function<bool(const SelectedList&)> list = {};  ///< called after each list
  std::function<bool()> goes_on = {};                  ///< called often
};

/// Result of a selection.
struct Selection {
  Eigenstates states;  ///< over the last list; their report has the lists, too
  /// The last list, in the order of the vectors' rows, over all orbitals of the Hamiltonian, frozen
  /// ones included: a list for DeterminantSettings.
  DeterminantArrays determinants;
  std::vector<SelectedList> lists;  ///< all, the first first
  bool complete = false;            ///< the Hamiltonian leads from the list to no other determinant
  std::string ended;                ///< why no more were selected, a sentence
  /// Natural orbitals of determinants and states, if the orbitals were rotated.
  std::optional<NaturalIntegrals> natural;
};

/// The lowest states over lists of determinants that grow by heat-bath selection (Holmes, Tubman,
/// Umrigar, J. Chem. Theory Comput. 2016, 12, 3674), with second-order corrections and extrapolated
/// energies. `settings.restart` is the checkpoint of a selection; a projector and start vectors are
/// refused. If memory runs out, the result is that of the last list that had room, and `ended` and
/// the states' notes say why. Throws InputError, also without determinants, and ResourceError if
/// the first list has no room.
Selection select_states(const Hamiltonian& hamiltonian, const EigenSettings& settings = {},
                        const SelectionSettings& selection = {},
                        const Call<SelectionObserver>& call = {});

}  // namespace cisolve
