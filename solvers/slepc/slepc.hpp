#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "backends/ranks/communicator.hpp"
#include "cisolve/status.hpp"
#include "core/types.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Problem for SLEPc: the lowest eigenpairs of a symmetric matrix.
struct SlepcProblem {
  /// This rank's rows, vectors in host memory; every product is one vector's.
  LinearOperator* a = nullptr;
  std::span<const double> diagonal;  ///< a_ii of these rows
  /// These rows with all columns, compressed, where SLEPc is to have a copy of them as PETSc's
  /// matrix (AIJ); without, it asks `a` for products.
  std::span<const Offset> row_offsets;
  std::span<const Index> column_indices;
  std::span<const double> values;
  Communicator* ranks = nullptr;  ///< one, or those of MPI (World)
  int states = 1;
  double tolerance = 1e-6;  ///< on the residual 2-norm
  int max_iterations = 3000;
  std::string method;   ///< SLEPc's name of a solver of its class EPS: "krylovschur", "gd" …
  std::string options;  ///< PETSc's options, as on a command line

  bool assembled() const { return !row_offsets.empty(); }
};

/// Facts after one of SLEPc's iterations; the spans live for the call only.
struct SlepcIteration {
  int iteration = 0;
  int converged = 0;
  std::span<const double> energies, residual_norms;  ///< estimates, at most of `states`
  std::int64_t products = 0;
};
/// Called by all ranks; where rank 0's returns a status, SLEPc stops with what it has.
enum class SlepcGoOn { yes, cancelled, time_limit };
using SlepcObserver = std::function<SlepcGoOn(const SlepcIteration&)>;

struct SlepcResult {
  /// converged, or why not: cancelled, time_limit, max_iterations, breakdown.
  SolveStatus status = SolveStatus::max_iterations;
  int vectors = 0;             ///< that have converged, at most `states`
  std::vector<double> values;  ///< vectors × rows of this rank, one behind another
  int iterations = 0;
  bool assembled = false;     ///< SLEPc had the elements
  std::int64_t products = 0;  ///< of PETSc's matrix those with one vector, as PETSc counts them
  double product_seconds = 0.0;
  std::string version;              ///< "SLEPc 3.18.2"
  std::vector<std::string> unread;  ///< names of options that nobody has asked for
};

/// Empty, or why SLEPc cannot be used: its module, libcisolve_slepc.so beside libcisolve.so, is not
/// there, or cannot be loaded.
const std::string& slepc_failure();

/// The lowest eigenpairs by SLEPc. Called by all ranks. Throws ResourceError where the module
/// cannot be loaded, InputError on a method's name that SLEPc does not have and on what SLEPc says
/// of options and methods that do not fit the problem; what a product throws.
SlepcResult solve_by_slepc(const SlepcProblem& problem, const SlepcObserver& observer);

}  // namespace cisolve
