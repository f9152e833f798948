#pragma once

#include <string>

#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {

/// Those of NAME.fcidump in the folder of test data.
inline Integrals load(const std::string& name) {
  return read_fcidump(test_data() / (name + ".fcidump"));
}

}  // namespace cisolve
