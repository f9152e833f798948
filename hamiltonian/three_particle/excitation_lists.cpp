#include "hamiltonian/three_particle/excitation_lists.hpp"

#include <algorithm>
#include <bit>

#include "hamiltonian/three_particle/string_removals.hpp"

namespace cisolve {

ExcitationLists::ExcitationLists(int orbitals, int electrons)
    : links(electrons * (orbitals - electrons + 1)) {
  const std::size_t all = static_cast<std::size_t>(AllStrings(orbitals, electrons).size()) * links;
  entries.reserve(all);
  pairs.reserve(all);
  AllStrings(orbitals, electrons).for_each([&](std::uint64_t target) {
    for (int p = 0; p < orbitals; ++p) {
      if ((target >> p & 1) == 0) continue;
      const std::uint64_t fewer = target & ~(std::uint64_t{1} << p);
      for (int q = 0; q < orbitals; ++q) {
        if ((fewer >> q & 1) != 0) continue;
        const int high = std::max(p, q), low = std::min(p, q);
        // Electrons between p and q.
        const std::uint64_t below_high = (std::uint64_t{1} << high) - 1,
                            below_low = (std::uint64_t{1} << low) - 1;
        const int between = std::popcount(fewer & below_high & ~below_low);
        const auto source =
            static_cast<Index>(AllStrings::number(fewer | std::uint64_t{1} << q)) + 1;
        entries.push_back(between % 2 == 0 ? source : -source);
        pairs.push_back(high * (high + 1) / 2 + low);
      }
    }
  });
}

}  // namespace cisolve
