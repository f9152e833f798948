#include "app/input/determinants/listed_input.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace cisolve {
namespace {

OrbitalString string_of(const std::vector<int>& orbitals) {
  OrbitalString s;
  for (const int p : orbitals) s = s.with(p);
  return s;
}

void restrict_strings(std::vector<OrbitalString>& strings, const std::string& each,
                      const std::vector<int>& frozen, const std::vector<int>& active,
                      int orbitals) {
  const OrbitalString filled = string_of(frozen);
  const OrbitalString empty = OrbitalString::lowest(orbitals) & ~(filled | string_of(active));
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const auto fail = [&](const OrbitalString& where, const std::string& what) {
      throw InputError("list of determinants: " + each + " " + std::to_string(i + 1) +
                       ": orbital " + std::to_string(where.first() + 1) + " is " + what);
    };
    if (const OrbitalString holes = filled & ~strings[i]; !holes.empty()) {
      fail(holes, "empty, and it is frozen");
    }
    if (const OrbitalString outside = strings[i] & empty; !outside.empty()) {
      fail(outside, "occupied, and it is not among the active ones");
    }
    OrbitalString within;
    for (std::size_t k = 0; k < active.size(); ++k) {
      if (strings[i].has(active[k])) within = within.with(static_cast<int>(k));
    }
    strings[i] = within;
  }
}

/// Strings of an array of the caller's, so many words each. Throws InputError where the array ends
/// within one, or one has orbitals that no string can have.
std::vector<OrbitalString> strings_of_words(const std::vector<std::uint64_t>& from, int words,
                                            const std::string& name) {
  const auto each = static_cast<std::size_t>(words);
  if (words < 1 || from.size() % each != 0) {
    throw InputError("list of determinants: " + name + ": found " + std::to_string(from.size()) +
                     " words, expected " + std::to_string(words) + " for each string");
  }
  constexpr std::size_t most = OrbitalString::words_of(OrbitalString::most_orbitals);
  std::vector<OrbitalString> strings;
  strings.reserve(from.size() / each);
  for (std::size_t i = 0; i < from.size(); i += each) {
    for (std::size_t k = most; k < each; ++k) {
      if (from[i + k] == 0) continue;
      throw InputError("list of determinants: " + name + " string " + std::to_string(i / each + 1) +
                       ": found an orbital beyond " + std::to_string(64 * most) + ", the most");
    }
    strings.push_back(OrbitalString::from_words(&from[i], static_cast<int>(std::min(each, most))));
  }
  return strings;
}

}  // namespace

std::optional<ReadList> read_listed(const InputConfig& config, const Integrals& integrals) {
  const bool in_file = !config.determinants.empty(), in_files = !config.strings.empty();
  if (in_file && in_files) {
    throw InputError("input.determinants and input.strings both list determinants");
  }
  if (config.listed && (in_file || in_files)) {
    throw InputError(std::string(in_file ? "input.determinants" : "input.strings") +
                     " lists determinants, and arrays do, too");
  }
  const StringForm form{integrals.orbitals, config.first_orbital, integrals.general};
  if (in_file) return read_determinants(config.determinants, form);
  if (in_files) return read_strings(config.strings, form);
  if (config.first_orbital != FirstOrbital::automatic) {
    throw InputError(
        "input.first_orbital is of files with lists of determinants, and none is named");
  }
  if (!config.listed) return std::nullopt;
  const DeterminantArrays& arrays = *config.listed;
  return ReadList{{strings_of_words(arrays.alpha, arrays.words, "alpha"),
                   strings_of_words(arrays.beta, arrays.words, "beta"), arrays.product},
                  {}};
}

DeterminantList active_strings(const DeterminantList& list, const std::vector<int>& frozen,
                               const std::vector<int>& active, const Integrals& integrals) {
  const int orbitals = integrals.orbitals;
  DeterminantList made = list;
  const std::string each = list.product ? " string" : " part of determinant";
  restrict_strings(made.alpha, "alpha" + each, frozen, active, orbitals);
  restrict_strings(made.beta, "beta" + each, integrals.general ? std::vector<int>() : frozen,
                   active, orbitals);
  return made;
}

}  // namespace cisolve
