#include "hamiltonian/direct/single_links.hpp"

#include <algorithm>

#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

/// The string X_pq leads to and the sign; −1 where there is none in the space.
struct Image {
  Index target = -1;
  int sign = 0;
};

Image image_of(const DirectStrings& strings, Index from, const OrbitalPair& pair) {
  const OrbitalString s = strings.strings[from];
  if (pair == no_pair) return {from, 1};
  if (pair.p == pair.q) return (s & orbital_bit(pair.p)) != 0 ? Image{from, 1} : Image{};
  const OrbitalString both = orbital_bit(pair.p) | orbital_bit(pair.q);
  const OrbitalString occupied = s & both;
  if (occupied == 0 || occupied == both) return {};
  const Index target = strings.find(s ^ both);
  return target < 0 ? Image{} : Image{target, excitation_sign(s, pair.p, pair.q)};
}

}  // namespace

AlphaLinks::AlphaLinks(const DirectStrings& strings) {
  const auto pairs = pairs_by_irrep(strings.orbital_irreps);
  begin_.assign(1, 0);
  for (Index a = 0; a < strings.size(); ++a) {
    for (int h = 0; h < most_irreps; ++h) {
      for (std::size_t t = 0; t < pairs[h].size(); ++t) {
        if (pairs[h][t].p == pairs[h][t].q) continue;
        const Image image = image_of(strings, a, pairs[h][t]);
        if (image.target < 0) continue;
        links_.push_back(
            {image.target, static_cast<std::int16_t>(t), static_cast<std::int16_t>(image.sign)});
      }
      begin_.push_back(static_cast<Offset>(links_.size()));
    }
  }
}

BetaLinks::BetaLinks(const DirectStrings& strings, Index tile_width) {
  const auto pairs = pairs_by_irrep(strings.orbital_irreps);
  for (int g = 0; g < most_irreps; ++g) {
    for (Index first = strings.begin[g]; first < strings.begin[g + 1]; first += tile_width) {
      tiles_.push_back({first, std::min(first + tile_width, strings.begin[g + 1])});
    }
    tiles_begin_[g + 1] = static_cast<Index>(tiles_.size());
  }
  for (int h = 0; h < most_irreps; ++h) {
    OfIrrep& of = of_[h];
    of.pairs = static_cast<int>(pairs[h].size());
    of.begin.assign(1, 0);
    std::vector<BetaLink> minus;
    for (const StringRange& tile : tiles_) {
      for (const OrbitalPair& pair : pairs[h]) {
        minus.clear();
        for (Index b = tile.first; b < tile.last; ++b) {
          const Image image = image_of(strings, b, pair);
          if (image.target < 0) continue;
          (image.sign > 0 ? of.links : minus).push_back({image.target, b - tile.first});
        }
        of.begin.push_back(static_cast<Offset>(of.links.size()));
        of.links.insert(of.links.end(), minus.begin(), minus.end());
        of.begin.push_back(static_cast<Offset>(of.links.size()));
      }
    }
  }
}

std::size_t BetaLinks::bytes() const {
  std::size_t sum = 0;
  for (const OfIrrep& of : of_) {
    sum += of.begin.size() * sizeof(Offset) + of.links.size() * sizeof(BetaLink);
  }
  return sum;
}

}  // namespace cisolve
