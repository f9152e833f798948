#pragma once

#include <ostream>
#include <vector>

#include "app/config/json.hpp"
#include "app/solve/outcome/followed.hpp"

namespace cisolve {

/// Entries of every given vector: `vector` and `state` (from 1, null of none), `overlap`, `found`.
Json followed_json(const std::vector<Followed>& followed);
/// Prints them as a table.
void print_followed(std::ostream& out, const std::vector<Followed>& followed);

}  // namespace cisolve
