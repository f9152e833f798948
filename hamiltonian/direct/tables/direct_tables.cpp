#include "hamiltonian/direct/tables/direct_tables.hpp"

namespace cisolve {
namespace {

/// Beta strings of a tile: the rows of c that an alpha string takes of it stay in a core's cache.
constexpr Index tile_width = 600;

double v_element(const Integrals& integrals, const OrbitalPair& u, const OrbitalPair& t) {
  if (u == no_pair && t == no_pair) return integrals.core_energy;
  if (u == no_pair) return (*integrals.one_electron[beta])(t.p, t.q);
  if (t == no_pair) return (*integrals.one_electron[alpha])(u.p, u.q);
  return (*integrals.alpha_beta)(u.p, u.q, t.p, t.q);
}

std::vector<Parity> parities(const DirectLayout& layout, const Integrals& integrals, Parity only) {
  if (!DirectRows::knows_parity(layout, integrals)) return {Parity::none};
  if (only != Parity::none) return {only};
  return {Parity::even, Parity::odd};
}

}  // namespace

DirectTables::DirectTables(const Integrals& of, const CiSpace& over, Parity only, int ranks)
    : integrals(of),
      space(over),
      layout(orbital_labels(integrals), space),
      rows(layout, parities(layout, integrals, only), ranks),
      alpha_links(layout.alpha_strings),
      beta_links(layout.beta_strings, tile_width),
      same_spin{SameSpin(layout.alpha_strings, *integrals.alpha_alpha),
                SameSpin(layout.beta_strings, *integrals.beta_beta)} {
  const auto alpha_pairs = pairs_by_irrep(layout.alpha_strings.orbital_irreps);
  const auto beta_pairs = pairs_by_irrep(layout.beta_strings.orbital_irreps);
  for (int h = 0; h < most_irreps; ++h) {
    v[h].resize(alpha_pairs[h].size(), beta_pairs[h].size());
    for (std::size_t u = 0; u < alpha_pairs[h].size(); ++u) {
      for (std::size_t t = 0; t < beta_pairs[h].size(); ++t) {
        v[h](u, t) = v_element(integrals, alpha_pairs[h][u], beta_pairs[h][t]);
      }
    }
  }
}

std::size_t DirectTables::bytes() const {
  return alpha_links.bytes() + beta_links.bytes() + same_spin[alpha].bytes() +
         same_spin[beta].bytes();
}

}  // namespace cisolve
