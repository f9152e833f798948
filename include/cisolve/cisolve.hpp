#pragma once

#include "cisolve/density.hpp"
#include "cisolve/eigen.hpp"
#include "cisolve/error.hpp"
#include "cisolve/hamiltonian.hpp"
#include "cisolve/linear.hpp"
#include "cisolve/machine.hpp"
#include "cisolve/product.hpp"
#include "cisolve/report.hpp"
#include "cisolve/select.hpp"
#include "cisolve/status.hpp"
#include "cisolve/version.hpp"

/// The lowest eigenpairs of configuration interaction Hamiltonians and other sparse symmetric
/// matrices, and linear systems with them, on CPU and GPU.
///
/// A call leaves the number of OpenMP threads, their schedule and the current CUDA device of the
/// calling thread as they were, and prints nothing. While it works, two things are of the process:
/// OpenBLAS before 0.3.24 has one number of threads for all, and .h5 files are read in a child
/// process. A program that uses HDF5 itself and leaves files open to its end calls HDF5 before this
/// library writes a checkpoint: otherwise HDF5 will not close them. Calls from several threads at
/// once are independent of each other. Errors are exceptions (cisolve/error.hpp); how a solve ended
/// is a status in its result, and only `converged` is success. Energies of integrals are in
/// Hartree, those of a matrix in its own unit.
namespace cisolve {}
