#pragma once

#include <string>

namespace cisolve {

/// "0.1.0", of the library that is loaded.
std::string version();

}  // namespace cisolve
