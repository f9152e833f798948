#pragma once

#include <string>
#include <vector>

namespace cisolve {

/// The name here of an option that other programs have, as "; here it is --irrep"; empty where it
/// is none, or the command has none like it among its `options`.
std::string here_it_is(const std::string& typed, const std::vector<std::string>& options);

}  // namespace cisolve
