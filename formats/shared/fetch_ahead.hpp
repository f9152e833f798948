#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/types.hpp"

namespace cisolve {

// A product reads a matrix once and elements of x many times. A matrix that passes through the
// caches pushes x out of them; fetched past them (`prefetchnta`), it leaves x where it is. Products
// then take 0.5 to 0.9 of the time.

/// Bytes from which on a matrix does not stay in the caches between two products.
inline constexpr std::size_t larger_than_caches = std::size_t{16} << 20;

/// How many entries ahead a matrix is fetched. A type, since short rows notice a test.
template <Offset entries>
using FetchAhead = std::integral_constant<Offset, entries>;
inline constexpr FetchAhead<0> not_ahead;
/// Hides the memory's latency, 100 ns or more, at up to four entries a nanosecond.
inline constexpr FetchAhead<512> far_ahead;

/// Fetches the entry that lies so far ahead of one, maybe behind the arrays' ends.
template <class Value, class Place, class Ahead>
inline void fetch_entry(const Value* value, const Place* column, Ahead) {
  if constexpr (Ahead::value > 0) {
    const auto fetch = [](auto* from) {
      const auto place = reinterpret_cast<std::uintptr_t>(from) + Ahead::value * sizeof(*from);
      __builtin_prefetch(reinterpret_cast<const void*>(place), 0, 0);
    };
    fetch(value);
    fetch(column);
  }
}

}  // namespace cisolve
