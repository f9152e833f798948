#include "backends/cpu/instruction_set.hpp"

namespace cisolve {

const char* cpu_instruction_set() {
  return CISOLVE_INSTRUCTION_SET;
}

}  // namespace cisolve
