#include "app/solve/solver_options.hpp"

#include "app/config/config_value.hpp"
#include "app/model/open_model.hpp"
#include "core/error.hpp"
#include "formats/format.hpp"
#include "solvers/eigen/methods.hpp"

namespace cisolve {
namespace {

/// Linear solvers: no checkpoints, no states to choose among, and no operator changes its
/// precision.
void require_linear(const RunConfig& config) {
  const LinearMethod method = method_of(config.linear);
  const std::string solver =
      method == LinearMethod::automatic ? "a linear solver" : name_of(method);
  const auto refuse = [&](const std::string& key) {
    throw InputError(key + ": " + solver + " does not checkpoint or restart, eigensolvers do");
  };
  if (!config.checkpoint.file.empty()) refuse("checkpoint.file");
  if (!config.solver.restart.empty()) refuse("solver.restart");
  if (!config.input.follow.empty()) {
    throw InputError("input.follow: a linear system has no states that could be followed");
  }
  if (!config.input.dipole.empty()) {
    throw InputError(
        "input.dipole: a linear system has no states; dipole moments are of eigenstates");
  }
  if (!config.output.molden.empty() || !config.input.orbitals.empty()) {
    throw InputError(
        std::string(config.output.molden.empty() ? "input.orbitals" : "output.molden") +
        ": a linear system has no states that have natural orbitals");
  }
  if (config.input.spin_inversion != SpinInversion::all) {
    throw InputError(
        "input.spin_inversion: of eigenstates alone; a linear system is over all determinants");
  }
  refuse_matrix_over_pairs(config.input, "a linear system");
  if (config.solver.chooses_multiplicity()) {
    throw InputError("solver.multiplicity: a linear system has no states to choose among");
  }
  if (config.spmv.off_diagonal != Precision::float64) {
    throw InputError("spmv.off_diagonal: found float32, expected float64: " + solver +
                     " does not change over to double before it ends, eigensolvers do");
  }
  const bool has_weight = method == LinearMethod::jacobi || method == LinearMethod::jor ||
                          method == LinearMethod::block_jacobi ||
                          method == LinearMethod::anderson_jacobi;
  if (config.linear.omega > 0.0 && !has_weight) {
    throw InputError("linear.omega: " + solver +
                     " takes none; jacobi, jor, block_jacobi and anderson_jacobi do");
  }
  if (config.linear.block_size > 0 && method != LinearMethod::block_jacobi) {
    throw InputError("linear.block_size: " + solver + " has no blocks, block_jacobi has");
  }
  if (config.linear.shift_from_ground && config.linear.shift != 0.0) {
    throw InputError("linear.shift_from_ground: linear.shift is given too; one of them");
  }
}

void require_eigen(const SolverConfig& solver) {
  const auto refuse = [&](const std::string& key, const std::string& why) {
    throw InputError(key + ": " + std::string(name_of(solver.method)) + " " + why);
  };
  if (!traits_of(solver.method).corrects) {
    if (solver.olsen) refuse("solver.olsen", "makes no corrections, davidson and lobpcg do");
    if (solver.guard >= 0) refuse("solver.guard", "has no guard vectors, davidson and lobpcg do");
  }
  if (!traits_of(solver.method).chooses_basis && solver.max_basis > 0) {
    refuse("solver.max_basis", "has a basis of three blocks, davidson and lanczos take others");
  }
}

/// PETSc's matrix is of all elements, which a run then stores as CSR.
void require_elements(const RunConfig& config) {
  if (config.operator_kind == OperatorKind::direct) {
    throw InputError("solver.slepc_matrix: assembled needs the matrix, found operator direct");
  }
  if (config.input.spin_inversion != SpinInversion::all) {
    throw InputError(
        "solver.slepc_matrix: assembled needs the matrix, and functions of one parity "
        "(input.spin_inversion) are not stored");
  }
  if (find_format(first_format(config.spmv.format)).symmetric) {
    throw InputError("solver.slepc_matrix: assembled needs the whole matrix, of which format " +
                     config.spmv.format + " holds half");
  }
}

/// SLEPc iterates over the whole space, in double, on the host, and ends by residuals.
void require_slepc(const RunConfig& config) {
  const SolverConfig& solver = config.solver;
  if (solver.engine == Engine::cisolve) {
    if (!solver.slepc_options.empty()) {
      throw InputError("solver.slepc_options: given, and solver.engine is not slepc");
    }
    if (solver.slepc_matrix != SlepcMatrix::shell) {
      throw InputError("solver.slepc_matrix: assembled, and solver.engine is not slepc");
    }
    return;
  }
  const auto refuse = [](const std::string& key, const std::string& why) {
    throw InputError(key + ": not with solver.engine slepc, " + why);
  };
  if (config.task == Task::linear) refuse("task", "which has eigensolvers alone here");
  if (solver.chooses_multiplicity())
    refuse("solver.multiplicity", "which seeks states of any spin");
  if (solver.project) refuse("a projector", "which seeks states of the whole space");
  if (solver.stop_by != StopBy::residual) refuse("solver.stop_by", "which ends by residuals");
  if (config.spmv.off_diagonal != Precision::float64) {
    refuse("spmv.off_diagonal float32", "which does not change over to double");
  }
  if (solver.slepc_matrix == SlepcMatrix::assembled) require_elements(config);
  if (!solver.restart.empty()) refuse("solver.restart", "which begins anew");
  if (!config.checkpoint.file.empty()) refuse("checkpoint.file", "which writes none");
}

/// Vectors of a solve over so many rows of so many components.
SolverVectors solver_vectors(const EigenOptions& options, Index rows, int components) {
  return {basis_size(options, rows), smallest_basis(options, rows),
          components * other_vector_bytes(options, rows)};
}

}  // namespace

void require_consistent(const RunConfig& config) {
  require_slepc(config);
  if (config.task == Task::eigen) {
    require_eigen(config.solver);
  } else {
    require_linear(config);
  }
}

EigenOptions eigen_options(const RunConfig& config) {
  EigenOptions options;
  static_cast<EigenSolverSettings&>(options) = config.solver;
  options.checkpoint_vectors = config.checkpoint.vectors;
  options.exclusion_probability = verified_probability / config.solves;
  return options;
}

EigenOptions without_matrix(EigenOptions options) {
  options.exclusion_starts = 1;
  options.in_order_of_sectors = true;
  if (traits_of(options.method).corrects) options.least_basis = 12;
  return options;
}

LinearMethod method_of(const LinearConfig& config) {
  if (config.method != LinearMethod::automatic) return config.method;
  if (config.block_size > 0) return LinearMethod::block_jacobi;
  return config.omega > 0.0 ? LinearMethod::jacobi : LinearMethod::automatic;
}

LinearOptions linear_options(const LinearConfig& config) {
  LinearOptions options;
  static_cast<LinearSolverSettings&>(options) = config;
  options.method = method_of(config);
  return options;
}

void keep_to(const MemoryPlan& plan, EigenOptions& options) {
  options.max_basis = plan.basis_vectors;
  options.basis_in_host_memory = plan.basis_in_host_memory;
  if (!plan.guard) options.guard = 0;
  options.spare_bytes = plan.backend_left();
}

MemoryNeed eigen_memory(const RunConfig& config, const EigenOptions& options, Index rows,
                        int components) {
  MemoryNeed need;
  const auto p = components *
                 static_cast<std::size_t>(largest_p_space(config.solver.p_space, rows, components));
  need.p_space = p * p * sizeof(double);
  need.basis_vector = components * basis_vector_bytes(options, rows);
  need.basis_reads = traits_of(options.method).basis_reads;
  need.vectors = solver_vectors(options, rows, components);
  if (options.guard < 0 && traits_of(options.method).corrects) {
    EigenOptions without_guard = options;
    without_guard.guard = 0;
    need.without_guard = solver_vectors(without_guard, rows, components);
  }
  EigenOptions one = options;
  one.states = 1;
  one.guard = 0;
  need.vectors_of_one_state =
      components * other_vector_bytes(one, rows) +
      static_cast<std::size_t>(smallest_basis(one, rows)) * need.basis_vector;
  return need;
}

}  // namespace cisolve
