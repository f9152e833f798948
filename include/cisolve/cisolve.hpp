#pragma once

/// The lowest eigenpairs of configuration interaction Hamiltonians and other sparse symmetric
/// matrices, and linear systems with them, on CPU and GPU.
///
/// Nothing process-wide is changed by a call: neither the number of OpenMP threads nor the current
/// CUDA device of the calling thread, and nothing is printed. Calls from several threads at once
/// are independent of each other. Errors are exceptions (cisolve/error.hpp); how a solve ended is a
/// status in its result, and only `converged` is success. All energies are in Hartree.

#include "cisolve/eigen.hpp"
#include "cisolve/error.hpp"
#include "cisolve/hamiltonian.hpp"
#include "cisolve/linear.hpp"
#include "cisolve/machine.hpp"
#include "cisolve/product.hpp"
#include "cisolve/status.hpp"
#include "cisolve/version.hpp"
