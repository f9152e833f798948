#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string>

#include "app/config/json.hpp"

namespace cisolve {

/// Parses a text of one YAML document. Throws YAML::ParserException, with the place, on anything
/// else, and where there is no document. yaml-cpp's own LoadAll never ends on some texts that are
/// none, such as ", a": it finds empty documents for ever, and keeps them all.
YAML::Node load_yaml(const std::string& text);

/// Bytes: a longer file is no run file, and not worth the memory of parsing it.
inline constexpr std::size_t longest_yaml = 1'000'000;

/// YAML text in block style, lists of plain values in one line. For to_json(RunConfig) it is a run
/// file.
std::string to_yaml(const Json& json);

}  // namespace cisolve
