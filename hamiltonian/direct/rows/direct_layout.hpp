#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hamiltonian/direct/rows/direct_strings.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// Beta strings [first, last).
struct StringRange {
  Index first = 0, last = 0;
  Index size() const { return last - first; }
};

/// Beta strings by the irrep of the alpha strings that they stand with; none: an empty range.
using BetaRanges = std::array<StringRange, most_irreps>;

/// True if all strings of an irrep are in a range, and there are any.
inline bool holds(const StringRange& range, const DirectStrings& strings, int irrep) {
  return strings.size(irrep) > 0 && range.first <= strings.begin[irrep] &&
         strings.begin[irrep] < range.last;
}

/// True if vectors of a space can lie as below: of full CI, over at most as many orbitals as
/// DirectStrings have.
inline bool has_direct_layout(const CiSpace& space) {
  return space.alpha.full && space.alpha.orbitals <= OrbitalString64::most_orbitals;
}

/// Layout of a vector of a full CI space while it is multiplied: for each alpha string the
/// coefficients of its beta strings, which are one range, both by irrep.
class DirectLayout {
 public:
  /// Layout of a full space alone.
  DirectLayout(const OrbitalLabels& labels, const CiSpace& space);

  /// The beta strings of alpha strings of that irrep.
  StringRange betas(int alpha_irrep) const {
    if (!irrep_) return {0, beta_strings.size()};
    const int g = irrep_product(*irrep_, alpha_irrep >> further_bits_);
    return {beta_strings.begin[g << further_bits_], beta_strings.begin[(g + 1) << further_bits_]};
  }
  /// The irrep in the file's count, where the space is of one, else 0: what tells the beta strings
  /// of alpha strings of an irrep.
  int file_irrep(int irrep) const { return irrep_ ? irrep >> further_bits_ : 0; }
  /// True if there are determinants of strings of these irreps.
  bool holds(int alpha_irrep, int beta_irrep) const {
    return alpha_strings.size(alpha_irrep) > 0 &&
           cisolve::holds(betas(alpha_irrep), beta_strings, beta_irrep);
  }
  BetaRanges all_betas() const;
  /// Those with which alpha strings make determinants of that irrep.
  BetaRanges betas_to(int irrep) const;
  /// Irreps that determinants have.
  int irreps() const;
  /// The coefficient of (a, b) is at row_begin[a] + b − betas(irrep of a).first.
  std::vector<std::int64_t> row_begin;  ///< alpha strings + 1
  std::int64_t size() const { return row_begin.back(); }

  /// Offset of alpha string a, numbered as here: the number in the CI space of its first
  /// determinant there less that of its first beta string. So (a, b) has number row_in_space(a) +
  /// number of b.
  std::int64_t row_in_space(Index a) const { return row_in_space_[a]; }

  DirectStrings alpha_strings, beta_strings;

 private:
  int further_bits_;
  std::optional<int> irrep_;  ///< of the determinants, in the file's count; none: all
  std::vector<std::int64_t> row_in_space_;
};

}  // namespace cisolve
