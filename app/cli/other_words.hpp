#pragma once

#include <string>
#include <vector>

namespace cisolve {

/// What an option of other programs is called here, as "; here it is --irrep"; empty where it is
/// none, or the command has none like it among its `options`.
std::string here_it_is(const std::string& typed, const std::vector<std::string>& options);

}  // namespace cisolve
