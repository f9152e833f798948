#pragma once

#include "backends/ranks/world.hpp"

// What libcisolve_mpi.so has: the only code that sees MPI's headers.

extern "C" {
/// What CISOLVE_CUDA_MODULE_STAMP was when it was compiled.
const char* cisolve_mpi_stamp();
/// The ranks of a communicator that MPI's Fortran bindings have that handle of; the caller's.
cisolve::Communicator* cisolve_mpi_communicator(int handle);
/// MPI's ranks (MPI_Init); the caller's, who deletes it at the end of the process.
cisolve::World* cisolve_mpi_join();
}
