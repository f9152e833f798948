#include "hamiltonian/direct/direct_cost.hpp"

namespace cisolve {
namespace {

using ByIrrep = std::array<double, most_irreps>;

/// Of the strings of each irrep (first index): all their single excitations by irrep of the pair,
/// and all their excitations within the irrep, single and double.
struct Excitations {
  std::array<ByIrrep, most_irreps> singles{};
  ByIrrep within{};
  ByIrrep squares{};  ///< Σ_κ (additions to κ)²
};

using Singles = std::array<ByIrrep, most_irreps>;

Singles singles_of(const DirectStrings& strings, const AlphaLinks& links) {
  Singles singles{};
  for (Index s = 0; s < strings.size(); ++s) {
    for (int h = 0; h < most_irreps; ++h) {
      singles[strings.irrep_of[s]][h] += static_cast<double>(links.of(s, h).size());
    }
  }
  return singles;
}

Singles singles_of(const DirectStrings& strings, const BetaLinks& links,
                   const std::array<HostMatrix, most_irreps>& v) {
  Singles singles{};
  for (Index tile = 0; tile < static_cast<Index>(links.tiles().size()); ++tile) {
    ByIrrep& of_tile = singles[strings.irrep_of[links.tiles()[tile].first]];
    for (int h = 0; h < most_irreps; ++h) {
      for (int t = h == 0 ? 1 + strings.orbitals : 0; t < v[h].cols(); ++t) {  // p > q
        const auto [plus, minus] = links.of(h, t, tile);
        of_tile[h] += static_cast<double>(plus.size() + minus.size());
      }
    }
  }
  return singles;
}

Excitations excitations_of(const DirectStrings& strings, const SameSpin& same_spin,
                           const Singles& all_singles) {
  Excitations result;
  result.singles = all_singles;
  const double n = strings.electrons;
  for (int g = 0; g < most_irreps; ++g) {
    for (Index i = 0; i < same_spin.blocks(g); ++i) {
      const auto additions = static_cast<double>(same_spin.block(g, i).additions.size());
      result.squares[g] += additions * additions;
    }
    // A pair of strings that differ by one electron has n − 1 common κ, a string with itself
    // n (n − 1) / 2, two electrons apart one.
    const double singles = result.singles[g][0];
    if (n < 2) {
      result.within[g] = singles;
    } else {
      result.within[g] = result.squares[g] - n * (n - 1) / 2 * strings.size(g) - (n - 2) * singles;
    }
  }
  return result;
}

}  // namespace

DirectCost direct_cost(const DirectTables& tables) {
  const DirectLayout& layout = tables.layout;
  const DirectStrings &alphas = layout.alpha_strings, &betas = layout.beta_strings;
  const Excitations of_alpha =
      excitations_of(alphas, tables.same_spin[alpha], singles_of(alphas, tables.alpha_links));
  const Excitations of_beta =
      excitations_of(betas, tables.same_spin[beta], singles_of(betas, tables.beta_links, tables.v));
  DirectCost cost;
  for (int g = 0; g < most_irreps; ++g) {
    for (int h = 0; h < most_irreps; ++h) {
      const double rows = of_alpha.singles[g][h] + (h == 0 ? alphas.size(g) : 0);
      cost.flops +=
          2.0 * rows * static_cast<double>(tables.v[h].cols()) * layout.betas(g ^ h).size();
    }
    for (int y = 0; y < most_irreps; ++y) {
      if (!layout.holds(g, y)) continue;
      const double a = alphas.size(g), b = betas.size(y);
      cost.flops += 2.0 * (of_alpha.squares[g] * b + of_beta.squares[y] * a);
      cost.nonzeros += a * b + of_alpha.within[g] * b + of_beta.within[y] * a;
      for (int h = 0; h < most_irreps; ++h) {
        cost.gathers += a * of_beta.singles[y][h];
        cost.nonzeros += of_alpha.singles[g][h] * of_beta.singles[y][h];
      }
      cost.gathers += a * b * (1 + betas.electrons);
    }
  }
  return cost;
}

}  // namespace cisolve
