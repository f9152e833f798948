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

/// The same in YAML's block style, lists of plain values in a line: of to_json(RunConfig) a run
/// file.
std::string to_yaml(const Json& json);

}  // namespace cisolve
