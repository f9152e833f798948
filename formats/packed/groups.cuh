#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdint>

#include "formats/matrix/row_source.hpp"
#include "formats/packed/groups.hpp"
#include "formats/packed/packed.hpp"

// The walk of groups.hpp by a warp a slice, a lane a row: the base of a step is the warp's smallest
// column, the entries of a group are counted by ballots. Codes are looked up before, so that no
// lane waits for the table while it walks. A byte an entry says which ones stored groups have
// taken; a lane reads and writes those of its own row alone.

namespace cisolve::packed_groups {

namespace cg = cooperative_groups;

/// Few, so that the slices of a small block meet all processors.
inline constexpr int slice_threads = 64;
inline constexpr int lanes = packed_rows;

/// A block of rows, and what is found out about its entries.
struct Block {
  DeviceRows rows;
  Offset entries;
  Index first_slice, slices;
  const Index* row_order;      ///< of the whole matrix
  const std::uint16_t* codes;  ///< of the block's entries; null where none are coded
  std::uint8_t* taken;         ///< of them, whether a stored group has it
};

/// Entries that the lane of a row reads, from the row's first entry on.
struct LaneRow {
  Index number;  ///< of A; −1: there is none
  Index length;
  const Index* columns;
  const double* values;
  const std::uint16_t* codes;
  std::uint8_t* taken;

  __device__ LaneRow(const Block& block, Index slice, int lane) : number(-1), length(0) {
    const DeviceRows& rows = block.rows;
    const std::int64_t stored = std::int64_t{slice} * packed_rows + lane;
    if (stored < std::int64_t{rows.first} + rows.count) {
      number = block.row_order[stored];
      length = static_cast<Index>(rows.row_offsets[number - rows.first + 1] -
                                  rows.row_offsets[number - rows.first]);
    }
    const Offset begin =
        number < 0 ? 0 : rows.row_offsets[number - rows.first] - rows.row_offsets[0];
    columns = rows.column_indices + begin;
    values = rows.values + begin;
    codes = block.codes == nullptr ? nullptr : block.codes + begin;
    taken = block.taken + begin;
  }
};

/// The element of a row's entry as it is packed; 0 where it cannot be, or is.
struct CodedRow {
  using Element = std::uint16_t;
  const LaneRow& row;
  __device__ Element operator()(Index entry) const { return row.codes[entry]; }
};
struct PlainRow {
  using Element = double;
  const LaneRow& row;
  __device__ Element operator()(Index entry) const {
    return row.taken[entry] ? 0.0 : row.values[entry];
  }
};

/// Elements of four steps, stored at once.
template <class T>
struct alignas(packed_steps * sizeof(T)) Four {
  T steps[packed_steps];
  __device__ T& operator[](int t) { return steps[t]; }
  __device__ const T& operator[](int t) const { return steps[t]; }
};

/// A lane's part of a group: PackedGroup of groups.hpp by rows.
template <class Place, class Element>
struct LaneGroup {
  Four<Index> bases;
  Four<Place> places;
  Four<Element> elements;
  Four<Index> entries;  ///< of the row; −1: padding
  int count;            ///< of entries of all lanes

  __device__ bool is_stored() const { return count >= PackedGroup<Place, Element>::fewest_stored; }
};

/// SliceWalk of groups.hpp.
template <class Place, class Elements>
class WarpWalk {
 public:
  using Element = typename Elements::Element;
  using Group = LaneGroup<Place, Element>;
  using Packed = PackedGroup<Place, Element>;

  __device__ explicit WarpWalk(const LaneRow& row) : row_(row), elements_{row} { find(); }

  /// The next four steps; false, for all lanes, where no entries are left.
  __device__ bool take(Group& group) {
    const auto warp = cg::tiled_partition<lanes>(cg::this_thread_block());
    group.count = 0;
#pragma unroll
    for (int t = 0; t < packed_steps; ++t) {
      const std::uint32_t base = cg::reduce(warp, column_, cg::less<std::uint32_t>());
      const std::uint32_t offset = column_ - (has_bases<Place> ? base : 0);
      const bool takes_part = column_ != no_column && offset <= Packed::reach;
      group.bases[t] = base == no_column ? 0 : static_cast<Index>(base);
      group.places[t] = takes_part ? static_cast<Place>(offset) : Place{0};
      group.elements[t] = takes_part ? element_ : Element{0};
      group.entries[t] = takes_part ? next_ : -1;
      group.count += __popc(warp.ballot(takes_part));
      if (!takes_part) continue;
      ++next_;
      find();
    }
    return group.count > 0;
  }

