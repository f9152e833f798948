#include "hamiltonian/space/strings/string_space.hpp"

#include <algorithm>
#include <cstddef>

#include "core/threads/parallel_sort.hpp"
#include "hamiltonian/integrals/irreps.hpp"

namespace cisolve {
namespace {

/// The orbitals of neither RAS1 nor RAS3.
OrbitalString ras2(const StringSpace& space) {
  return (space.ras1 | space.ras3).empty_of(space.orbitals);
}

/// The orbitals in `set`, ascending, each as a string of its own.
std::vector<OrbitalString> single_orbitals(OrbitalString set) {
  std::vector<OrbitalString> result;
  for (const int p : set) result.push_back(OrbitalString::of(p));
  return result;
}

/// Calls visit(holes, particles, electrons in RAS1, in RAS2) for all numbers that strings of the
/// space have.
template <class Visit>
void for_each_class(const StringSpace& space, Visit visit) {
  const int of_ras1 = space.ras1.count(), of_ras2 = ras2(space).count();
  for (int h = 0; h <= space.max_holes; ++h) {
    for (int p = 0; p <= space.max_particles; ++p) {
      const int in_ras1 = of_ras1 - h, in_ras2 = space.electrons - in_ras1 - p;
      if (in_ras2 >= 0 && in_ras2 <= of_ras2) visit(h, p, in_ras1, in_ras2);
    }
  }
}

/// Number of r-subsets of `set` with product irrep g, at [r·irreps + g], r up to `limit`:
/// N(r, g) ← N(r, g) + N(r − 1, g ⊗ irrep(p)), orbital by orbital.
std::vector<long double> count_subsets(const StringSpace& space, OrbitalString set, int limit) {
  std::vector<long double> count((limit + 1) * space.irreps, 0.0L);
  count[0] = 1;
  for (const OrbitalString p : single_orbitals(set)) {
    for (int r = limit; r > 0; --r) {
      for (int g = 0; g < space.irreps; ++g) {
        count[r * space.irreps + g] +=
            count[(r - 1) * space.irreps + irrep_product(g, space.irrep(p))];
      }
    }
  }
  return count;
}

/// Calls visit(subset) for all subsets of r of the given orbitals, from `first` on, with those
/// chosen already.
template <class Visit>
void for_each_subset(const std::vector<OrbitalString>& orbitals, std::size_t first, int r,
                     OrbitalString chosen, const Visit& visit) {
  if (r == 0) {
    visit(chosen);
    return;
  }
  for (std::size_t k = first; k + r <= orbitals.size(); ++k) {
    for_each_subset(orbitals, k + 1, r - 1, chosen | orbitals[k], visit);
  }
}

}  // namespace

Index StringSpace::find(OrbitalString s) const {
  const int h = holes(s), p = particles(s);
  if (h > max_holes || p > max_particles) return -1;
  const int g = group(irrep(s), h, p);
  const auto begin = strings.begin() + group_begin[g];
  const auto end = strings.begin() + group_begin[g + 1];
  const auto found = std::lower_bound(begin, end, s);
  return found != end && *found == s ? static_cast<Index>(found - strings.begin()) : -1;
}

std::vector<long double> count_strings(const StringSpace& space) {
  const auto of_ras1 = count_subsets(space, space.ras1, space.ras1.count());
  const auto of_ras2 = count_subsets(space, ras2(space), space.electrons);
  const auto of_ras3 = count_subsets(space, space.ras3, space.max_particles);
  std::vector<long double> count(space.groups(), 0.0L);
  for_each_class(space, [&](int h, int p, int in_ras1, int in_ras2) {
    for (int f = 0; f < space.irreps; ++f) {
      for (int g = 0; g < space.irreps; ++g) {
        const long double of_both =
            of_ras1[in_ras1 * space.irreps + f] * of_ras2[in_ras2 * space.irreps + g];
        for (int k = 0; k < space.irreps; ++k) {
          count[space.group(irrep_product(f, g, k), h, p)] +=
              of_both * of_ras3[p * space.irreps + k];
        }
      }
    }
  });
  return count;
}

void fill_strings(StringSpace& space, const std::vector<bool>& wanted) {
  const auto of_ras1 = single_orbitals(space.ras1), of_ras2 = single_orbitals(ras2(space)),
             of_ras3 = single_orbitals(space.ras3);
  std::vector<std::vector<OrbitalString>> groups(space.groups());
  for_each_class(space, [&](int h, int p, int in_ras1, int in_ras2) {
    const auto add = [&](OrbitalString s) {
      const int g = space.group(space.irrep(s), h, p);
      if (wanted[g]) groups[g].push_back(s);
    };
    for_each_subset(of_ras1, 0, in_ras1, OrbitalString{}, [&](OrbitalString one) {
      for_each_subset(of_ras2, 0, in_ras2, one,
                      [&](OrbitalString two) { for_each_subset(of_ras3, 0, p, two, add); });
    });
  });
  space.group_begin.assign(1, 0);
  for (int g = 0; g < space.groups(); ++g) {
    parallel_sort(groups[g]);
    space.strings.insert(space.strings.end(), groups[g].begin(), groups[g].end());
    for (const OrbitalString s : groups[g]) {
      space.irrep_of.push_back(static_cast<std::int8_t>(space.irrep(s)));
      space.group_of.push_back(static_cast<std::int16_t>(g));
    }
    space.group_begin.push_back(space.size());
    groups[g] = {};
  }
}

}  // namespace cisolve
