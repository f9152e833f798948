#include "hamiltonian/direct/direct_cost.hpp"

namespace cisolve {
namespace {

using ByIrrep = std::array<double, most_irreps>;
/// Numbers of single excitations of the strings of each irrep (first index), by irrep of the pair
/// and by pair.
using Singles = std::array<std::array<HostVector, most_irreps>, most_irreps>;

Singles no_singles(const std::array<Eigen::Index, most_irreps>& pairs) {
  Singles singles;
  for (auto& of : singles) {
    for (int h = 0; h < most_irreps; ++h) of[h] = HostVector::Zero(pairs[h]);
  }
  return singles;
}

Singles singles_of(const DirectStrings& strings, const AlphaLinks& links,
                   const std::array<HostMatrix, most_irreps>& v) {
  std::array<Eigen::Index, most_irreps> pairs{};
  for (int h = 0; h < most_irreps; ++h) pairs[h] = v[h].rows();
  Singles singles = no_singles(pairs);
  for (Index s = 0; s < strings.size(); ++s) {
    for (int h = 0; h < most_irreps; ++h) {
      HostVector& of = singles[strings.irrep_of[s]][h];
      for (const PairLink& link : links.of(s, h)) of[link.pair] += 1.0;
    }
  }
  return singles;
}

Singles singles_of(const DirectStrings& strings, const BetaLinks& links,
                   const std::array<HostMatrix, most_irreps>& v) {
  std::array<Eigen::Index, most_irreps> pairs{};
  for (int h = 0; h < most_irreps; ++h) pairs[h] = v[h].cols();
  Singles singles = no_singles(pairs);
  for (Index tile = 0; tile < static_cast<Index>(links.tiles().size()); ++tile) {
    auto& of_tile = singles[strings.irrep_of[links.tiles()[tile].first]];
    for (int h = 0; h < most_irreps; ++h) {
      for (int t = h == 0 ? 1 + strings.orbitals : 0; t < v[h].cols(); ++t) {  // p > q
        const auto [plus, minus] = links.of(h, t, tile);
        of_tile[h][t] += static_cast<double>(plus.size() + minus.size());
      }
    }
  }
  return singles;
}

/// Numbers of excitations within one spin's strings, by irrep.
struct Within {
  ByIrrep squares{};   ///< Σ_κ (additions to κ)²
  ByIrrep elements{};  ///< that are not zero, of single and double excitations
};

/// The share of elements off the diagonals that are not zero.
double filled(const SameSpin& same_spin) {
  double all = 0.0, nonzero = 0.0;
  for (int y = 0; y < most_irreps; ++y) {
    const HostMatrix& w = same_spin.w(y);
    all += static_cast<double>(w.size() - w.rows());
    nonzero +=
        static_cast<double>((w.array() != 0.0).count() - (w.diagonal().array() != 0.0).count());
  }
  return all > 0.0 ? nonzero / all : 0.0;
}

/// `felt`: of every pair of irrep 0, whether electrons of that spin are excited by it.
Within within(const DirectStrings& strings, const SameSpin& same_spin, const Singles& singles,
              const HostVector& felt) {
  Within result;
  const double n = strings.electrons, share = filled(same_spin);
  for (int g = 0; g < most_irreps; ++g) {
    for (Index i = 0; i < same_spin.blocks(g); ++i) {
      const auto additions = static_cast<double>(same_spin.block(g, i).additions.size());
      result.squares[g] += additions * additions;
    }
    // A pair of strings that differ by one electron has n − 1 common κ, a string with itself
    // n (n − 1) / 2, two electrons apart one.
    const double all_singles = singles[g][0].sum();
    const double doubles =
        result.squares[g] - n * (n - 1) / 2 * strings.size(g) - (n - 1) * all_singles;
    result.elements[g] = singles[g][0].dot(felt) + (n < 2 ? 0.0 : share * doubles);
  }
  return result;
}

HostMatrix not_zero(const HostMatrix& v) {
  return (v.array() != 0.0).cast<double>();
}

}  // namespace

DirectCost direct_cost(const DirectTables& tables) {
  const DirectLayout& layout = tables.layout;
  const DirectStrings &alphas = layout.alpha_strings, &betas = layout.beta_strings;
  const Singles of_alpha = singles_of(alphas, tables.alpha_links, tables.v);
  const Singles of_beta = singles_of(betas, tables.beta_links, tables.v);
  // Elements of h_pq, or of electrons of the other spin.
  const HostMatrix v0 = not_zero(tables.v[0]);
  const Within alpha_within = within(alphas, tables.same_spin[alpha], of_alpha,
                                     v0.leftCols(1 + betas.orbitals).rowwise().maxCoeff());
  const Within beta_within =
      within(betas, tables.same_spin[beta], of_beta,
             v0.topRows(1 + alphas.orbitals).colwise().maxCoeff().transpose());
  DirectCost cost;
  for (int g = 0; g < most_irreps; ++g) {
    for (int h = 0; h < most_irreps; ++h) {
      const double rows = of_alpha[g][h].sum() + (h == 0 ? alphas.size(g) : 0);
      cost.flops += 2.0 * rows * static_cast<double>(tables.v[h].cols()) *
                    layout.betas(irrep_product(g, h)).size();
    }
    for (int y = 0; y < most_irreps; ++y) {
      if (!layout.holds(g, y)) continue;
      const double a = alphas.size(g), b = betas.size(y);
      cost.flops += 2.0 * (alpha_within.squares[g] * b + beta_within.squares[y] * a);
      cost.nonzeros += a * b + alpha_within.elements[g] * b + beta_within.elements[y] * a;
      for (int h = 0; h < most_irreps; ++h) {
        cost.gathers += a * of_beta[y][h].sum();
        cost.nonzeros += of_alpha[g][h].dot(not_zero(tables.v[h]) * of_beta[y][h]);
      }
      cost.gathers += a * b * (1 + betas.electrons);
    }
  }
  return cost;
}

}  // namespace cisolve
