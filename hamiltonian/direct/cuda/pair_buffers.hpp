#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "backends/backend.hpp"
#include "hamiltonian/direct/tables/direct_tables.hpp"

namespace cisolve {

/// The strings and single excitations between them on the device.
struct PairBuffers {
  PairBuffers(const DirectTables& of, Backend& backend)
      : links_begin(Buffer<Offset>::from_host(backend, of.alpha_links.begin())),
        links(Buffer<PairLink>::from_host(backend, of.alpha_links.links())),
        alphas(Buffer<OrbitalString64>::from_host(backend, of.layout.alpha_strings.strings)),
        betas(Buffer<OrbitalString64>::from_host(backend, of.layout.beta_strings.strings)) {
    for (int h = 0; h < most_irreps; ++h) {
      tables[h] = Buffer<Index>::from_host(backend, table(of, h));
    }
  }

  Buffer<Offset> links_begin;
  Buffer<PairLink> links;  ///< of the alpha strings
  Buffer<OrbitalString64> alphas, betas;
  /// By the irrep of a pair, pairs × beta strings: number, from 1, of the string that the pair
  /// turns into this one, with the sign of that; 0: none.
  std::array<Buffer<Index>, most_irreps> tables;

 private:
  static std::vector<Index> table(const DirectTables& of, int h) {
    const Index strings = of.layout.beta_strings.size();
    const auto pairs = static_cast<int>(of.v[h].cols());
    std::vector<Index> made(static_cast<std::size_t>(pairs) * strings, 0);
    const auto& tiles = of.beta_links.tiles();
    for (Index tile = 0; tile < static_cast<Index>(tiles.size()); ++tile) {
      for (int t = 0; t < pairs; ++t) {
        const auto [plus, minus] = of.beta_links.of(h, t, tile);
        Index* const row = made.data() + std::size_t(t) * strings;
        for (const BetaLink& l : plus) row[l.target] = tiles[tile].first + l.source + 1;
        for (const BetaLink& l : minus) row[l.target] = -(tiles[tile].first + l.source + 1);
      }
    }
    return made;
  }
};

}  // namespace cisolve
