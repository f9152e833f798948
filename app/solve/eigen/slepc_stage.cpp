#include "app/solve/eigen/slepc_stage.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "app/solve/facts.hpp"
#include "backends/ranks/row_partition.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

std::vector<double> diagonal_of(const LinearOperator& a, Backend& backend) {
  MultiVector d(backend, a.rows(), 1);
  a.diagonal(d.view());
  const HostMatrix host = backend.download(d.view());
  return {host.data(), host.data() + host.rows()};
}

/// Vectors to start from, of which every rank has its rows.
SolverState state_of(const SlepcResult& found, Communicator& ranks, Index own, int states) {
  SolverState state;
  state.states = states;
  state.vectors = found.vectors;
  state.iterations = found.iterations;
  state.operator_applications = found.products;
  state.read = [&found, &ranks, parts = partition_of(ranks, own), own](int j, HostMatrix& x,
                                                                       HostMatrix&) {
    x.resize(parts.rows(), 1);
    ranks.all_gather(found.values.data() + static_cast<std::size_t>(own) * j, x.data(),
                     parts.bytes(sizeof(double)));
  };
  return state;
}

}  // namespace

SlepcStage::SlepcStage(const RunContext& context) : context_(context) {
  if (context.config.solver.engine == Engine::slepc && context.backend.kind() != BackendKind::cpu) {
    throw InputError("solver.engine: slepc works on the CPU, found backend cuda; --backend cpu");
  }
}

void SlepcStage::take_rows(HeldMatrix& source) {
  if (context_.config.solver.slepc_matrix == SlepcMatrix::shell) return;
  rows_ = source.own_csr();
  if (rows_ == nullptr) {
    throw InputError(
        "solver.slepc_matrix: assembled needs the matrix in host memory, and it is "
        "not there");
  }
}

SlepcGoOn SlepcStage::go_on(const SlepcIteration& i, const EigenObserver& observer,
                            double time_limit) {
  EigenIteration shown;
  shown.iteration = i.iteration;
  shown.energies = i.energies;
  shown.residual_norms = i.residual_norms;
  shown.converged = i.converged;
  shown.operator_applications = i.products;
  shown.seconds = timer_.seconds();
  if (!observer(shown)) return SlepcGoOn::cancelled;
  return time_limit > 0.0 && timer_.seconds() > time_limit ? SlepcGoOn::time_limit : SlepcGoOn::yes;
}

void SlepcStage::solve(LinearOperator& a, const EigenObserver& observer, EigenOptions& options,
                       RunFacts& facts) {
  timer_ = {};
  Communicator& ranks = context_.backend.communicator();
  const SolverConfig& solver = context_.config.solver;
  const std::vector<double> diagonal = diagonal_of(a, context_.backend);
  SlepcProblem problem;
  problem.a = &a;
  problem.diagonal = diagonal;
  if (rows_) {
    require_real(*rows_, "solver.engine slepc");
    problem.row_offsets = rows_->row_offsets;
    problem.column_indices = rows_->column_indices;
    problem.values = rows_->values;
  }
  problem.ranks = &ranks;
  problem.states = options.states;
  problem.tolerance = options.residual_tolerance();
  problem.max_iterations = options.max_iterations;
  problem.method = solver.slepc_method;
  problem.options = solver.slepc_options;
  found_ = solve_by_slepc(problem, [&](const SlepcIteration& iteration) {
    return go_on(iteration, observer, options.time_limit);
  });
  rows_.reset();
  seconds_ = ranks.of_first(timer_.seconds());
  const std::string how = found_.assembled ? ", assembled" : "";
  facts.engine = {found_.version + ", " + solver.slepc_method + how, found_.iterations,
                  found_.products, seconds_, found_.product_seconds};
  for (const std::string& name : found_.unread) {
    add_note(facts, context_.log, "solver.slepc_options: nobody has read " + name);
  }
  state_ = state_of(found_, ranks, a.rows(), options.states);
  options.begin_from = &state_;
  if (found_.status != SolveStatus::converged) {
    options.max_iterations = 1;
  } else if (options.time_limit > 0.0) {
    options.time_limit = std::max(options.time_limit - seconds_, 1e-3);
  }
}

void SlepcStage::add_to(EigenResult& result) const {
  result.seconds += seconds_;
  result.product_seconds += found_.product_seconds;
  if (seconds_ > 0.0 && found_.status != SolveStatus::converged &&
      result.status != SolveStatus::converged) {
    result.status = found_.status;
  }
}

}  // namespace cisolve
