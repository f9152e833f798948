#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cisolve {

/// A kind of states, and how many of them are wanted; none: as many as of the others.
struct CountedKind {
  std::string kind;
  std::optional<int> states;
};

/// True if a text asks for more than the states of one kind: "A1,B1", "A1:2".
bool is_kind_list(const std::string& text);
/// The items between the commas.
std::vector<std::string> kind_items(const std::string& text);
/// The kind and number of an item such as "B1" or "A1:2"; none where it is no such item.
std::optional<CountedKind> counted_kind(const std::string& item);

}  // namespace cisolve
