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

/// Where a selection ends, in the Hamiltonian's unit; at most one of `determinants` and `epsilon`
/// is given.
struct SelectionSettings {
  std::optional<int> determinants;  ///< so many, the most important ones
  /// All that a selected determinant i leads to by |H_ai c_i| above this.
  std::optional<double> epsilon;
  /// Without either: where the uncertainty of every extrapolated energy is at most this.
  double accuracy = 1e-3;
  /// Standard deviation that a second-order correction may have, as part of it is sampled; 0: all
  /// of it is summed.
  double deviation = 1e-5;
  /// The lists begin anew, once one has a tenth of what is wanted, over the natural orbitals of its
  /// states. Of restricted orbitals.
  bool natural = false;
};

/// Where an energy goes as its list grows to all determinants.
struct Extrapolation {
  double energy = 0.0;       ///< Hartree
  double uncertainty = 0.0;  ///< the same; an estimate, and no bound
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
  /// Of each state the one of the list before that it continues, by overlap, from 0; −1: none.
  /// Empty of the first list.
  std::vector<int> continues;
};

/// Natural orbitals of a selection over those of its Hamiltonian, and the integrals over them, as
/// IntegralArrays takes them; frozen orbitals stay what they are.
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

/// Who watches a selection; what is left out is not called. Where either answers false, the
/// selection ends, `cancelled`, with the states that it has.
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
  /// Where the orbitals were rotated: determinants and states are over these.
  std::optional<NaturalIntegrals> natural;
};

/// The lowest states over lists of determinants that grow by heat-bath selection (Holmes, Tubman,
/// Umrigar, J. Chem. Theory Comput. 2016, 12, 3674), with second-order corrections and extrapolated
/// energies. `settings.restart` is the checkpoint of a selection; a projector and start vectors are
/// refused. Where there is no room to go on, the result is of the last list that had it, and
/// `ended` and the states' notes say why. Throws InputError, where there are no determinants too,
/// and ResourceError where the first list has no room.
Selection select_states(const Hamiltonian& hamiltonian, const EigenSettings& settings = {},
                        const SelectionSettings& selection = {},
                        const Call<SelectionObserver>& call = {});

}  // namespace cisolve
