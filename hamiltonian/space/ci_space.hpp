#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/string_space.hpp"

namespace cisolve {

/// Which determinants a calculation takes.
struct CiSpaceOptions {
  /// Highest excitation rank from the reference determinant; none: full CI.
  std::optional<int> max_excitation;
  /// Irrep of the determinants, 0-based in the file's ORBSYM order; none: all irreps.
  std::optional<int> irrep;
  /// Determinants there may be.
  std::int64_t most = std::numeric_limits<Index>::max();
};

/// The alpha and the beta string of a determinant.
using Determinant = std::array<OrbitalString, 2>;

/// The beta strings that make determinants of a space with one alpha string, ascending, and the
/// numbers of those determinants. Here they are one range of the beta strings, and so are their
/// numbers of the rows; only this class and CiSpace know it.
class BetaStrings {
 public:
  /// Iterates over indices of beta strings.
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = Index;
    Iterator() = default;
    explicit Iterator(Index b) : b_(b) {}
    Index operator*() const { return b_; }
    Iterator& operator++() {
      ++b_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(b_++); }
    bool operator==(const Iterator&) const = default;

   private:
    Index b_ = 0;
  };

  BetaStrings(Index first, Index last, std::int64_t first_row)
      : first_(first), last_(last), first_row_(first_row) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(last_); }
  Index size() const { return last_ - first_; }
  bool empty() const { return first_ == last_; }
  bool holds(Index b) const { return first_ <= b && b < last_; }
  /// The number of the determinant with that beta string, which must be one of these.
  std::int64_t row(Index b) const { return first_row_ + (b - first_); }

  // For loops that need that they are a range: [first, last), and row(b) = first_column() + b.
  Index first() const { return first_; }
  Index last() const { return last_; }
  /// May be negative.
  std::int64_t first_column() const { return first_row_ - first_; }

 private:
  Index first_, last_;
  std::int64_t first_row_;
};

/// Determinants |αβ⟩ = (alpha creation operators, ascending)(beta ones, ascending)|vacuum⟩, ordered
/// by alpha string, then beta string. Two questions are asked of it: which beta strings go with an
/// alpha string, and which number a determinant has.
class CiSpace {
 public:
  StringSpace alpha, beta;
  std::vector<std::string> notes;  ///< what the user should know: reference determinant …

  /// Those of alpha string a.
  BetaStrings betas(Index a) const {
    const std::int64_t first_row = row_begin_[a];
    return {beta_begin_[a], static_cast<Index>(beta_begin_[a] + (row_begin_[a + 1] - first_row)),
            first_row};
  }
  /// Number of the determinant of these strings, which must be one of the space.
  std::int64_t row(Index a, Index b) const { return betas(a).row(b); }
  /// The alpha string of a determinant of that number.
  Index alpha_of(std::int64_t row) const;

  std::int64_t size() const { return row_begin_.empty() ? 0 : row_begin_.back(); }
  /// The determinant of that number.
  Determinant determinant(std::int64_t row) const;
  bool holds(const Determinant& determinant) const;
  Determinant reference() const { return {alpha.reference, beta.reference}; }

  /// Appends the next alpha string's beta strings [first, last).
  void append(Index first, Index last);

 private:
  std::vector<Index> beta_begin_;        ///< per alpha string
  std::vector<std::int64_t> row_begin_;  ///< alpha.size() + 1
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

/// Energies of the orbitals of each spin, Hartree: the file's where it has them, else the diagonal
/// of the Fock operator of the reference determinant. Throws as electron_numbers does.
std::array<std::vector<double>, 2> orbital_energies(const Integrals& integrals);

/// Of each spin F_pp = h_pp + Σ_{i same spin} [(pp|ii) − (pi|pi)] + Σ_{j other spin} (pp|jj),
/// Hartree, i and j being the determinant's orbitals.
std::array<std::vector<double>, 2> fock_diagonal(const Integrals& integrals,
                                                 const Determinant& occupied);

/// ⟨D|Ĥ|D⟩ in Hartree, core energy included.
double determinant_energy(const Integrals& integrals, const Determinant& determinant);

/// Of each irrep, from 0, the determinants with no higher rank (none given: of full CI), from
/// numbers of strings; of orbitals without irreps one number. Throws as electron_numbers does.
std::vector<long double> count_determinants(const Integrals& integrals,
                                            std::optional<int> max_excitation);

/// All determinants of the space. Throws InputError when electrons do not fit the orbitals, M_s
/// does not fit the electrons, an irrep is asked of a file without symmetry, or no determinant is
/// left; when their number passes 2^31 − 1 the message gives it.
CiSpace make_ci_space(const Integrals& integrals, const CiSpaceOptions& options);

}  // namespace cisolve
