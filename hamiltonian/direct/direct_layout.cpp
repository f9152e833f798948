#include "hamiltonian/direct/direct_layout.hpp"

#include <algorithm>

namespace cisolve {

DirectLayout::DirectLayout(const Integrals& integrals, const CiSpace& space)
    : alpha_strings(space.alpha, irreps_of_orbitals(integrals, alpha)),
      beta_strings(space.beta, irreps_of_orbitals(integrals, beta)) {
  // A space of several irreps of strings that takes not all combinations is of one irrep.
  const Index a = 0;
  const BetaStrings first = space.betas(a);
  if (space.alpha.irreps > 1) {
    irrep_ = space.alpha.irrep_of[a] ^ space.beta.irrep_of[first.first()];
  }
  row_begin.assign(1, 0);
  for (Index i = 0; i < alpha_strings.size(); ++i) {
    row_begin.push_back(row_begin.back() + betas(alpha_strings.irrep_of[i]).size());
    row_in_space_.push_back(space.betas(alpha_strings.number[i]).first_column());
  }
  as_in_space_ = std::ranges::is_sorted(alpha_strings.number) &&
                 std::ranges::is_sorted(beta_strings.number);
}

}  // namespace cisolve
