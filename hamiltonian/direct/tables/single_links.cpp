#include "hamiltonian/direct/tables/single_links.hpp"

#include <algorithm>

#include "core/threads/parallel.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

/// The string X_pq leads to and the sign; −1 where there is none in the space.
struct Image {
  Index target = -1;
  int sign = 0;
};

Image image_of(const DirectStrings& strings, Index from, const OrbitalPair& pair) {
  const OrbitalString64 s = strings.strings[from];
  if (pair == no_pair) return {from, 1};
  if (pair.p == pair.q) return s.has(pair.p) ? Image{from, 1} : Image{};
  if (s.has(pair.p) == s.has(pair.q)) return {};
  const Index target = strings.find(s ^ OrbitalString64::of(pair.p, pair.q));
  return target < 0 ? Image{} : Image{target, excitation_sign(s, pair.p, pair.q)};
}

}  // namespace

AlphaLinks::AlphaLinks(const DirectStrings& strings) {
  const auto pairs = pairs_by_irrep(strings.orbital_irreps);
  struct OfString {
    std::vector<PairLink> links;
    std::array<Offset, most_irreps> end;
  };
  const Index n = strings.size();
  std::vector<OfString> all(n);
  FirstException exception;
#pragma omp parallel for if (worth_threads(1e3 * n)) schedule(dynamic, 16)
  for (Index a = 0; a < n; ++a) {
    exception.guard([&] {
      for (int h = 0; h < most_irreps; ++h) {
        for (std::size_t t = 0; t < pairs[h].size(); ++t) {
          if (pairs[h][t].p == pairs[h][t].q) continue;
          const Image image = image_of(strings, a, pairs[h][t]);
          if (image.target < 0) continue;
          all[a].links.push_back(
              {image.target, static_cast<std::int16_t>(t), static_cast<std::int16_t>(image.sign)});
        }
        all[a].end[h] = static_cast<Offset>(all[a].links.size());
      }
    });
  }
  exception.rethrow();
  begin_.assign(1, 0);
  for (OfString& of : all) {
    const auto first = static_cast<Offset>(links_.size());
    for (const Offset end : of.end) begin_.push_back(first + end);
    links_.insert(links_.end(), of.links.begin(), of.links.end());
    of.links = {};
  }
}

BetaLinks::BetaLinks(const DirectStrings& strings, Index tile_width) {
  const auto pairs = pairs_by_irrep(strings.orbital_irreps);
  for (int g = 0; g < most_irreps; ++g) {
    const Index tiles = (strings.size(g) + tile_width - 1) / tile_width;
    const Index width = tiles > 0 ? (strings.size(g) + tiles - 1) / tiles : 0;
    for (Index first = strings.begin[g]; first < strings.begin[g + 1]; first += width) {
      tiles_.push_back({first, std::min(first + width, strings.begin[g + 1])});
    }
  }
  for (int h = 0; h < most_irreps; ++h) make(strings, pairs[h], of_[h]);
}

void BetaLinks::make(const DirectStrings& strings, const std::vector<OrbitalPair>& pairs,
                     OfIrrep& of) const {
  struct OfTile {
    std::vector<BetaLink> links;
    std::vector<Offset> end;  ///< of (pair, sign)
  };
  std::vector<OfTile> all(tiles_.size());
  FirstException exception;
#pragma omp parallel for if (worth_threads(1e3 * strings.size())) schedule(dynamic, 1)
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    exception.guard([&] {
      const StringRange& tile = tiles_[i];
      auto& [links, end] = all[i];
      std::vector<BetaLink> minus;
      const auto by_target = [](const BetaLink& l, const BetaLink& m) {
        return l.target < m.target;
      };
      for (const OrbitalPair& pair : pairs) {
        const auto first = static_cast<std::ptrdiff_t>(links.size());
        minus.clear();
        for (Index b = tile.first; b < tile.last; ++b) {
          const Image image = image_of(strings, b, pair);
          if (image.target < 0) continue;
          (image.sign > 0 ? links : minus).push_back({image.target, b - tile.first});
        }
        std::sort(links.begin() + first, links.end(), by_target);
        std::ranges::sort(minus, by_target);
        end.push_back(static_cast<Offset>(links.size()));
        links.insert(links.end(), minus.begin(), minus.end());
        end.push_back(static_cast<Offset>(links.size()));
      }
    });
  }
  exception.rethrow();
  of.pairs = static_cast<int>(pairs.size());
  of.begin.assign(1, 0);
  for (OfTile& tile : all) {
    const auto first = static_cast<Offset>(of.links.size());
    for (const Offset end : tile.end) of.begin.push_back(first + end);
    of.links.insert(of.links.end(), tile.links.begin(), tile.links.end());
    tile.links = {};
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
