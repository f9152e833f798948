#pragma once

#include "solvers/slepc/slepc.hpp"

// What libcisolve_slepc.so has: the only code that sees PETSc's and SLEPc's headers.

extern "C" {
/// What CISOLVE_CUDA_MODULE_STAMP was when it was compiled.
const char* cisolve_slepc_stamp();
/// solve_by_slepc.
void cisolve_slepc_solve(const cisolve::SlepcProblem& problem,
                         const cisolve::SlepcObserver& observer, cisolve::SlepcResult& result);
}
