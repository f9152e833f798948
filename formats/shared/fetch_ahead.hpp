#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/types.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

// A product reads a matrix from memory once, line after line. A processor fetches ahead by itself,
// but not far enough, and anew on every page of 4 KiB. Told where the next entries lie, it has them
// in time: products on AMD's and Intel's cores take 0.6 to 0.9 of the time.

/// Entries ahead. Types, since short rows notice a test.
using NotAhead = std::integral_constant<Offset, 0>;
/// So many that the memory's latency, 100 ns or more, is hidden at up to four entries a nanosecond;
/// into the second cache.
using FarAhead = std::integral_constant<Offset, 512>;
/// From the third cache, to which few entries are enough, into the first one, if X is read at
/// scattered places: the second cache is left to X.
using NearAhead = std::integral_constant<Offset, 64>;

/// True if the neighbouring columns of a row are, on average over some rows, several lines of X
/// apart.
inline bool is_scattered(const CsrMatrix& a) {
  constexpr Index rows = 256;
  constexpr Offset near = 48;
  const Index step = std::max<Index>(1, a.rows / rows);
  Offset columns = 0, steps = 0;
  for (Offset i = 0; i < a.rows; i += step) {
    const Offset begin = a.row_offsets[i], last = a.row_offsets[i + 1] - 1;
    if (last <= begin) continue;
    columns += a.column_indices[last] - a.column_indices[begin];
    steps += last - begin;
  }
  return columns > near * steps;
}

/// Calls multiply(how far ahead entries are fetched) for a matrix of so many bytes. One that stays
/// in the caches between two products is not fetched.
template <class Multiply>
void with_entries_ahead(std::size_t bytes, bool scattered, const Multiply& multiply) {
  constexpr std::size_t of_second_caches = std::size_t{8} << 20, of_third = std::size_t{32} << 20;
  if (bytes <= of_second_caches) {
    multiply(NotAhead());
  } else if (scattered && bytes <= of_third) {
    multiply(NearAhead());
  } else {
    multiply(FarAhead());
  }
}

/// Fetches the entry that lies so far ahead of one, maybe behind the arrays' ends.
template <class Value, class Place, class Ahead>
inline void fetch_entry(const Value* value, const Place* place, Ahead ahead) {
  if constexpr (ahead > 0) {
    const auto fetch = [&](auto* from) {
      constexpr int reading = 0, into_first_cache = 3, into_second_cache = 2;
      const auto address = reinterpret_cast<std::uintptr_t>(from) + ahead * sizeof(*from);
      __builtin_prefetch(reinterpret_cast<const void*>(address), reading,
                         ahead > NearAhead() ? into_second_cache : into_first_cache);
    };
    fetch(value);
    fetch(place);
  }
}

}  // namespace cisolve
