#include "hamiltonian/nuclear/shell_space.hpp"

#include <map>
#include <utility>
#include <vector>

#include "core/memory.hpp"

namespace cisolve {
namespace {

/// 2M, and whether the parity is odd.
using Key = std::pair<int, bool>;

Key with(const Key& key, const ShellInteraction& interaction, const ShellState& state) {
  const bool odd = interaction.orbits[state.orbit].l % 2 != 0;
  return {key.first + state.twice_m, key.second != odd};
}
/// Key of the other kind that makes up a sector with it.
Key partner(const Key& key, const ShellSector& sector) {
  return {sector.twice_m - key.first, key.second != (sector.parity < 0)};
}

/// Numbers of strings of one kind, state by state: with a state or without it.
std::map<Key, double> counts_of(const ShellInteraction& interaction, Nucleon kind, int nucleons) {
  std::vector<std::map<Key, double>> of_number(nucleons + 1);
  of_number[0][{0, false}] = 1.0;
  for (const ShellState& state : shell_states(interaction, kind)) {
    for (int k = nucleons; k > 0; --k) {
      for (const auto& [key, count] : of_number[k - 1]) {
        of_number[k][with(key, interaction, state)] += count;
      }
    }
  }
  return of_number[nucleons];
}

/// Strings of one kind, those that have a partner among the other kind's.
std::map<Key, std::vector<OrbitalString>> strings_of(const ShellInteraction& interaction,
                                                     Nucleon kind, int nucleons,
                                                     const ShellSector& sector,
                                                     const std::map<Key, double>& others) {
  const std::vector<ShellState> states = shell_states(interaction, kind);
  std::map<Key, std::vector<OrbitalString>> groups;
  const auto n = static_cast<int>(states.size());
  const OrbitalString last = OrbitalString::lowest(n) & ~OrbitalString::lowest(n - nucleons);
  for (OrbitalString s = OrbitalString::lowest(nucleons);; s = s.next()) {
    Key key{0, false};
    for (const int p : s) key = with(key, interaction, states[p]);
    if (others.contains(partner(key, sector))) groups[key].push_back(s);
    if (s == last) return groups;
  }
}

}  // namespace

double count_shell_determinants(const ShellInteraction& interaction, const ShellSector& sector) {
  const auto neutrons = counts_of(interaction, neutron, sector.neutrons);
  double count = 0.0;
  for (const auto& [key, strings] : counts_of(interaction, proton, sector.protons)) {
    const auto others = neutrons.find(partner(key, sector));
    if (others != neutrons.end()) count += strings * others->second;
  }
  return count;
}

DeterminantList shell_determinants(const ShellInteraction& interaction, const ShellSector& sector) {
  const double count = count_shell_determinants(interaction, sector);
  DeterminantList list;
  if (count == 0.0) return list;
  require_host_memory(2.0 * count * sizeof(OrbitalString), "the determinants of nucleons");
  const auto protons = strings_of(interaction, proton, sector.protons, sector,
                                  counts_of(interaction, neutron, sector.neutrons));
  const auto neutrons = strings_of(interaction, neutron, sector.neutrons, sector,
                                   counts_of(interaction, proton, sector.protons));
  for (auto* strings : {&list.alpha, &list.beta}) strings->reserve(static_cast<std::size_t>(count));
  for (const auto& [key, strings] : protons) {
    const auto& others = neutrons.at(partner(key, sector));
    for (const OrbitalString& p : strings) {
      list.alpha.insert(list.alpha.end(), others.size(), p);
      list.beta.insert(list.beta.end(), others.begin(), others.end());
    }
  }
  return list;
}

}  // namespace cisolve
