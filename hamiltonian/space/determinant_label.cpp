#include "hamiltonian/space/determinant_label.hpp"

#include "hamiltonian/integrals/restrict_orbitals.hpp"

namespace cisolve {

DeterminantLabels::DeterminantLabels(int orbitals, const std::vector<int>& frozen,
                                     const std::vector<int>& active, bool general)
    : empty_(orbitals, '0'),
      active_(active_orbitals(orbitals, frozen, active)),
      occupations_(general ? "01" : "0ab2"),
      spins_(general ? std::array<const char*, 2>{"", ""} : std::array<const char*, 2>{"a", "b"}) {
  for (const int p : frozen) empty_[p] = occupations_.back();
}

std::string DeterminantLabels::occupation(const Determinant& determinant) const {
  std::string text = empty_;
  for (int p = 0; p < static_cast<int>(active_.size()); ++p) {
    const int in_alpha = determinant[alpha].has(p), in_beta = determinant[beta].has(p);
    text[active_[p]] = occupations_[in_alpha + 2 * in_beta];
  }
  return text;
}

std::string DeterminantLabels::excitation(const Determinant& determinant,
                                          const Determinant& reference) const {
  if (determinant == reference) return "reference";
  return orbitals(reference[alpha] & ~determinant[alpha], reference[beta] & ~determinant[beta]) +
         " -> " +
         orbitals(determinant[alpha] & ~reference[alpha], determinant[beta] & ~reference[beta]);
}

std::string DeterminantLabels::orbitals(OrbitalString alpha_ones, OrbitalString beta_ones) const {
  std::string text;
  const auto add = [&](OrbitalString s, const char* spin) {
    for (const int p : s) {
      text += (text.empty() ? "" : " ") + std::to_string(active_[p] + 1) + spin;
    }
  };
  add(alpha_ones, spins_[alpha]);
  add(beta_ones, spins_[beta]);
  return text;
}

}  // namespace cisolve
