#include "app/input/listed_input.hpp"

#include <string>

#include "core/error.hpp"

namespace cisolve {
namespace {

OrbitalString string_of(const std::vector<int>& orbitals) {
  OrbitalString s;
  for (const int p : orbitals) s = s.with(p);
  return s;
}

void restrict_strings(std::vector<OrbitalString>& strings, const std::vector<int>& frozen,
                      const std::vector<int>& active, int orbitals) {
  const OrbitalString filled = string_of(frozen);
  const OrbitalString empty = OrbitalString::lowest(orbitals) & ~(filled | string_of(active));
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const auto fail = [&](const OrbitalString& where, const std::string& what) {
      throw InputError("list of determinants: string " + std::to_string(i + 1) + ": orbital " +
                       std::to_string(where.first() + 1) + " is " + what);
    };
    if (const OrbitalString holes = filled & ~strings[i]; !holes.empty()) {
      fail(holes, "empty, and it is frozen");
    }
    if (const OrbitalString outside = strings[i] & empty; !outside.empty()) {
      fail(outside, "occupied, and it is not among the active ones");
    }
    OrbitalString within = strings[i] & ~OrbitalString::lowest(orbitals);  // an error elsewhere
    for (std::size_t k = 0; k < active.size(); ++k) {
      if (strings[i].has(active[k])) within = within.with(static_cast<int>(k));
    }
    strings[i] = within;
  }
}

}  // namespace

std::optional<ReadList> read_listed(const InputConfig& config, const Integrals& integrals) {
  const StringForm form{integrals.orbitals, config.first_orbital, integrals.general};
  if (!config.determinants.empty() && !config.strings.empty()) {
    throw InputError("input.determinants and input.strings both list determinants");
  }
  if (!config.determinants.empty()) return read_determinants(config.determinants, form);
  if (!config.strings.empty()) return read_strings(config.strings, form);
  return std::nullopt;
}

DeterminantList active_strings(const DeterminantList& list, const std::vector<int>& frozen,
                               const std::vector<int>& active, const Integrals& integrals) {
  const int orbitals = integrals.orbitals;
  DeterminantList made = list;
  restrict_strings(made.alpha, frozen, active, orbitals);
  restrict_strings(made.beta, integrals.general ? std::vector<int>() : frozen, active, orbitals);
  return made;
}

}  // namespace cisolve
