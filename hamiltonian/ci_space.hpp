#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "hamiltonian/integrals.hpp"
#include "hamiltonian/string_space.hpp"

namespace cisolve {

/// Which determinants a calculation takes.
struct CiSpaceOptions {
  /// Highest excitation rank from the reference determinant; none: full CI.
  std::optional<int> max_excitation;
  /// Irrep of the determinants, 0-based in the file's ORBSYM order; none: all irreps.
  std::optional<int> irrep;
};

/// The alpha and the beta string of a determinant.
using Determinant = std::array<OrbitalString, 2>;

/// Determinants |αβ⟩ = (alpha creation operators, ascending)(beta ones, ascending)|vacuum⟩, ordered
/// by alpha string, then beta string: determinant (a, b) has number
/// row_begin[a] + (b − beta_begin[a]), b in [beta_begin[a], beta_end[a]).
struct CiSpace {
  StringSpace alpha, beta;
  std::vector<Index> beta_begin, beta_end;  ///< per alpha string
  std::vector<std::int64_t> row_begin;      ///< alpha.size() + 1
  std::vector<std::string> notes;  ///< what the user should know: reference determinant …

  std::int64_t size() const { return row_begin.empty() ? 0 : row_begin.back(); }
  /// Number of the determinant of these strings, which must be one of the space.
  std::int64_t row(Index a, Index b) const { return row_begin[a] + (b - beta_begin[a]); }
  /// The determinant of that number.
  Determinant determinant(std::int64_t row) const;
  bool holds(const Determinant& determinant) const;
  Determinant reference() const { return {alpha.reference, beta.reference}; }
};

/// Numbers of alpha and beta electrons. Throws InputError when there are no electrons, M_s does not
/// fit them, they do not fit the orbitals, or there are more than 64 orbitals.
std::array<int, 2> electron_numbers(const Integrals& integrals);

/// Occupied orbitals of the reference determinant, lowest orbital energies first: the file's
/// energies where it has them, else the diagonal of the Fock operator of the determinant itself,
/// iterated from the one-electron diagonal until an occupation repeats; from there, electrons (or
/// an orbital's pair) move one at a time while the determinant's energy falls. Ties go to the lower
/// orbital number. Throws as electron_numbers does.
Determinant reference_determinant(const Integrals& integrals);

/// ⟨D|Ĥ|D⟩ in Hartree, core energy included.
double determinant_energy(const Integrals& integrals, const Determinant& determinant);

/// All determinants of the space. Throws InputError when electrons do not fit the orbitals, M_s
/// does not fit the electrons, an irrep is asked of a file without symmetry, or no determinant is
/// left; when their number passes 2^31 − 1 the message gives it.
CiSpace make_ci_space(const Integrals& integrals, const CiSpaceOptions& options);

/// The orbitals that stay, in the file's order: those in `active`, or all when that is empty, but
/// the frozen ones. All are 0-based. Throws InputError on a repeated or missing orbital.
std::vector<int> active_orbitals(int orbitals, const std::vector<int>& frozen,
                                 const std::vector<int>& active);

/// Integrals over the active orbitals alone: `frozen` ones (0-based) are doubly occupied, their
/// energy goes into the core energy and their field into h; of the others those in `active` stay
/// (all when empty), in the file's order. Throws InputError on a repeated or missing orbital or
/// too few electrons.
Integrals restrict_orbitals(const Integrals& integrals, const std::vector<int>& frozen,
                            const std::vector<int>& active);

}  // namespace cisolve
