#include "app/page/markup.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace cisolve {
namespace {

/// HTML has <br> and XML <br/>; <td/> is an open cell in HTML.
bool is_void(std::string_view name) {
  constexpr std::array<std::string_view, 8> names{"br",   "hr",   "meta",     "col",
                                                  "rect", "line", "polyline", "path"};
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  using nlohmann::json;
  const auto valid = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace))
                         .get<std::string>();
  std::string out;
  for (const char c : valid) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += c;
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

std::string element(const std::string& name, const Attributes& attributes,
                    const std::string& content) {
  std::string out = "<" + name;
  for (const auto& [key, value] : attributes) out += " " + key + "=\"" + xml_escaped(value) + "\"";
  if (content.empty() && is_void(name)) return out + "/>";
  return out + ">" + content + "</" + name + ">";
}

std::string element(const std::string& name, const std::string& content) {
  return element(name, {}, content);
}

}  // namespace cisolve
