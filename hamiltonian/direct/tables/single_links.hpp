#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/direct/rows/direct_layout.hpp"

namespace cisolve {

/// Single excitations of the alpha strings, X_pq with p > q, string by string and by irrep of the
/// pair: what σ of an alpha string is made of.
class AlphaLinks {
 public:
  explicit AlphaLinks(const DirectStrings& strings);
  std::span<const PairLink> of(Index string, int irrep) const {
    const Offset* begin = begin_.data() + Offset{string} * most_irreps + irrep;
    return {links_.data() + begin[0], links_.data() + begin[1]};
  }
  /// The lists of all strings: that of (string, irrep) at begin[string · 8 + irrep] … − 1.
  const std::vector<Offset>& begin() const { return begin_; }
  const std::vector<PairLink>& links() const { return links_; }
  std::size_t bytes() const {
    return begin_.size() * sizeof(Offset) + links_.size() * sizeof(PairLink);
  }

 private:
  std::vector<Offset> begin_;
  std::vector<PairLink> links_;
};

/// ⟨target| X_t |string⟩ = ±1 for string `first of the tile + source`.
struct BetaLink {
  Index target;
  Index source;
};

/// X_t of every pair t, X_0 and X_pp too, over the beta strings, pair by pair and tile by tile of
/// the strings it acts on: what is taken of G_t.
class BetaLinks {
 public:
  /// Tiles have up to `tile_width` strings, all of one irrep.
  BetaLinks(const DirectStrings& strings, Index tile_width);

  const std::vector<StringRange>& tiles() const { return tiles_; }
  /// Those with sign + and those with sign −, by ascending target.
  struct Signed {
    std::span<const BetaLink> plus, minus;
  };
  Signed of(int irrep, int pair, Index tile) const {
    const OfIrrep& of = of_[irrep];
    const Offset* begin = of.begin.data() + 2 * (Offset{tile} * of.pairs + pair);
    const BetaLink* links = of.links.data();
    return {{links + begin[0], links + begin[1]}, {links + begin[1], links + begin[2]}};
  }
  int pairs(int irrep) const { return of_[irrep].pairs; }
  std::size_t bytes() const;

 private:
  struct OfIrrep {
    int pairs = 0;
    std::vector<Offset> begin;  ///< of (tile, pair, sign), one more at the end
    std::vector<BetaLink> links;
  };
  void make(const DirectStrings& strings, const std::vector<OrbitalPair>& pairs, OfIrrep& of) const;

  std::vector<StringRange> tiles_;
  std::array<OfIrrep, most_irreps> of_;
};

}  // namespace cisolve
