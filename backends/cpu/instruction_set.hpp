#pragma once

namespace cisolve {

/// Instruction set for which the CPU's loops in this process were compiled: "x86-64", "x86-64-v3",
/// "x86-64-v4", "native", or the name of another family of processors, such as "aarch64".
const char* cpu_instruction_set();

}  // namespace cisolve
