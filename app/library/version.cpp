#include "cisolve/version.hpp"

namespace cisolve {

std::string version() {
  return CISOLVE_VERSION;
}

}  // namespace cisolve
