#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/beta_ranges.hpp"

namespace cisolve {

/// Orbitals of three ranges: RAS1, RAS3 and RAS2, the others. A determinant has at most so many
/// holes in RAS1 and so many electrons in RAS3, both spins together (Olsen, Roos, Jorgensen,
/// Jensen, J. Chem. Phys. 89, 2185, 1988).
struct RestrictedActiveSpace {
  OrbitalString ras1, ras3;
  int holes = 0, particles = 0;
};

/// Which determinants a calculation takes.
struct CiSpaceOptions {
  /// Highest excitation rank from the reference determinant; none: full CI.
  std::optional<int> max_excitation;
  /// Irrep of the determinants, 0-based in the file's ORBSYM order; none: all irreps.
  std::optional<int> irrep;
  /// Determinants there may be.
  std::int64_t most = std::numeric_limits<Index>::max();
  /// In the place of excitations from the reference determinant.
  std::optional<RestrictedActiveSpace> ras = {};
};

/// The alpha and the beta string of a determinant.
using Determinant = std::array<OrbitalString, 2>;

class RangeLists;

/// Determinants |αβ⟩ = (alpha creation operators, ascending)(beta ones, ascending)|vacuum⟩, ordered
/// by alpha string, then beta string: a DeterminantSpace of which the beta strings of an alpha
/// string are ranges, the same for all alpha strings of a group.
class CiSpace {
 public:
  StringSpace alpha, beta;
  std::vector<std::string> notes;  ///< what the user should know: reference determinant …

  /// While the space lives and does not change.
  RangeDeterminants determinants_of(Index a) const {
    const int group = alpha.group_of[a];
    const Index begin = first_range(group);
    return {{ranges_.data() + begin, static_cast<std::size_t>(first_range(group + 1) - begin)},
            row_begin_[a]};
  }
  /// All rows in blocks of at most so many, of a range and of one group of beta strings each: what
  /// RangeLists reach then holds for all.
  std::vector<RowBlock> row_blocks(Index most) const;
  /// True if the beta strings of every alpha string are one range; a group's number is its range's
  /// then.
  bool has_single_ranges() const { return ranges() == alpha.groups(); }
  /// Number of the determinant of these strings; −1 where it is not in the space.
  std::int64_t row(Index a, Index b) const { return determinants_of(a).find(b); }
  /// The alpha string of a determinant of that number.
  Index alpha_of(std::int64_t row) const;

  std::int64_t size() const { return row_begin_.empty() ? 0 : row_begin_.back(); }
  /// The determinant of that number.
  Determinant determinant(std::int64_t row) const;
  bool holds(const Determinant& determinant) const;
  Determinant reference() const { return {alpha.reference, beta.reference}; }

  /// Numbers the determinants once the strings are there: `ranges_of(group)` gives the ranges of
  /// beta strings that go with a group of alpha strings, ascending; `before` is set here.
  void number(const std::function<std::vector<BetaRange>(int)>& ranges_of);

 private:
  friend RangeLists;
  /// Ranges of all groups of alpha strings together, and the number of the first of one.
  Index ranges() const { return static_cast<Index>(ranges_.size()); }
  Index first_range(int alpha_group) const { return range_begin_[alpha_group]; }

  std::vector<BetaRange> ranges_;        ///< group of alpha strings by group
  std::vector<Index> range_begin_;       ///< alpha.groups() + 1
  std::vector<std::int64_t> row_begin_;  ///< alpha.size() + 1
};

/// Numbers of alpha and beta electrons. Throws InputError when there are no electrons, M_s does not
/// fit them, they do not fit the orbitals, or there are more orbitals than a string has.
std::array<int, 2> electron_numbers(const Integrals& integrals);

/// Occupied orbitals of the reference determinant, lowest orbital energies first: the file's
/// energies where it has them, else the diagonal of the Fock operator of the determinant itself,
/// iterated from the one-electron diagonal until an occupation repeats; from there, electrons (or
/// an orbital's pair) move one at a time while the determinant's energy falls. Ties go to the lower
/// orbital number. Throws as electron_numbers does.
Determinant reference_determinant(const Integrals& integrals);

/// Energies of the orbitals of each spin, Hartree: the file's where it has them, else the diagonal
/// of the Fock operator of the reference determinant. Throws as electron_numbers does.
std::array<std::vector<double>, 2> orbital_energies(const Integrals& integrals);

/// Fock diagonal of each spin, F_pp = h_pp + Σ_{i same spin} [(pp|ii) − (pi|pi)] + Σ_{j other spin}
/// (pp|jj), Hartree, i and j being the determinant's orbitals.
std::array<std::vector<double>, 2> fock_diagonal(const Integrals& integrals,
                                                 const Determinant& occupied);

/// ⟨D|Ĥ|D⟩ in Hartree, core energy included.
double determinant_energy(const Integrals& integrals, const Determinant& determinant);

/// Number of determinants of each irrep, from 0, whatever irrep the options ask for, from numbers
/// of strings; one number without irreps. Throws as electron_numbers does.
std::vector<long double> count_determinants(const Integrals& integrals, CiSpaceOptions options);

/// All determinants of the space. Throws InputError when electrons do not fit the orbitals, M_s
/// does not fit the electrons, an irrep is asked of a file without symmetry, or no determinant is
/// left; when their number passes 2^31 − 1 the message gives it.
CiSpace make_ci_space(const Integrals& integrals, const CiSpaceOptions& options);

}  // namespace cisolve
