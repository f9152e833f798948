#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "hamiltonian/direct/tables/single_links.hpp"

namespace cisolve {

/// Lowest targets of the pairs of one irrep and the beta strings, in blocks of so many pairs ×
/// strings: the lowest string that a pair of the block leads a string of the block to. If σ is
/// wanted of beta strings up to some b alone, G is not needed in blocks whose lowest target is
/// beyond.
class LowestTargets {
 public:
  LowestTargets(const BetaLinks& links, int irrep, Index block_pairs, Index block_strings)
      : block_pairs_(block_pairs) {
    const int pairs = links.pairs(irrep);
    const auto& tiles = links.tiles();
    const Index rows = (pairs + block_pairs - 1) / block_pairs;
    for (Index i = 0; i < static_cast<Index>(tiles.size()); ++i) {
      const Index blocks = (tiles[i].size() + block_strings - 1) / block_strings;
      tiles_.push_back({static_cast<Index>(lowest_.size()), blocks});
      lowest_.resize(lowest_.size() + std::size_t(rows) * blocks, none);
      Index* const of_tile = lowest_.data() + tiles_.back().begin;
      for (int t = 0; t < pairs; ++t) {
        const auto [plus, minus] = links.of(irrep, t, i);
        for (const auto& list : {plus, minus}) {
          for (const BetaLink& link : list) {
            Index& lowest = of_tile[t / block_pairs * blocks + link.source / block_strings];
            lowest = std::min(lowest, link.target);
          }
        }
      }
    }
  }

  static constexpr Index none = std::numeric_limits<Index>::max();
  /// Lowest targets of the pairs with t and a tile's blocks of strings, one behind another.
  const Index* of(Index tile, int t) const {
    const OfTile& of = tiles_[tile];
    return lowest_.data() + of.begin + t / block_pairs_ * of.blocks;
  }

 private:
  Index block_pairs_;
  struct OfTile {
    Index begin, blocks;
  };
  std::vector<OfTile> tiles_;
  std::vector<Index> lowest_;
};

}  // namespace cisolve
