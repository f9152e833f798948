#pragma once

#include "backends/ranks/world.hpp"

// Contents of libcisolve_mpi.so: the only code that sees MPI's headers.

extern "C" {
/// Value of CISOLVE_CUDA_MODULE_STAMP when it was compiled.
const char* cisolve_mpi_stamp();
/// The ranks of a communicator that MPI's Fortran bindings have that handle of; the caller's.
cisolve::Communicator* cisolve_mpi_communicator(int handle);
/// MPI's ranks (MPI_Init); the caller's, who deletes it at the end of the process.
cisolve::World* cisolve_mpi_join();
}
