#include "hamiltonian/direct/rows/direct_layout.hpp"

#include <algorithm>

namespace cisolve {

DirectLayout::DirectLayout(const OrbitalLabels& labels, const CiSpace& space)
    : alpha_strings(space.alpha, labels.of[alpha]),
      beta_strings(space.beta, labels.of[beta]),
      further_bits_(labels.further_bits) {
  // The strings of a space of one irrep alone are told apart by irrep there.
  if (space.alpha.irreps > 1) {
    const Index first_beta = (*space.determinants_of(0).begin()).beta;
    irrep_ = irrep_product(space.alpha.irrep_of[0], space.beta.irrep_of[first_beta]);
  }
  row_begin.assign(1, 0);
  for (Index i = 0; i < alpha_strings.size(); ++i) {
    row_begin.push_back(row_begin.back() + betas(alpha_strings.irrep_of[i]).size());
    const auto [b, row] = *space.determinants_of(alpha_strings.number[i]).begin();
    row_in_space_.push_back(row - b);
  }
}

BetaRanges DirectLayout::all_betas() const {
  BetaRanges ranges;
  for (int g = 0; g < most_irreps; ++g) ranges[g] = betas(g);
  return ranges;
}

BetaRanges DirectLayout::betas_to(int irrep) const {
  BetaRanges ranges;
  for (int g = 0; g < most_irreps; ++g) {
    const int y = irrep_product(g, irrep);
    if (holds(g, y)) ranges[g] = {beta_strings.begin[y], beta_strings.begin[y + 1]};
  }
  return ranges;
}

int DirectLayout::irreps() const {
  std::array<bool, most_irreps> found{};
  for (int g = 0; g < most_irreps; ++g) {
    for (int y = 0; y < most_irreps; ++y) found[irrep_product(g, y)] |= holds(g, y);
  }
  return static_cast<int>(std::ranges::count(found, true));
}

}  // namespace cisolve
