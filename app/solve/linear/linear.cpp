#include "app/solve/linear/linear.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "app/prepare/preparation.hpp"
#include "app/solve/facts.hpp"
#include "app/solve/solver_options.hpp"
#include "app/ways/stored/rank_way.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
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
                         int components, int columns) {
  MemoryNeed need;
  if (config.linear.shift_from_ground) {
    need = eigen_memory(config, ground, rows, components);
    need.vectors_of_one_state = 0;
    need.without_guard.reset();
  }
  const Index numbers = components * rows;
  if (method_of(config.linear) == LinearMethod::block_jacobi) {
    const auto p = components * static_cast<std::size_t>(
                                    largest_p_space(config.solver.p_space, rows, components));
    const auto size =
        components * static_cast<std::size_t>(std::min(config.linear.block_size, rows));
    if (size == 0) need.p_space = p * p * sizeof(double);
    need.blocks = size * static_cast<std::size_t>(numbers) * sizeof(double);
  }
  need.vectors.others = std::max(
      need.vectors.others, linear_vector_bytes(linear_options(config.linear), numbers, columns));
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

/// diagonal_blocks of a matrix that is not stored, or not real: of its real form, with rows of all
/// components.
HostMatrix blocks_of_rows(HeldMatrix& a, Index size) {
  const int d = a.components();
  HostMatrix blocks = HostMatrix::Zero(d * a.basis()->rows(), d * size);
  std::vector<Index> rows;
  for (Index first = 0; first < a.basis()->rows(); first += size) {
    rows.resize(std::min(size, a.basis()->rows() - first));
    std::iota(rows.begin(), rows.end(), first);
    const auto n = d * std::ssize(rows);
    blocks.block(d * first, 0, n, n) = a.principal_submatrix(rows);
  }
  return blocks;
}

/// `csr`: the matrix, where it is stored.
DiagonalBlocks blocks_of(const LinearConfig& config, HeldMatrix& a, const CsrMatrix* csr,
                         const PSpace& p_space) {
  if (method_of(config) != LinearMethod::block_jacobi) return {};
  if (divides_by_p_space(config)) return {p_space.matrix, p_space.rows};
  const Index size = std::min(config.block_size, a.basis()->rows());
  const bool real = csr != nullptr && csr->components == 1;
  return {real ? diagonal_blocks(*csr, size) : blocks_of_rows(a, size), {}};
}

/// Throws InputError where ranks cannot do it.
void require_for_ranks(const LinearConfig& config) {
  if (method_of(config) != LinearMethod::block_jacobi || divides_by_p_space(config)) return;
  throw InputError("linear.block_size: found " + std::to_string(config.block_size) +
                   ", expected 0 over several ranks: a block over the p-space");
}

/// A linear solver as what products are wanted for: its memory, with that of the ground state where
/// it is shifted from there, and what it asks of the elements before they go.
class LinearPurpose final : public Purpose {
 public:
  LinearPurpose(const RunContext& context, Index rows, int columns, RunFacts& facts)
      : context_(context), config_(context.config), rows_(rows), columns_(columns), facts_(facts) {}

  int columns(bool) const override { return columns_; }
  int most_columns(bool stored) const override {
    return from_ground() ? std::max(columns_, product_columns(ground(stored), rows_)) : columns_;
  }
  MemoryNeed memory(bool stored) const override {
    return need_of_a_rank(
        linear_memory(config_, ground(stored), rows_, facts_.components, columns_), rows_,
        context_.backend.communicator());
  }
  int products_before() const override {
    return cisolve::products_before(linear_options(config_.linear));
  }
  bool requires_symmetric() const override { return from_ground(); }
  void before_storing() override { stored_ = true; }
  void ask(HeldMatrix& matrix) override;
  bool is_symmetric() const override { return exactly_symmetric_; }

  /// Options of the solve for the ground state, which the shift is relative to.
  EigenOptions ground_options() const { return ground(stored_); }

  bool symmetric = false;
  PSpace p_space;               ///< where one is divided by, or a ground state is sought
  DiagonalBlocks blocks;        ///< of block_jacobi
  std::optional<RowSums> sums;  ///< for jacobi, of a matrix that is in host memory

 private:
  bool from_ground() const { return config_.linear.shift_from_ground.has_value(); }
  EigenOptions ground(bool stored) const {
    return stored ? cisolve::ground_options(config_)
                  : without_matrix(cisolve::ground_options(config_));
  }

  const RunContext& context_;
  const RunConfig& config_;
  Index rows_;
  int columns_;
  RunFacts& facts_;
  bool stored_ = false;
  bool exactly_symmetric_ = false;  ///< half of it may be stored
};

void LinearPurpose::ask(HeldMatrix& a) {
  Communicator& ranks = context_.backend.communicator();
  const Timer timer;
  const RowPartition& parts = a.basis()->parts();
  const auto matrix = a.own_csr();
  exactly_symmetric_ = matrix && ranks.alone() && cisolve::is_symmetric(*matrix, 0.0);
  symmetric = exactly_symmetric_ || a.symmetric();
  if (from_ground() || divides_by_p_space(config_.linear)) {
    p_space = p_space_stage(a, nullptr, config_.solver, context_.backend.kind(), facts_);
  }
  if (!ranks.alone()) {
    p_space.sectors =
        labels_of_rows(p_space.sectors, parts.first(ranks.rank()), parts.count(ranks.rank()));
  }
  blocks = blocks_of(config_.linear, a, matrix.get(), p_space);
  const bool real = a.components() == 1;
  if (matrix && real && method_of(config_.linear) == LinearMethod::jacobi) {
    sums.emplace(*matrix, parts.first(ranks.rank()));
  }
  facts_.seconds.convert += timer.seconds() - p_space.seconds;  // which has been counted
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

LinearOutcome solve_linear_system(const RunContext& context, const OpenModel& open,
                                  const std::function<GivenVectors()>& given_by,
                                  const Observers& observers) {
  const auto& [config, backend, log, begun] = context;
  require_consistent(config);
  Communicator& ranks = backend.communicator();
  if (!ranks.alone()) require_for_ranks(config.linear);
  const Communicator::Traffic before = ranks.traffic();
  LinearOutcome outcome;
  RunFacts& facts = outcome.facts = facts_of(context);
  Preparation preparation(context, facts);

  GivenVectors given = given_by();
  const auto model = timed(facts.seconds.read, [&] { return preparation.open_square(open); });
  facts.units = model->units();
  facts.rows = model->rows();
  facts.components = model->components();
  require_for_elements(context, facts.rows, facts.components);
  SystemVectors vectors =
      system_vectors(config, std::move(given), facts.rows, facts.components, ranks);
  LinearPurpose purpose(context, facts.rows, static_cast<int>(vectors.b.cols()), facts);
  Prepared prepared = preparation.prepare(*model, purpose);
  outcome.basis = prepared.basis;
  vectors = own_part(std::move(vectors), *prepared.basis, ranks.rank());

  LinearOptions& options = outcome.options = linear_options(config.linear);
  options.seed = config.solver.seed;
  options.symmetric = purpose.symmetric;
  options.blocks = &purpose.blocks;
  if (observers.begin) observers.begin();
  const Communicator::Traffic before_solve = ranks.traffic();
  if (config.linear.shift_from_ground) {
    outcome.ground = ground_state(context, facts, purpose.ground_options(), *prepared.a,
                                  purpose.p_space, observers.eigen);
    options.shift = outcome.ground->energy + *config.linear.shift_from_ground;
  }
  if (purpose.sums) note_rows(context, facts, *purpose.sums, options.shift);
  solve(context, *prepared.a, std::move(vectors), observers.linear, outcome);
  if (observers.end) observers.end();
  facts.solve_traffic = since(before_solve, ranks.traffic());
  options.blocks = nullptr;  // gone with this call
  note_end(prepared, facts);
  note_memory(facts);
  facts.seconds.solve = outcome.result.seconds + (outcome.ground ? outcome.ground->seconds : 0.0);
  facts.traffic = since(before, ranks.traffic());
  facts.seconds.total = begun.seconds();
  return outcome;
}

}  // namespace cisolve
