#include "app/solve/linear.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "app/input/rank_source.hpp"
#include "app/solve/facts.hpp"
#include "app/solve/operator_stage.hpp"
#include "app/solve/solver_options.hpp"
#include "core/error.hpp"
#include "core/host_matrix.hpp"
#include "formats/matrix/row_dominance.hpp"

namespace cisolve {
namespace {

EigenOptions ground_options(const RunConfig& config) {
  EigenOptions options;
  options.seed = config.solver.seed;
  options.time_limit = config.linear.time_limit;
  return options;
}

/// The linear solver's vectors, after those of the ground state where that is computed first.
MemoryNeed linear_memory(const RunConfig& config, const EigenOptions& ground, Index rows,
                         int columns) {
  MemoryNeed need;
  if (config.linear.shift_from_ground) {
    need = eigen_memory(config, ground, rows);
    need.vectors_of_one_state = 0;
    need.without_guard.reset();
  }
  if (method_of(config.linear) == LinearMethod::block_jacobi) {
    const auto p = static_cast<std::size_t>(largest_p_space(config.solver.p_space, rows));
    const auto size = static_cast<std::size_t>(std::min(config.linear.block_size, rows));
    if (size == 0) need.p_space = p * p * sizeof(double);
    need.blocks = size * static_cast<std::size_t>(rows) * sizeof(double);
  }
  need.vectors.others = std::max(need.vectors.others,
                                 linear_vector_bytes(linear_options(config.linear), rows, columns));
  return need;
}

/// The lowest eigenvalue, found by Davidson's method.
GroundFacts ground_state(const RunContext& context, RunFacts& facts, EigenOptions options,
                         LinearOperator& a, const PSpace& p_space, const EigenObserver& observer) {
  keep_to(facts.memory, options);
  const EigenResult result = lowest_eigenpairs(a, context.backend, p_space, options, observer);
  const GroundFacts ground{result.energies[0], result.residual_norms[0],
                           result.operator_applications + result.probe_applications,
                           result.seconds};
  if (result.status != SolveStatus::converged) {
    add_note(facts, context.log,
             fmt::format("linear.shift_from_ground: the ground state is not converged ({}): "
                         "its energy is within its residual, {:.1e}, of an eigenvalue",
                         to_string(result.status), ground.residual_norm));
  }
  return ground;
}

bool divides_by_p_space(const LinearConfig& config) {
  return method_of(config) == LinearMethod::block_jacobi && config.block_size == 0;
}

/// diagonal_blocks of a matrix that is not stored.
HostMatrix blocks_of_rows(MatrixSource& a, Index size) {
  HostMatrix blocks = HostMatrix::Zero(a.rows(), size);
  std::vector<Index> rows;
  for (Index first = 0; first < a.rows(); first += size) {
    rows.resize(std::min(size, a.rows() - first));
    std::iota(rows.begin(), rows.end(), first);
    const auto n = std::ssize(rows);
    blocks.block(first, 0, n, n) = a.principal_submatrix(rows);
  }
  return blocks;
}

/// `csr`: the matrix, where it is stored.
DiagonalBlocks blocks_of(const LinearConfig& config, MatrixSource& a, const CsrMatrix* csr,
                         const PSpace& p_space) {
  if (method_of(config) != LinearMethod::block_jacobi) return {};
  if (divides_by_p_space(config)) return {p_space.matrix, p_space.rows};
  const Index size = std::min(config.block_size, a.rows());
  return {csr != nullptr ? diagonal_blocks(*csr, size) : blocks_of_rows(a, size), {}};
}

/// Throws InputError where ranks cannot do it.
void require_for_ranks(const LinearConfig& config) {
  if (method_of(config) != LinearMethod::block_jacobi || divides_by_p_space(config)) return;
  throw InputError("linear.block_size: found " + std::to_string(config.block_size) +
                   ", expected 0 over several ranks: a block over the p-space");
}

/// What a linear solve wants of the elements, of a matrix that may then go.
struct Elements {
  bool symmetric = false;
  bool exactly_symmetric = false;  ///< half of it may be stored only where that is all there is
  PSpace p_space;                  ///< where one is divided by, or a ground state is sought
  DiagonalBlocks blocks;           ///< of block_jacobi
  std::optional<RowSums> sums;     ///< for jacobi, of a matrix that is in host memory
};

Elements elements_of(MatrixSource& source, const HamiltonianSource& of, const RunConfig& config,
                     Backend& backend, RunFacts& facts) {
  Communicator& ranks = backend.communicator();
  const Timer timer;
  const auto matrix = source.direct() != nullptr ? nullptr : source.own_csr();
  if (!matrix && !of.of_determinants()) {
    throw InputError(of.name() + ": linear systems need the matrix in CSR, and it is not there");
  }
  const bool exactly = matrix && ranks.alone() && is_symmetric(*matrix, 0.0);
  const bool symmetric = exactly || source.symmetric();
  PSpace p_space;
  if (config.linear.shift_from_ground || divides_by_p_space(config.linear)) {
    p_space = p_space_stage(source, nullptr, config.solver, backend.kind(), facts);
  }
  if (!ranks.alone()) {
    const RowPartition parts = source.parts();
    p_space.sectors =
        labels_of_rows(p_space.sectors, parts.first(ranks.rank()), parts.count(ranks.rank()));
  }
  DiagonalBlocks blocks = blocks_of(config.linear, source, matrix.get(), p_space);
  Elements made{symmetric, exactly, std::move(p_space), std::move(blocks), {}};
  if (matrix) {
    if (method_of(config.linear) == LinearMethod::jacobi) {
      made.sums.emplace(*matrix, source.parts().first(ranks.rank()));
    }
  }
  facts.seconds.convert += timer.seconds() - made.p_space.seconds;  // which has been counted
  return made;
}

void note_rows(const RunContext& context, RunFacts& facts, const RowSums& sums, double shift) {
  const std::int64_t rows = context.backend.communicator().total(sums.not_dominant(shift));
  if (rows == 0) return;
  add_note(facts, context.log,
           fmt::format("{} of {} rows ({:.0f} %) are not diagonally dominant: Jacobi's method may "
                       "not converge",
                       rows, facts.rows, 100.0 * static_cast<double>(rows) / facts.rows));
}

/// `host`: this rank's rows, which go once they are on the backend.
void solve(const RunContext& context, const LinearOperator& a, SystemVectors host,
           const LinearObserver& observer, LinearOutcome& outcome) {
  Backend& backend = context.backend;
  const auto columns = static_cast<int>(host.b.cols());
  MultiVector b(backend, a.rows(), columns);
  outcome.x = MultiVector(backend, a.rows(), columns);
  MultiVector& x = outcome.x;
  backend.upload(host.b, b.view());
  if (host.x0.size() > 0) {
    backend.upload(host.x0, x.view());
  } else {
    backend.fill(0.0, x.view());
  }
  host = {};
  outcome.result = solve_linear(a, backend, b.view(), x.view(), outcome.options, observer);
  for (const std::string& note : outcome.result.notes) add_note(outcome.facts, context.log, note);
}

}  // namespace

LinearOutcome solve_linear_system(const RunContext& context, const OpenSource& open,
                                  const std::function<GivenVectors()>& given_by,
                                  const Observers& observers) {
  const auto& [config, backend, log, begun] = context;
  require_consistent(config);
  Communicator& ranks = backend.communicator();
  if (!ranks.alone()) require_for_ranks(config.linear);
  const Communicator::Traffic before = ranks.traffic();
  OperatorStage stage(context);
  LinearOutcome outcome;
  RunFacts& facts = outcome.facts = facts_of(context);
  add_notes(facts, stage.take_notes());

  GivenVectors given = given_by();
  const auto source = timed(facts.seconds.read, [&] { return open_square(open, stage); });
  facts.units = source->units();
  const Index rows = facts.rows = source->rows();
  SystemVectors vectors = system_vectors(config, std::move(given), rows, ranks);
  const auto columns = static_cast<int>(vectors.b.cols());
  const bool from_ground = config.linear.shift_from_ground.has_value();
  EigenOptions ground = without_matrix(ground_options(config));
  const auto need = [&] {
    return need_of_a_rank(linear_memory(config, ground, rows, columns), rows, ranks);
  };
  const auto widest = [&] {
    return std::max(columns, from_ground ? product_columns(ground, rows) : 1);
  };
  auto direct =
      timed(facts.seconds.build, [&] { return stage.hold_direct(*source, need(), widest()); });
  if (!direct) {
    ground = ground_options(config);
    stage.require_room(*source, need());
  }
  HeldMatrix held = timed(facts.seconds.build, [&] {
    HeldMatrix made = direct ? std::move(*direct) : stage.hold(*source, need(), widest());
    made.source->csr();  // built here, where it is held so
    return made;
  });
  outcome.direct = held.source->direct();
  facts.operator_reason = stage.operator_reason();
  vectors = own_part(std::move(vectors), outcome.direct.get(), held.source->parts(), ranks.rank());
  add_notes(facts, source->notes());

  LinearOptions& options = outcome.options = linear_options(config.linear);
  options.seed = config.solver.seed;
  const Elements elements = elements_of(*held.source, *source, config, backend, facts);
  options.symmetric = elements.symmetric;
  options.blocks = &elements.blocks;
  MadeOperator made = timed(facts.seconds.convert, [&] {
    return stage.make(std::move(held), *source, need(), columns, elements.exactly_symmetric);
  });
  add_notes(facts, stage.take_notes());
  note_operator(made, facts);
  if (observers.begin) observers.begin();
  const Communicator::Traffic before_solve = ranks.traffic();
  if (from_ground) {
    outcome.ground =
        ground_state(context, facts, ground, *made.a, elements.p_space, observers.eigen);
    options.shift = outcome.ground->energy + *config.linear.shift_from_ground;
  }
  if (elements.sums) {
    note_rows(context, facts, *elements.sums, options.shift);
  }
  solve(context, *made.a, std::move(vectors), observers.linear, outcome);
  if (observers.end) observers.end();
  facts.solve_traffic = since(before_solve, ranks.traffic());
  options.blocks = nullptr;  // gone with this call
  facts.matrix = made.a->info();
  facts.format_choice = stage.choice(made);
  add_notes(facts, stage.take_notes());
  note_memory(facts);
  facts.seconds.solve = outcome.result.seconds + (outcome.ground ? outcome.ground->seconds : 0.0);
  facts.traffic = since(before, ranks.traffic());
  facts.seconds.total = begun.seconds();
  return outcome;
}

}  // namespace cisolve
