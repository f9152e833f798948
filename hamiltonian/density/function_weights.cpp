#include "hamiltonian/density/function_weights.hpp"

#include <bit>

#include "core/block_sums.hpp"
#include "hamiltonian/states/irrep_weights.hpp"

namespace cisolve {

std::vector<double> rank_weights(const DirectTables& tables, const HostVector& x) {
  const DirectLayout& layout = tables.layout;
  const auto ranks_of = [](const DirectStrings& strings, OrbitalString reference) {
    std::vector<std::int8_t> ranks;
    for (const OrbitalString s : strings.strings) {
      ranks.push_back(static_cast<std::int8_t>(std::popcount(s & ~reference)));
    }
    return ranks;
  };
  const auto of_alpha = ranks_of(layout.alpha_strings, tables.space.alpha.reference);
  const auto of_beta = ranks_of(layout.beta_strings, tables.space.beta.reference);
  const auto add = [&](std::int64_t i, double* sums) {
    const auto a = static_cast<Index>(i);
    for (const DirectRows::Kind& kind : tables.rows.kinds()) {
      for (int y = 0; y < most_irreps; ++y) {
        if (!layout.holds(layout.alpha_strings.irrep_of[a], y)) continue;
        const Index first = layout.beta_strings.begin[y];
        const double* const c = x.data() + kind.begin[std::size_t{most_irreps} * a + y];
        for (Index b = 0; b < tables.rows.betas(kind.parity, a, y); ++b) {
          // |ab⟩ and |ba⟩ have half of a function each, and ranks that differ where the reference
          // is no closed shell.
          const int rank = of_alpha[a] + of_beta[first + b];
          const int turned = kind.parity == Parity::none ? rank : of_alpha[first + b] + of_beta[a];
          sums[rank] += 0.5 * c[b] * c[b];
          sums[turned] += 0.5 * c[b] * c[b];
        }
      }
    }
  };
  const auto highest_of = [](const std::vector<std::int8_t>& ranks, Index first, Index last) {
    return int{*std::max_element(ranks.begin() + first, ranks.begin() + last)};
  };
  int highest = 0;
  for (int g = 0; g < most_irreps; ++g) {
    const auto& begin = layout.alpha_strings.begin;
    const StringRange range = layout.betas(g);
    if (begin[g] == begin[g + 1] || range.size() == 0) continue;
    highest = std::max(highest, highest_of(of_alpha, begin[g], begin[g + 1]) +
                                    highest_of(of_beta, range.first, range.last));
  }
  return block_sums(layout.alpha_strings.size(), highest + 1, x.size(), add);
}

std::array<double, 8> irrep_weights(const DirectTables& tables, const HostVector& x) {
  std::array<double, 8> weights{};
  std::int64_t first = 0;
  for (const Index size : tables.rows.sector_sizes()) {
    const DirectRows::Function f = tables.rows.function(first);
    const Determinant determinant{tables.layout.alpha_strings.strings[f.a],
                                  tables.layout.beta_strings.strings[f.b]};
    const int irrep = irrep_of(determinant, tables.integrals).value_or(0);
    weights[irrep] += block_sums(size, 1, size, [&](std::int64_t i, double* sum) {
      *sum += x[first + i] * x[first + i];
    })[0];
    first += size;
  }
  return weights;
}

}  // namespace cisolve
