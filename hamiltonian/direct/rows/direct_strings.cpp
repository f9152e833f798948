#include "hamiltonian/direct/rows/direct_strings.hpp"

#include <algorithm>
#include <numeric>

namespace cisolve {

DirectStrings::DirectStrings(const StringSpace& space, const std::vector<int>& irreps)
    : orbitals(space.orbitals), electrons(space.electrons), orbital_irreps(irreps) {
  number.resize(space.strings.size());
  std::iota(number.begin(), number.end(), Index{0});
  std::ranges::stable_sort(number, {},
                           [&](Index i) { return irrep(OrbitalString64(space.strings[i])); });
  for (const Index i : number) {
    strings.emplace_back(space.strings[i]);
    irrep_of.push_back(static_cast<std::int8_t>(irrep(strings.back())));
    ++begin[irrep_of.back() + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
}

int DirectStrings::irrep(OrbitalString64 s) const {
  int product = 0;
  for (const int p : s) product = irrep_product(product, orbital_irreps[p]);
  return product;
}

Index DirectStrings::find(OrbitalString64 s) const {
  const int g = irrep(s);
  const auto first = strings.begin() + begin[g], last = strings.begin() + begin[g + 1];
  const auto found = std::lower_bound(first, last, s);
  return found != last && *found == s ? static_cast<Index>(found - strings.begin()) : -1;
}

std::array<std::vector<OrbitalPair>, most_irreps> pairs_by_irrep(const std::vector<int>& irreps) {
  const int n = static_cast<int>(irreps.size());
  std::array<std::vector<OrbitalPair>, most_irreps> pairs;
  pairs[0].push_back(no_pair);
  for (int p = 0; p < n; ++p) pairs[0].push_back({p, p});
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < p; ++q) pairs[irrep_product(irreps[p], irreps[q])].push_back({p, q});
  }
  return pairs;
}

}  // namespace cisolve