 private:
  static constexpr std::uint32_t no_column = 0xffffffffu;

  /// The next entry that can be packed, from the next_-th on.
  __device__ void find() {
    column_ = no_column;
    for (; next_ < row_.length; ++next_) {
      element_ = elements_(next_);
      if (element_ != Element{0}) {
        column_ = static_cast<std::uint32_t>(row_.columns[next_]);
        return;
      }
    }
  }

  const LaneRow& row_;
  Elements elements_;
  Index next_ = 0;
  Element element_{0};
  std::uint32_t column_;
};

/// Hands f the groups that are stored and marks their entries taken; how many of them are the
/// lane's.
template <class Place, class Elements, class F>
__device__ Index take_groups(const LaneRow& row, F f) {
  Index packed = 0;
  WarpWalk<Place, Elements> walk(row);
  for (typename WarpWalk<Place, Elements>::Group group; walk.take(group);) {
    if (!group.is_stored()) continue;
    f(group);
#pragma unroll
    for (int t = 0; t < packed_steps; ++t) {
      if (group.entries[t] < 0) continue;
      row.taken[group.entries[t]] = 1;
      ++packed;
    }
  }
  return packed;
}

/// pack_slice of groups.hpp; entries of the lane's row that are in no group.
template <class Place, class Coded, class Plain>
__device__ Index pack_slice(const LaneRow& row, bool is_coded, Coded coded, Plain plain) {
  Index packed = 0;
  if (is_coded) packed += take_groups<Place, CodedRow>(row, coded);
  packed += take_groups<std::uint16_t, PlainRow>(row, plain);
  return row.length - packed;
}

/// Groups of all slices.
template <class Place, class Element>
struct StoredGroups {
  const Offset* slice_offsets;
  Index* bases;
  Place* places;
  Element* elements;

  __device__ void store(const LaneGroup<Place, Element>& group, Offset g, int lane) const {
    if (has_bases<Place> && lane == 0) reinterpret_cast<Four<Index>*>(bases)[g] = group.bases;
    reinterpret_cast<Four<Place>*>(places)[g * packed_rows + lane] = group.places;
    reinterpret_cast<Four<Element>*>(elements)[g * packed_rows + lane] = group.elements;
  }
};

/// The arrays to be filled.
template <class CodedPlace>
struct Stored {
  StoredGroups<CodedPlace, std::uint16_t> coded;
  StoredGroups<std::uint16_t, double> plain;
  const Offset* expansion_offsets;
  Index* expansion_columns;
  double* expansion_values;

  __device__ void store_expansion(const LaneRow& row) const {
    Offset to = expansion_offsets[row.number];
    for (Index entry = 0; entry < row.length; ++entry) {
      if (row.taken[entry]) continue;
      expansion_columns[to] = row.columns[entry];
      expansion_values[to++] = row.values[entry];
    }
  }
};

/// Counts, by the numbers of slices and rows plus one.
struct Counts {
  Offset* coded;
  Offset* plain;
  Offset* expansion;
};

/// The slice of this warp within a block.
__device__ inline Index warp_number() {
  return static_cast<Index>((blockIdx.x * blockDim.x + threadIdx.x) / lanes);
}

template <class Place>
__global__ void __launch_bounds__(slice_threads) count_kernel(Block block, Counts counts) {
  const Index number = warp_number(), slice = block.first_slice + number;
  const int lane = static_cast<int>(threadIdx.x % lanes);
  if (number >= block.slices) return;
  const LaneRow row(block, slice, lane);
  Offset coded = 0, plain = 0;
  const Index left = pack_slice<Place>(
      row, block.codes != nullptr, [&](const auto&) { ++coded; }, [&](const auto&) { ++plain; });
  if (row.number >= 0) counts.expansion[row.number + 1] = left;
  if (lane != 0) return;
  counts.coded[slice + 1] = coded;
  counts.plain[slice + 1] = plain;
}

template <class Place>
__global__ void __launch_bounds__(slice_threads) fill_kernel(Block block, Stored<Place> to) {
  const Index number = warp_number(), slice = block.first_slice + number;
  const int lane = static_cast<int>(threadIdx.x % lanes);
  if (number >= block.slices) return;
  const LaneRow row(block, slice, lane);
  Offset coded = to.coded.slice_offsets[slice], plain = to.plain.slice_offsets[slice];
  const Index left = pack_slice<Place>(
      row, block.codes != nullptr, [&](const auto& group) { to.coded.store(group, coded++, lane); },
      [&](const auto& group) { to.plain.store(group, plain++, lane); });
  if (left > 0) to.store_expansion(row);
}

}  // namespace cisolve::packed_groups
