#include "hamiltonian/basis/space_basis.hpp"

#include <algorithm>

#include "hamiltonian/states/spin_matrix.hpp"

namespace cisolve {

std::vector<Index> SpaceBasis::states_of_multiplicity(const Sectors& sectors,
                                                      int multiplicity) const {
  const auto states = space_.visit([&](const auto& space) {
    return cisolve::states_of_multiplicity(
        space, multiplicity, std::max<int>(1, std::ssize(sectors.sizes)), [&](Index a, Index b) {
          if (sectors.sizes.empty()) return 0;
          return static_cast<int>(sectors.of(static_cast<Index>(space.determinants_of(a).find(b))));
        });
  });
  return {states.begin(), states.end()};
}

}  // namespace cisolve
