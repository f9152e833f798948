#include "hamiltonian/direct/tables/target_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "hamiltonian/direct/tables/direct_tables.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

/// ⟨target| X_t |source⟩ by (target, irrep of t, t, source).
using Elements = std::map<std::tuple<Index, int, int, Index>, int>;
using Part = TargetTiles::Part;

Elements elements_of(const BetaLinks& links, const std::vector<Part>& parts, StringRange targets) {
  Elements found;
  for (const Part& part : parts) {
    for (Index i = 0; i < static_cast<Index>(links.tiles().size()); ++i) {
      for (int t = part.first_pair; t < part.first_pair + part.pairs; ++t) {
        const auto [plus, minus] = links.of(part.irrep, t, i);
        const auto add = [&](const auto& list, int sign) {
          for (const BetaLink& l : list) {
            const Index source = links.tiles()[i].first + l.source;
            if (source >= part.sources.first && source < part.sources.last &&
                l.target >= targets.first && l.target < targets.last) {
              found[{l.target, part.irrep, t, source}] = sign;
            }
          }
        };
        add(plus, 1);
        add(minus, -1);
      }
    }
  }
  return found;
}

/// Contents of the lists, read as a GPU reads them.
Elements decoded(const TargetTiles& tiles, const std::vector<Part>& parts, StringRange targets,
                 int tile_steps, Index section, int adders) {
  constexpr int header = TargetTiles::most_adders + 1;
  Elements found;
  const int zero = TargetTiles::zero_place(tile_steps);
  std::map<int, std::pair<int, int>> by_place;
  for (int t = 0; t < tile_steps * TargetTiles::step_pairs; ++t) {
    for (int c = 0; c < TargetTiles::columns; ++c) by_place[TargetTiles::place(t, c)] = {t, c};
  }
  EXPECT_EQ(by_place.size(), std::size_t(zero));
  std::size_t l = 0;
  for (int s = 0; s < tiles.sections(); ++s) {
    for (Index tile = 0; tile < tiles.tiles(); ++tile, ++l) {
      const std::uint32_t* const words = tiles.words.data() + tiles.begin[l] * std::size_t{4};
      const auto chunks = static_cast<int>(words[adders]);
      const std::uint32_t *const heads = words + header, *const numbers = heads + 2 * chunks,
                                 *const elements = numbers + 32 * chunks;
      EXPECT_EQ(words[0], 0u);
      Index lowest_of_tile = TargetTiles::none;
      for (int c = 0; c < chunks; ++c) {
        const int first = heads[2 * c] >> 16,
                  rows_of_half[] = {static_cast<int>(heads[2 * c] & 0xff),
                                    static_cast<int>(heads[2 * c] >> 8 & 0xff)};
        EXPECT_GE(rows_of_half[0], rows_of_half[1]);
        Index lowest = TargetTiles::none;
        for (int of_chunk = 0; of_chunk < 64; ++of_chunk) {
          const int half = of_chunk / 32, lane = of_chunk % 32;
          const std::uint32_t target = numbers[32 * c + lane] >> (16 * half) & 0xffff;
          for (int e = 0; e < rows_of_half[half]; ++e) {
            const std::uint32_t element = elements[32 * (first + e) + lane] >> (16 * half) & 0xffff;
            if (static_cast<int>(element & 0x7fff) == zero) continue;
            if (target == 0xffff) {
              ADD_FAILURE() << "no target takes something";
              continue;
            }
            const Index b = targets.first + s * section + static_cast<Index>(target);
            const auto [t, column] = by_place.at(element & 0x7fff);
            const int step = t / TargetTiles::step_pairs;
            EXPECT_LE(tiles.step_from[l * tile_steps + step], b);
            lowest = std::min(lowest, b);
            const auto part = std::ranges::find_if(parts, [&](const Part& of) {
              return step >= of.first_step && step < of.first_step + of.steps();
            });
            const int pair = part->first_pair + t - part->first_step * TargetTiles::step_pairs;
            const Index place = tile * TargetTiles::columns + column;
            const Index source = part->sources.first + place - part->lead;
            EXPECT_TRUE(found
                            .emplace(std::tuple{b, part->irrep, pair, source},
                                     (element & 0x8000) != 0 ? -1 : 1)
                            .second);
          }
        }
        EXPECT_EQ(static_cast<Index>(heads[2 * c + 1]), lowest);
        lowest_of_tile = std::min(lowest_of_tile, lowest);
      }
      EXPECT_EQ(tiles.tile_from[l], lowest_of_tile);
      EXPECT_LE((tiles.begin[l + 1] - tiles.begin[l]) * std::size_t{4}, tiles.most_words());
    }
  }
  return found;
}

