#include "hamiltonian/space/string_space.hpp"

#include <algorithm>

namespace cisolve {
namespace {

OrbitalString all_orbitals(int n) {
  return n == 64 ? ~OrbitalString{0} : (OrbitalString{1} << n) - 1;
}

/// Highest rank whose strings are made.
int rank_limit(const StringSpace& space) {
  return space.full ? std::min(space.electrons, space.orbitals - space.electrons) : space.max_rank;
}

/// The orbitals in `set`, ascending, each as a string of its own.
std::vector<OrbitalString> single_orbitals(OrbitalString set) {
  std::vector<OrbitalString> result;
  for (; set != 0; set &= set - 1) result.push_back(set & -set);
  return result;
}

/// Number of r-subsets of `set` with product irrep g, at [r·irreps + g], r up to `limit`:
/// N(r, g) ← N(r, g) + N(r − 1, g ⊗ irrep(p)), orbital by orbital.
std::vector<long double> count_subsets(const StringSpace& space, OrbitalString set, int limit) {
  std::vector<long double> count((limit + 1) * space.irreps, 0.0L);
  count[0] = 1;
  for (const OrbitalString p : single_orbitals(set)) {
    for (int r = limit; r > 0; --r) {
      for (int g = 0; g < space.irreps; ++g) {
        count[r * space.irreps + g] += count[(r - 1) * space.irreps + (g ^ space.irrep(p))];
      }
    }
  }
  return count;
}

/// All subsets of r of the given orbitals, in lexical order of their orbital lists.
void append_subsets(const std::vector<OrbitalString>& orbitals, std::size_t first, int r,
                    OrbitalString chosen, std::vector<OrbitalString>& result) {
  if (r == 0) {
    result.push_back(chosen);
    return;
  }
  for (std::size_t k = first; k + r <= orbitals.size(); ++k) {
    append_subsets(orbitals, k + 1, r - 1, chosen | orbitals[k], result);
  }
}

std::vector<OrbitalString> subsets(OrbitalString set, int r) {
  std::vector<OrbitalString> result;
  append_subsets(single_orbitals(set), 0, r, 0, result);
  return result;
}

}  // namespace

Index StringSpace::find(OrbitalString s) const {
  const int r = rank(s);
  if (r > max_rank) return -1;
  const int g = group(irrep(s), r);
  const auto begin = strings.begin() + group_begin[g];
  const auto end = strings.begin() + group_begin[g + 1];
  const auto found = std::lower_bound(begin, end, s);
  return found != end && *found == s ? static_cast<Index>(found - strings.begin()) : -1;
}

std::vector<long double> count_strings(const StringSpace& space) {
  const OrbitalString virtuals = all_orbitals(space.orbitals) & ~space.reference;
  const int limit = rank_limit(space);
  const auto holes = count_subsets(space, space.reference, limit);
  const auto particles = count_subsets(space, virtuals, limit);
  const int reference_irrep = space.irrep(space.reference);
  std::vector<long double> count(space.groups(), 0.0L);
  for (int r = 0; r <= limit; ++r) {
    for (int h = 0; h < space.irreps; ++h) {
      for (int p = 0; p < space.irreps; ++p) {
        count[space.group(reference_irrep ^ h ^ p, space.full ? 0 : r)] +=
            holes[r * space.irreps + h] * particles[r * space.irreps + p];
      }
    }
  }
  return count;
}

void fill_strings(StringSpace& space, const std::vector<bool>& wanted) {
  const OrbitalString virtuals = all_orbitals(space.orbitals) & ~space.reference;
  std::vector<std::vector<OrbitalString>> groups(space.groups());
  for (int r = 0; r <= rank_limit(space); ++r) {
    const auto particles = subsets(virtuals, r);
    for (const OrbitalString hole : subsets(space.reference, r)) {
      for (const OrbitalString particle : particles) {
        const OrbitalString s = (space.reference & ~hole) | particle;
        const int g = space.group(space.irrep(s), space.rank(s));
        if (wanted[g]) groups[g].push_back(s);
      }
    }
  }
  space.group_begin.assign(1, 0);
  for (int g = 0; g < space.groups(); ++g) {
    std::sort(groups[g].begin(), groups[g].end());
    space.strings.insert(space.strings.end(), groups[g].begin(), groups[g].end());
    space.irrep_of.insert(space.irrep_of.end(), groups[g].size(), g / (space.max_rank + 1));
    space.rank_of.insert(space.rank_of.end(), groups[g].size(), g % (space.max_rank + 1));
    space.group_begin.push_back(space.size());
    groups[g] = {};
  }
}

}  // namespace cisolve
