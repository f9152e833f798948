#include "app/config/irrep.hpp"

#include <cctype>
#include <charconv>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

namespace cisolve {
namespace {

struct PointGroup {
  std::string name;
  std::vector<std::string> irreps;  // in Molpro's order, ORBSYM labels 1, 2, …
};

const std::vector<PointGroup> point_groups{
    {"D2h", {"Ag", "B3u", "B2u", "B1g", "B1u", "B2g", "B3g", "Au"}},
    {"C2v", {"A1", "B1", "B2", "A2"}},
    {"C2h", {"Ag", "Au", "Bu", "Bg"}},
    {"D2", {"A", "B3", "B2", "B1"}},
    {"Cs", {"A'", "A''"}},
    {"C2", {"A", "B"}},
    {"Ci", {"Ag", "Au"}},
    {"C1", {"A"}},
};

/// The file's point group without the quotes and commas a header may have around it; null when the
/// header names none, or one not in the table.
const PointGroup* point_group(const Integrals& integrals) {
  for (const auto& [key, value] : integrals.other_keys) {
    if (to_lower(key) != "pntgrp") continue;
    std::string name = to_lower(value);
    std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
    for (const PointGroup& group : point_groups) {
      if (to_lower(group.name) == name) return &group;
    }
  }
  return nullptr;
}

}  // namespace

int irrep_number(const std::string& text, const Integrals& integrals) {
  const PointGroup* group = point_group(integrals);
  const int irreps = group == nullptr ? 8 : static_cast<int>(group->irreps.size());

  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    if (number >= 0 && number < irreps) return number;
    throw InputError("irrep " + text + ": expected 0 to " + std::to_string(irreps - 1));
  }
  if (group == nullptr) {
    throw InputError("irrep '" + text +
                     "': the file names no point group (PNTGRP), so give the irrep by number, "
                     "counted from 0 in ORBSYM order");
  }
  std::string names;
  for (int i = 0; i < irreps; ++i) {
    if (to_lower(group->irreps[i]) == to_lower(text)) return i;
    names += (i == 0 ? "" : ", ") + group->irreps[i];
  }
  throw InputError("irrep '" + text + "': " + group->name + " has " + names);
}

std::string irrep_name(int irrep, const Integrals& integrals) {
  const PointGroup* group = point_group(integrals);
  const bool named = group != nullptr && irrep < static_cast<int>(group->irreps.size());
  return named ? group->irreps[irrep] : std::to_string(irrep);
}

}  // namespace cisolve
