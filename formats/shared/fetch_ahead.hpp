#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/types.hpp"

namespace cisolve {

// A product reads a matrix once and elements of x many times. A matrix that passes through the
// caches pushes x out of them; fetched past them (`prefetchnta`), it leaves x where it is. On AMD's
// processors products then take 0.5 to 0.9 of the time (Zen 5). On Intel's they take 1.3 to 2 times
// as long (Xeon of 2023): there such fetches go by the few buffers of the nearest cache, and the
// processor's own by those of the next.

/// True if this processor reads a matrix faster so.
#if defined(__x86_64__)
inline const bool fetching_pays = __builtin_cpu_is("amd") != 0;
#else
inline const bool fetching_pays = false;
#endif

/// Entries ahead: 0, or so many that the memory's latency, 100 ns or more, is hidden at up to four
/// entries a nanosecond.
using NotAhead = std::integral_constant<Offset, 0>;
using FarAhead = std::integral_constant<Offset, 512>;
inline Offset entries_ahead() {
  return fetching_pays ? FarAhead::value : 0;
}

/// Calls multiply(how far ahead entries are fetched) for a matrix of so many bytes: not where it
/// stays in the caches between two products. Types, since short rows notice a test.
template <class Multiply>
void with_entries_ahead(std::size_t bytes, const Multiply& multiply) {
  constexpr std::size_t of_caches = std::size_t{16} << 20;
  fetching_pays&& bytes > of_caches ? multiply(FarAhead()) : multiply(NotAhead());
}

/// Fetches the entry that lies so far ahead of one, maybe behind the arrays' ends.
template <class Value, class Place, class Ahead>
inline void fetch_entry(const Value* value, const Place* place, Ahead ahead) {
  if (ahead == 0) return;
  const auto fetch = [&](auto* from) {
    const auto address = reinterpret_cast<std::uintptr_t>(from) + ahead * sizeof(*from);
    __builtin_prefetch(reinterpret_cast<const void*>(address), 0, 0);
  };
  fetch(value);
  fetch(place);
}

}  // namespace cisolve
