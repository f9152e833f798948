#pragma once

#include "solvers/slepc/slepc.hpp"

// Contents of libcisolve_slepc.so: the only code that sees PETSc's and SLEPc's headers.

extern "C" {
/// Value of CISOLVE_CUDA_MODULE_STAMP when it was compiled.
const char* cisolve_slepc_stamp();
/// solve_by_slepc.
void cisolve_slepc_solve(const cisolve::SlepcProblem& problem,
                         const cisolve::SlepcObserver& observer, cisolve::SlepcResult& result);
}
