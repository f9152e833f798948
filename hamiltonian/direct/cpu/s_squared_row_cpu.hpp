#pragma once

#include <algorithm>
#include <span>

#include "hamiltonian/direct/tables/direct_tables.hpp"

namespace cisolve {

/// The row of S²c of alpha string a: an alpha electron that is alone in its orbital and a beta one
/// that is change places. With `lower` for b ≤ a alone, half of it for b = a.
inline void s_squared_row(const DirectTables& tables, const double* c, Index a, bool lower,
                          double* sigma) {
  const DirectLayout& layout = tables.layout;
  const DirectStrings &alphas = layout.alpha_strings, &betas = layout.beta_strings;
  const int irrep = alphas.irrep_of[a];
  const OrbitalString64 string = alphas.strings[a];
  StringRange targets = layout.betas(irrep);
  if (lower) targets.last = std::min<Index>(targets.last, a + 1);
  const double ms = 0.5 * (alphas.electrons - betas.electrons);
  double* const row = sigma + layout.row_begin[a] - targets.first;
  const double* const own = c + layout.row_begin[a] - targets.first;
  for (Index b = targets.first; b < targets.last; ++b) {
    row[b] = (ms * (ms + 1.0) + (betas.strings[b] & ~string).count()) * own[b];
  }
  const auto& tiles = tables.beta_links.tiles();
  for (int h = 0; h < most_irreps; ++h) {
    const StringRange sources = layout.betas(irrep_product(irrep, h));
    for (const PairLink& link : tables.alpha_links.of(a, h)) {
      // The orbital that a has and the other has not: b must have the latter's.
      const OrbitalString64 gains = alphas.strings[link.string] & ~string;
      const OrbitalString64 both = alphas.strings[link.string] ^ string;
      const double* const from = c + layout.row_begin[link.string] - sources.first;
      for (std::size_t i = 0; i < tiles.size(); ++i) {
        if (tiles[i].first < sources.first || tiles[i].last > sources.last) continue;
        const auto [plus, minus] = tables.beta_links.of(h, link.pair, static_cast<Index>(i));
        const auto add = [&](std::span<const BetaLink> links, double sign) {
          for (const BetaLink& l : links) {
            if (l.target >= targets.last) break;
            if ((betas.strings[l.target] & both) != gains) continue;
            row[l.target] -= sign * from[tiles[i].first + l.source];
          }
        };
        add(plus, link.sign);
        add(minus, -link.sign);
      }
    }
  }
  if (lower && targets.first <= a && a < targets.last) row[a] *= 0.5;
}

}  // namespace cisolve
