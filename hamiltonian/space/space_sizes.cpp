#include "hamiltonian/space/space_sizes.hpp"

#include <cstdio>

#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/space/nonzeros.hpp"
#include "hamiltonian/space/spaces.hpp"

namespace cisolve {

std::string count_text(double count) {
  char digits[32];
  std::snprintf(digits, sizeof digits, count >= 1e15 ? "%.4e" : "%.0f", count);
  std::string text = digits;
  if (count >= 1e15) return text;
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(at, ",");
  return text;
}

std::vector<SpaceSize> space_sizes(const Integrals& integrals, Space asked,
                                   const std::optional<RestrictedActiveSpace>& ras) {
  std::vector<SpaceSize> sizes;
  const auto all = count_determinants(integrals, {});
  const auto add_space = [&](Space space, const CiSpaceOptions& options) {
    const auto counts = count_determinants(integrals, options);
    const auto nonzeros = bound_nonzeros(integrals, options);
    const std::size_t total = sizes.size();
    SpaceSize one{.space = space, .restricted = options.ras.has_value()};
    sizes.push_back(one);
    for (std::size_t g = 0; g < counts.size(); ++g) {
      one.irrep = static_cast<int>(g);
      one.determinants = static_cast<double>(counts[g]);
      one.nonzeros = nonzeros[g].most;
      one.fewest_nonzeros = nonzeros[g].fewest;
      sizes[total].determinants += one.determinants;
      sizes[total].nonzeros += one.nonzeros;
      sizes[total].fewest_nonzeros += one.fewest_nonzeros;
      if (counts.size() > 1 && all[g] > 0.0L) sizes.push_back(one);
    }
  };
  bool named = false;
  for (const auto& [space, name] : named_spaces) {
    add_space(space, {space.rank, {}});
    named = named || space == asked;
  }
  if (!named) add_space(asked, {asked.rank, {}});
  if (ras) {
    CiSpaceOptions options;
    options.ras = ras;
    add_space(Space::fci, options);
  }
  return sizes;
}

}  // namespace cisolve
