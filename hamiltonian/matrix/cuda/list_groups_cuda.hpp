#pragma once

#include <cstdint>

#include "backends/backend.hpp"
#include "hamiltonian/space/strings/remainders.hpp"

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

/// Remainder k of row r has the number r · each + k, and is that of group group_of[number], −1
/// where no other determinant has it; group g has the numbers begin[g] … begin[g + 1] − 1 of
/// `members`, in the order of their rows.
struct Groups {
  Buffer<Index> group_of;
  Buffer<std::uint32_t> begin, members;

  std::size_t bytes() const {
    return (group_of.size() + begin.size() + members.size()) * sizeof(std::uint32_t);
  }
};

/// Sorts remainders (radix sort of CUB), which gives the same groups on every run. Throws
/// ResourceError where there is no memory, or rows have 2^32 remainders and more.
Groups make_groups(const Sides& sides, Index rows, Backend& backend);

}  // namespace cisolve::list_groups
