#include "app/config/counted_kinds.hpp"

#include <algorithm>

#include "app/config/config_value.hpp"

namespace cisolve {

bool is_kind_list(const std::string& text) {
  return text.find_first_of(",:") != text.npos;
}

std::vector<std::string> kind_items(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

std::optional<CountedKind> counted_kind(const std::string& item) {
  const std::size_t colon = std::min(item.find(':'), item.size());
  CountedKind one{item.substr(0, colon), {}};
  if (one.kind.empty()) return std::nullopt;
  if (colon == item.size()) return one;
  one.states = parse_number<int>(item.substr(colon + 1));
  return one.states && *one.states >= 1 ? std::optional(one) : std::nullopt;
}

}  // namespace cisolve
