#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

namespace cisolve {

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// First fault of the document as XML; empty when its tags balance, attributes are quoted, and text
/// holds no markup but entities.
inline std::string markup_problem(const std::string& text) {
  static const std::regex tag(
      R"re(<(/?)([a-z][a-z0-9]*)((?: [a-zA-Z0-9-]+="(?:[^"<&]|&(?:amp|lt|gt|quot);)*")*)(/?)>)re");
  static const std::string doctype = "<!DOCTYPE html>";
  std::vector<std::string> open;
  std::size_t at = text.starts_with(doctype) ? doctype.size() : 0;
  while (at < text.size()) {
    const std::size_t next = std::min(text.find('<', at), text.size());
    for (std::size_t i = at; i < next; ++i) {
      const bool in_style = !open.empty() && open.back() == "style";
      if (text[i] == '>' && !in_style) return "text: " + text.substr(at, next - at);
      if (text[i] != '&') continue;
      const std::string entity = text.substr(i, text.find(';', i) + 1 - i);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;") {
        return "text: " + text.substr(at, next - at);
      }
    }
    if (next == text.size()) break;
    // A single tag is matched: regular expressions are recursive, and pages long.
    const std::string one = text.substr(next, text.find('>', next) + 1 - next);
    std::smatch match;
    if (!std::regex_match(one, match, tag)) return "no tag: " + one.substr(0, 60);
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != match[2]) return "closed unopened: " + one;
      open.pop_back();
    } else if (match[4].length() == 0) {
      open.push_back(match[2]);
    }
    at = next + one.size();
  }
  return open.empty() ? "" : "left open: " + open.back();
}

}  // namespace cisolve
