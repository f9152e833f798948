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

Excitations excitations_of(const DirectStrings& strings, const SameSpin& same_spin,
                           const AlphaLinks& links) {
  Excitations result;
  for (Index s = 0; s < strings.size(); ++s) {
    for (int h = 0; h < most_irreps; ++h) {
      result.singles[strings.irrep_of[s]][h] += static_cast<double>(links.of(s, h).size());
    }
  }
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
  const Excitations of_alpha = excitations_of(alphas, tables.same_spin[alpha], tables.alpha_links);
  const Excitations of_beta =
      excitations_of(betas, tables.same_spin[beta], AlphaLinks(layout.beta_strings));
  DirectCost cost;
  for (int g = 0; g < most_irreps; ++g) {
    const StringRange range = layout.betas(g);
    for (int h = 0; h < most_irreps; ++h) {
      const double rows = of_alpha.singles[g][h] + (h == 0 ? alphas.size(g) : 0);
      cost.flops +=
          2.0 * rows * static_cast<double>(tables.v[h].cols()) * layout.betas(g ^ h).size();
    }
    for (int y = 0; y < most_irreps; ++y) {
      if (betas.begin[y] < range.first || betas.begin[y + 1] > range.last) continue;
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
