#include "hamiltonian/space/space_sizes.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/space/spaces.hpp"

namespace cisolve {
namespace {

double pairs_of(double n) {
  return n * (n - 1.0) / 2.0;
}

/// Of full CI and all irreps, with the determinant itself.
double couplings(const Integrals& integrals) {
  const auto electrons = electron_numbers(integrals);
  const double na = electrons[alpha], nb = electrons[beta];
  const double ha = integrals.orbitals - na, hb = integrals.orbitals - nb;
  return 1.0 + na * ha + nb * hb + pairs_of(na) * pairs_of(ha) + pairs_of(nb) * pairs_of(hb) +
         na * ha * nb * hb;
}

}  // namespace

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
  const auto irreps = static_cast<double>(all.size() - std::ranges::count(all, 0.0L));
  const auto add_space = [&](Space space, const CiSpaceOptions& options) {
    const auto counts = count_determinants(integrals, options);
    // A row has no more entries than the space has rows.
    const auto add = [&](std::optional<int> irrep, double determinants) {
      const double row = std::min(couplings(integrals) / irreps, determinants);
      sizes.push_back({space, options.ras.has_value(), irrep, determinants, determinants * row});
    };
    add({}, static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0.0L)));
    for (std::size_t g = 0; counts.size() > 1 && g < counts.size(); ++g) {
      if (all[g] > 0.0L) add(static_cast<int>(g), static_cast<double>(counts[g]));
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
