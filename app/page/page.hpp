#pragma once

#include <string>

#include "app/config/json.hpp"

namespace cisolve {

/// The report of `eigen`, `select` or `linear` (eigen_json, selection_json, linear_json) as one
/// HTML document that needs no other file and no script. It is well-formed as XML too.
std::string result_page(const Json& report);

}  // namespace cisolve
