#pragma once

#include <cstdint>

#include "backends/backend.hpp"
#include "hamiltonian/space/remainders.hpp"

// Determinants of a list by their remainders, in device memory: what ListPairs has on the host, for
// rows that are made one by one.

namespace cisolve::list_groups {

using Taken = Remainders::Taken;

/// One spin's side of a remainder: its string, or what remains of it without electrons. Arrays are
/// in device memory.
struct Side {
  const Index* string_of;   ///< of every row
  const Index* remainders;  ///< `each` of every string; null: the string itself, `each` being 1
  const Taken* taken;       ///< likewise
  int each;
  Index count;  ///< of all remainders, or strings
};

/// A kind of remainders: each of one spin with each of the other.
struct Sides {
  Side alpha, beta;

  CISOLVE_HOST_DEVICE int each() const { return alpha.each * beta.each; }
};

/// A determinant of a group, and what it has beside the remainder: of a string from which two
/// electrons, or one (equal ones), were taken their orbitals, of two strings the alpha and the beta
/// orbital.
struct alignas(8) Entry {
  Index row;
  Taken taken;
};

/// Row r's remainder k is that of group group_of[r · each + k], −1 where no other determinant has
/// it; group g has entries begin[g] … begin[g + 1] − 1, in the order of their rows.
struct Groups {
  int each = 0;
  Buffer<Index> group_of;
  Buffer<std::uint32_t> begin;
  Buffer<Entry> entries;

  std::size_t bytes() const {
    return group_of.size() * sizeof(Index) + begin.size() * sizeof(std::uint32_t) +
           entries.size() * sizeof(Entry);
  }
};

/// Bytes that grouping takes for a remainder of a row, while it is under way.
inline constexpr std::size_t grouping_bytes = 28;

/// Sorts remainders (radix sort of CUB), which gives the same groups on every run. Throws
/// ResourceError where there is no memory, or rows have 2^32 remainders and more.
Groups make_groups(const Sides& sides, Index rows, Backend& backend);

}  // namespace cisolve::list_groups
