#include "hamiltonian/nuclear/shell_space.hpp"

#include <map>
#include <utility>
#include <vector>

#include "core/memory.hpp"

namespace cisolve {
namespace {

/// Strings of one kind by 2M and by whether the parity is odd.
using Groups = std::map<std::pair<int, bool>, std::vector<OrbitalString>>;

Groups strings_of(const ShellInteraction& interaction, Nucleon kind, int nucleons) {
  const std::vector<ShellState> states = shell_states(interaction, kind);
  Groups groups;
  const auto n = static_cast<int>(states.size());
  if (nucleons == 0) return {{{0, false}, {OrbitalString()}}};
  if (nucleons > n) return {};
  const OrbitalString end = OrbitalString::lowest(n);
  for (OrbitalString s = OrbitalString::lowest(nucleons);; s = s.next()) {
    int twice_m = 0, l = 0;
    for (const int p : s) {
      twice_m += states[p].twice_m;
      l += interaction.orbits[states[p].orbit].l;
    }
    groups[{twice_m, l % 2 != 0}].push_back(s);
    if (s == (end & ~OrbitalString::lowest(n - nucleons))) return groups;  // the highest ones
  }
}

/// f(strings of protons, strings of neutrons) of the groups that make up a sector.
template <class F>
void for_groups(const ShellInteraction& interaction, const ShellSector& sector, F f) {
  const Groups protons = strings_of(interaction, proton, sector.protons);
  const Groups neutrons = strings_of(interaction, neutron, sector.neutrons);
  for (const auto& [key, strings] : protons) {
    const bool odd = key.second != (sector.parity < 0);
    const auto partners = neutrons.find({sector.twice_m - key.first, odd});
    if (partners != neutrons.end()) f(strings, partners->second);
  }
}

}  // namespace

std::int64_t count_shell_determinants(const ShellInteraction& interaction,
                                      const ShellSector& sector) {
  std::int64_t count = 0;
  for_groups(interaction, sector, [&](const auto& protons, const auto& neutrons) {
    count += std::ssize(protons) * std::ssize(neutrons);
  });
  return count;
}

DeterminantList shell_determinants(const ShellInteraction& interaction, const ShellSector& sector) {
  const auto count = static_cast<double>(count_shell_determinants(interaction, sector));
  require_host_memory(2.0 * count * sizeof(OrbitalString), "the determinants of nucleons");
  DeterminantList list;
  for (auto* strings : {&list.alpha, &list.beta}) strings->reserve(static_cast<std::size_t>(count));
  for_groups(interaction, sector, [&](const auto& protons, const auto& neutrons) {
    for (const OrbitalString& p : protons) {
      list.alpha.insert(list.alpha.end(), neutrons.size(), p);
      list.beta.insert(list.beta.end(), neutrons.begin(), neutrons.end());
    }
  });
  return list;
}

}  // namespace cisolve