TEST(TargetTiles, TellEveryElementOnceAndNoOther) {
  for (const int irreps : {1, 4}) {
    const RandomCase c{9, 8, 0, false, irreps};
    const Integrals integrals = integrals_of(c);
    for (const int only : {-1, 0, 3}) {
      if (only >= 0 && irreps == 1) continue;
      const CiSpace space =
          make_ci_space(integrals, {{}, only < 0 ? std::nullopt : std::optional<int>(only)});
      const DirectTables tables(integrals, space);
      for (int g = 0; g < irreps; ++g) {
        const auto part = [&](int h, int first, int pairs, int step) {
          return Part{h, first, pairs, step, tables.layout.betas(g ^ h)};
        };
        const auto pairs = [&](int h) { return tables.beta_links.pairs(h); };
        std::vector<std::vector<Part>> cases{{part(0, 0, pairs(0), 0)},
                                             {part(0, 3, std::min(17, pairs(0) - 3), 1)}};
        if (irreps > 1) {
          cases.push_back({part(1, 0, pairs(1), 0), part(3, 2, 5, 1), part(0, 0, pairs(0), 2)});
          cases.push_back(cases.back());
          for (Part& of : cases.back()) of.lead = of.irrep % 2;
        }
        const StringRange targets = tables.layout.betas(g);
        for (const std::vector<Part>& parts : cases) {
          const Elements expected = elements_of(tables.beta_links, parts, targets);
          EXPECT_FALSE(expected.empty());
          for (const auto& [tile_steps, section] : {std::pair<int, Index>{4, 1000}, {5, 50}}) {
            for (const int adders : {1, 4, TargetTiles::most_adders}) {
              const TargetTiles tiles(tables.beta_links, parts, targets, tile_steps, section,
                                      adders);
              EXPECT_EQ(decoded(tiles, parts, targets, tile_steps, section, adders), expected);
            }
          }
        }
      }
    }
  }
}

/// Figures for CAS(14,14), on which these lists were decided (docs/adr/0024).
TEST(TargetTiles, LeaveOutWhatLeadsToNoLowerString) {
  const Integrals integrals = random_integrals(14, 14, 0, false, 1);
  const CiSpace space = make_ci_space(integrals, {});
  const DirectTables tables(integrals, space, Parity::even);
  // All orbitals have one label, and so all pairs one irrep.
  const StringRange all{0, tables.layout.beta_strings.size()};
  const int pairs = tables.beta_links.pairs(0);
  ASSERT_EQ(pairs, 106);
  constexpr int steps = 7, adders = 7, header = TargetTiles::most_adders + 1;
  const TargetTiles tiles(tables.beta_links, {{0, 0, pairs, 0, all}}, all, steps, 4000, adders);
  double wanted = 0.0;
  for (const Index from : tiles.step_from) wanted += std::max(0, all.last - from);
  EXPECT_NEAR(wanted / (double{steps} * tiles.tiles() * all.size()), 0.58, 0.01);
  double targets = 0.0;
  for (Index i = 0; i < tiles.tiles(); ++i) {
    const std::uint32_t* const words = tiles.words.data() + tiles.begin[i] * std::size_t{4};
    const std::uint32_t chunks = words[adders];
    for (std::uint32_t t = 0; t < 64 * chunks; ++t) {
      targets += (words[header + 2 * chunks + t / 2] >> (16 * (t % 2)) & 0xffff) != 0xffff;
    }
  }
  // 7 · 7 excitations, 7 pairs of one orbital and X_0.
  EXPECT_NEAR(57.0 * all.size() / targets, 2.8, 0.05);
}

}  // namespace
}  // namespace cisolve
