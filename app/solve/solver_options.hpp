#pragma once

#include "app/config/config.hpp"
#include "app/memory/memory_plan.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/linear/linear_problem.hpp"

namespace cisolve {

/// Solver options of a configuration.
EigenOptions eigen_options(const RunConfig& config);
/// Options for products without a matrix: no elements are read that several vectors could share,
/// and the vectors of the basis take most of the memory.
EigenOptions without_matrix(EigenOptions options);
/// The method that is meant: `automatic` with a weight is jacobi, with a size of blocks
/// block_jacobi, to which these belong.
LinearMethod method_of(const LinearConfig& config);
LinearOptions linear_options(const LinearConfig& config);

/// Memory that the eigensolver allocates, beside matrix and operator.
MemoryNeed eigen_memory(const RunConfig& config, const EigenOptions& options, Index rows,
                        int components = 1);
/// Applies a plan to the vectors: how many, and where.
void keep_to(const MemoryPlan& plan, EigenOptions& options);

/// Throws InputError where a key is given that the task's solver would ignore, or that its result
/// could not be trusted with.
void require_consistent(const RunConfig& config);

}  // namespace cisolve
