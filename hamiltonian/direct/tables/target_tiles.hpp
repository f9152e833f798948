#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/host_device.hpp"
#include "hamiltonian/direct/tables/single_links.hpp"

namespace cisolve {

/// Most beta strings whose σ is summed together: what 16 bits tell apart. Tests set it to less.
inline Index most_section_targets = 65534;

/// Lists by which σ_ab += Σ_t ± G_a[t, b'] is taken from G tile by tile. A tile is some pairs t of
/// some irreps and, for each irrep, 32 neighbouring beta strings b'. Its lists have the strings b
/// that take elements of it, and these elements. No two lists of a tile add to the same b.
///
/// A tile of G is held as `tile_steps` steps of 16 pairs × 32 strings; element (t, b') of it is at
/// place(t, b'). Targets are told by section, so that the σ of a section fits where it is summed.
class TargetTiles {
 public:
  static constexpr int columns = 32, step_pairs = 16;
  /// Columns 4 i, 4 i + 2, 4 i + 1, 4 i + 3 lie side by side, as a lane that multiplies two blocks
  /// of every second column has them; rows lie differently, so that no two lanes of a warp that
  /// stores eight of them meet in a bank of shared memory.
  CISOLVE_HOST_DEVICE static constexpr int place(int t, int column) {
    const int turned = (column & ~3) | (column & 1) << 1 | (column >> 1 & 1);
    return t * columns + (turned ^ (t % 8 * 2));
  }
  /// A place of a tile that holds 0: behind its last step.
  CISOLVE_HOST_DEVICE static constexpr int zero_place(int tile_steps) {
    return tile_steps * step_pairs * columns;
  }

  /// Pairs of one irrep, first_pair and those behind it, which have steps of their own from
  /// first_step on; tile i has strings 32 i − lead … of the sources, so that tiles of c may begin
  /// before them.
  struct Part {
    int irrep = 0;
    int first_pair = 0, pairs = 0;
    int first_step = 0;
    StringRange sources = {};
    Index lead = 0;
    int steps() const { return (pairs + step_pairs - 1) / step_pairs; }
  };

  /// All that leads from the sources of the parts to `targets`; `section` targets together,
  /// most_section_targets at most. The targets of a tile are added up by `adders`, most_adders at
  /// most, who have about as much to do each.
  TargetTiles(const BetaLinks& links, const std::vector<Part>& parts, StringRange targets,
              int tile_steps, Index section, int adders);
  static constexpr int most_adders = 15;

  Index tiles() const { return tiles_; }
  int sections() const { return sections_; }

  /// From which target on anything is taken, a number of a beta string, of each step:
  /// [section][tile][step], and of all steps of a tile: [section][tile].
  /// `none` where nothing is.
  static constexpr Index none = 2147483647;
  std::vector<Index> step_from, tile_from;

  /// The lists of a tile, words begin[i] · 4 … begin[i + 1] · 4 of `words`, i as in tile_from:
  ///   most_adders + 1   of each adder its first chunk, and how many chunks there are
  ///   2 a chunk         its first row · 2^16 | rows of its second half · 2^8 | of its first half;
  ///                     its lowest target
  ///   32 a chunk        of both halves a target, 16 bits each, from the first of the section;
  ///                     65535: none
  ///   32 a row          of each target an element of G, place | sign · 2^15, of the first half in
  ///                     the low 16 bits, of the second, which may have fewer rows, in the high
  ///                     ones
  /// A chunk has two halves of 32 targets, which ascend and take about as many elements each.
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> words;
  std::size_t most_words() const { return most_words_; }  ///< of one tile

 private:
  Index tiles_ = 0;
  int sections_;
  std::size_t most_words_ = 0;
};

}  // namespace cisolve
