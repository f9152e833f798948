#include "hamiltonian/three_particle/string_removals.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <string>

#include "core/error.hpp"

namespace cisolve {
namespace {

constexpr std::uint64_t bit(int p) {
  return std::uint64_t{1} << p;
}

/// −1 where an odd number of electrons lies below orbital p.
int sign_of(std::uint64_t string, int p) {
  return std::popcount(string & (bit(p) - 1)) % 2 == 0 ? 1 : -1;
}

/// C(n, k) of n and k up to 64 at 65 n + k; what is beyond 2⁶³ belongs to no number of a string.
std::vector<std::int64_t> pascals_triangle() {
  std::vector<std::int64_t> table(65 * 65);
  for (int n = 0; n <= 64; ++n) {
    table[65 * n] = 1;
    for (int k = 1; k <= n; ++k) {
      const auto sum = static_cast<std::uint64_t>(table[65 * (n - 1) + k - 1]) +
                       static_cast<std::uint64_t>(table[65 * (n - 1) + k]);
      table[65 * n + k] = static_cast<std::int64_t>(sum);
    }
  }
  return table;
}

}  // namespace

std::int64_t binomial(int n, int k) {
  if (k < 0 || k > n) return 0;
  std::int64_t value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

Index AllStrings::size() const {
  const int chosen = std::min(electrons, orbitals - electrons);
  if (chosen < 0) return 0;
  std::int64_t count = 1;
  // C(m − k + i, i) grows with i: it is too large for Index before it overflows.
  for (int i = 1; i <= chosen; ++i) {
    count = binomial(orbitals - chosen + i, i);
    if (count > std::numeric_limits<Index>::max()) {
      throw InputError(std::to_string(electrons) + " electrons of one spin in " +
                       std::to_string(orbitals) + " orbitals: found more strings than " +
                       std::to_string(std::numeric_limits<Index>::max()));
    }
  }
  return static_cast<Index>(count);
}

std::int64_t AllStrings::number(std::uint64_t bits) {
  static const std::vector<std::int64_t> table = pascals_triangle();
  std::int64_t sum = 0;
  for (int i = 1; bits != 0; ++i, bits &= bits - 1) sum += table[65 * std::countr_zero(bits) + i];
  return sum;
}

StringRemovals::StringRemovals(int m, int electrons, int taken)
    : orbitals(m),
      removed(taken),
      sources(AllStrings(m, electrons).size()),
      targets(AllStrings(m, electrons - taken).size()),
      operators(static_cast<int>(binomial(m, taken))),
      rows(static_cast<int>(binomial(m - electrons + taken, taken))) {
  if (targets == 0) return;
  entries.reserve(static_cast<std::size_t>(targets) * rows);
  labels.reserve(entries.capacity());
  AllStrings(orbitals, electrons - removed).for_each([&](std::uint64_t target) {
    AllStrings(orbitals, removed).for_each([&](std::uint64_t set) {
      if ((target & set) != 0) return;
      const std::uint64_t source = target | set;
      int sign = 1;
      std::uint64_t left = source;
      for (std::uint64_t more = set; more != 0; more &= more - 1) {
        const int p = std::countr_zero(more);
        sign *= sign_of(left, p);
        left &= ~bit(p);
      }
      const auto number = static_cast<Index>(AllStrings::number(source));
      entries.push_back(sign * (number + 1));
      labels.push_back(static_cast<Index>(AllStrings::number(set)));
    });
  });
}

std::vector<Index> removals_by_orbital(const StringRemovals& single) {
  std::vector<Index> table(static_cast<std::size_t>(single.operators) * single.targets);
  for (Index target = 0; target < single.targets; ++target) {
    for (int i = 0; i < single.rows; ++i) {
      const std::size_t at = static_cast<std::size_t>(target) * single.rows + i;
      table[static_cast<std::size_t>(single.labels[at]) * single.targets + target] =
          single.entries[at];
    }
  }
  return table;
}

}  // namespace cisolve
