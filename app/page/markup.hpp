#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cisolve {

/// Text as HTML and XML take it, in elements and in quoted attributes: valid UTF-8, no control
/// characters, markup escaped.
std::string xml_escaped(const std::string& text);

/// Names and values, which are escaped.
using Attributes = std::vector<std::pair<std::string, std::string>>;

/// <name attributes>content</name>; `content` is markup already. An empty one makes <name/> of
/// elements that never have any.
std::string element(const std::string& name, const Attributes& attributes,
                    const std::string& content);
std::string element(const std::string& name, const std::string& content);

}  // namespace cisolve
