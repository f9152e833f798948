#include "hamiltonian/spinor_product/remainder_groups.hpp"

#include "core/binomial.hpp"

namespace cisolve {
namespace {

/// Adds the strings of `electrons` more below `orbital`.
void add_groups(int orbital, int electrons, Index most, const OrbitalString& common,
                std::vector<RemainderGroup>& groups) {
  int below = electrons;  // so many orbitals have a group's strings
  while (below < orbital && binomial(below + 1, electrons) <= most) ++below;
  const Index first = groups.empty() ? 0 : groups.back().first + groups.back().count;
  groups.push_back({first, static_cast<Index>(binomial(below, electrons)), common});
  for (int p = below; p < orbital; ++p) {
    add_groups(p, electrons - 1, most, common.with(p), groups);
  }
}

}  // namespace

std::vector<RemainderGroup> remainder_groups(int orbitals, int electrons, Index most) {
  std::vector<RemainderGroup> groups;
  add_groups(orbitals, electrons, most, {}, groups);
  return groups;
}

}  // namespace cisolve
