#include "app/config/irrep.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <functional>
#include <utility>

#include "core/error.hpp"
#include "core/text/text.hpp"

namespace cisolve {
namespace {

struct PointGroup {
  std::string name;
  std::vector<std::string> molpro;  // in the order of ORBSYM's labels 1, 2, …
  std::vector<std::string> pyscf;   // of labels 0, 1, … (pyscf.symm); empty: the same

  const std::vector<std::string>& irreps(const Integrals& integrals) const {
    return integrals.irreps_as_pyscf && !pyscf.empty() ? pyscf : molpro;
  }
};

// Products are the exclusive or of the numbers in either order.
const std::vector<PointGroup> point_groups{
    {"D2h",
     {"Ag", "B3u", "B2u", "B1g", "B1u", "B2g", "B3g", "Au"},
     {"Ag", "B1g", "B2g", "B3g", "Au", "B1u", "B2u", "B3u"}},
    {"C2v", {"A1", "B1", "B2", "A2"}, {"A1", "A2", "B1", "B2"}},
    {"C2h", {"Ag", "Au", "Bu", "Bg"}, {"Ag", "Bg", "Au", "Bu"}},
    {"D2", {"A", "B3", "B2", "B1"}, {"A", "B1", "B2", "B3"}},
    {"Cs", {"A'", "A''"}, {}},
    {"C2", {"A", "B"}, {}},
    {"Ci", {"Ag", "Au"}, {}},
    {"C1", {"A"}, {}},
};

/// Point group with this name, quotes and commas around it aside; null if there is none.
const PointGroup* find_point_group(const std::string& text) {
  std::string name = to_lower(text);
  std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
  for (const PointGroup& group : point_groups) {
    if (to_lower(group.name) == name) return &group;
  }
  return nullptr;
}

/// Point groups of as many irreps as the orbitals' labels need, each with the names of these.
std::string possible_groups(const Integrals& integrals) {
  int highest = 0;
  for (const auto& irreps : integrals.orbital_irreps) {
    if (!irreps.empty()) highest = std::max(highest, std::ranges::max(irreps));
  }
  const auto order = std::bit_ceil(static_cast<unsigned>(highest) + 1);
  std::string text;
  for (const PointGroup& group : point_groups) {
    if (group.molpro.size() != order) continue;
    text += (text.empty() ? "" : ", ") + group.name + " (" +
            joined(group.irreps(integrals), ", ", std::identity()) + ")";
  }
  return text;
}

bool is_point_group_key(const std::pair<std::string, std::string>& entry) {
  return to_lower(entry.first) == "pntgrp";
}

/// Null when the header names none, or one not in the table.
const PointGroup* point_group(const Integrals& integrals) {
  const auto entry = std::ranges::find_if(integrals.other_keys, is_point_group_key);
  return entry == integrals.other_keys.end() ? nullptr : find_point_group(entry->second);
}

}  // namespace

void set_point_group(const std::string& name, Integrals& integrals) {
  const PointGroup* group = find_point_group(name);
  if (group == nullptr) {
    throw InputError("input.point_group: found '" + name + "', expected one of " +
                     joined(point_groups, ", ", &PointGroup::name));
  }
  if (integrals.orbital_irreps[alpha].empty()) {
    throw InputError("input.point_group: the orbitals have no irreps (ORBSYM)");
  }
  for (const auto& irreps : integrals.orbital_irreps) {
    const int highest = std::ranges::max(irreps), order = static_cast<int>(group->molpro.size());
    if (highest >= order) {
      throw InputError("input.point_group: " + group->name + " has " + std::to_string(order) +
                       " irreps, and an orbital is of irrep " + std::to_string(highest) +
                       ", counted from 0");
    }
  }
  std::erase_if(integrals.other_keys, is_point_group_key);
  integrals.other_keys.emplace_back("PNTGRP", group->name);
}

std::vector<CountedKind> irrep_list(const std::string& text) {
  std::vector<CountedKind> list;
  for (const std::string& item : kind_items(text)) {
    const std::optional<CountedKind> one = counted_kind(item);
    if (!one) {
      throw InputError("input.irrep: found '" + item +
                       "', expected an irrep, or irreps and numbers of states such as A1:2,B1:1");
    }
    list.push_back(*one);
  }
  return list;
}

int irrep_number(const std::string& text, const Integrals& integrals) {
  if (is_kind_list(text)) {
    throw InputError("irrep '" + text + "': expected one; several are what eigen and run take");
  }
  const PointGroup* group = point_group(integrals);
  const int irreps = group == nullptr ? 8 : static_cast<int>(group->molpro.size());

  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    if (number >= 0 && number < irreps) return number;
    throw InputError("irrep " + text + ": expected 0 to " + std::to_string(irreps - 1));
  }
  if (group == nullptr) {
    throw InputError("irrep '" + text +
                     "': the file names no point group (PNTGRP), and its orbitals may be of " +
                     possible_groups(integrals) +
                     "; give the group by --point-group, or the irrep by number, counted from 0 in "
                     "ORBSYM order");
  }
  std::string names;
  for (int i = 0; i < irreps; ++i) {
    const std::string& name = group->irreps(integrals)[i];
    if (to_lower(name) == to_lower(text)) return i;
    names += (i == 0 ? "" : ", ") + name;
  }
  throw InputError("irrep '" + text + "': " + group->name + " has " + names);
}

std::string irrep_name(int irrep, const Integrals& integrals) {
  const PointGroup* group = point_group(integrals);
  const bool named = group != nullptr && irrep < static_cast<int>(group->molpro.size());
  return named ? group->irreps(integrals)[irrep] : std::to_string(irrep);
}

}  // namespace cisolve
