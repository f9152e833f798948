#include "app/run/linear_run.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>
#include <utility>

#include "app/config/config_value.hpp"
#include "app/run/pipeline.hpp"
#include "app/run/progress.hpp"
#include "app/run/solver_options.hpp"
#include "core/error.hpp"
#include "core/host_matrix.hpp"
#include "formats/matrix/row_dominance.hpp"
#include "io/vector_file.hpp"

namespace cisolve {
namespace {

/// What linear.rhs and linear.x0 say before there is a matrix: the vectors of files, empty where
/// there is none, and the row of unit:ROW, from 1.
struct GivenVectors {
  HostMatrix rhs, x0;
  Index unit = 0;
};

[[noreturn]] void refuse_unit(const std::string& rhs, const std::string& end) {
  throw InputError("linear.rhs: found '" + rhs + "', expected unit:ROW with a row from 1" + end);
}

GivenVectors given_vectors(const LinearConfig& config) {
  GivenVectors given;
  if (rhs_is_file(config)) given.rhs = read_vectors(config.rhs);
  if (config.rhs.starts_with("unit:")) {
    const auto row =
        parse_number<Index>(std::string_view(config.rhs).substr(config.rhs.find(':') + 1));
    if (!row || *row < 1) refuse_unit(config.rhs, "");
    given.unit = *row;
  }
  if (!config.x0.empty()) {
    given.x0 = read_vectors(config.x0);
    const auto columns = rhs_is_file(config) ? given.rhs.cols() : 1;
    if (given.x0.cols() != columns) {
      throw InputError("linear.x0: found " + std::to_string(given.x0.cols()) +
                       " columns, expected " + std::to_string(columns) + " as of linear.rhs");
    }
  }
  return given;
}

void require_rows(const HostMatrix& x, const std::filesystem::path& file, Index rows) {
  if (x.rows() == rows) return;
  throw InputError(file.string() + ": found " + std::to_string(x.rows()) +
                   " elements, expected one for each of the " + std::to_string(rows) + " rows");
}

HostMatrix unit_vector(const std::string& rhs, Index row, Index rows) {
  if (row > rows) refuse_unit(rhs, " to " + std::to_string(rows));
  HostMatrix b = HostMatrix::Zero(rows, 1);
  b(row - 1, 0) = 1.0;
  return b;
}

HostMatrix right_hand_side(const RunConfig& config, GivenVectors& given, Index rows) {
  if (!config.linear.x0.empty()) require_rows(given.x0, config.linear.x0, rows);
  if (rhs_is_file(config.linear)) {
    require_rows(given.rhs, config.linear.rhs, rows);
    return std::move(given.rhs);
  }
  if (config.linear.rhs == "ones") return HostMatrix::Ones(rows, 1);
  if (given.unit > 0) return unit_vector(config.linear.rhs, given.unit, rows);
  HostMatrix b(rows, 1);
  std::mt19937_64 engine(config.solver.seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (Index i = 0; i < rows; ++i) b(i, 0) = uniform(engine);
  return b;
}

EigenOptions ground_options(const RunConfig& config) {
  EigenOptions options;
  options.seed = config.solver.seed;
  options.time_limit = config.linear.time_limit;
  return options;
}

/// The linear solver's vectors, after those of the ground state where that is computed first.
MemoryNeed linear_memory(const RunConfig& config, Index rows, int columns) {
  MemoryNeed need;
  if (config.linear.shift_from_ground) {
    need = eigen_memory(config, ground_options(config), rows);
    need.vectors_of_one_state = 0;
  }
  if (config.linear.method == LinearMethod::block_jacobi) {
    const auto p = static_cast<std::size_t>(largest_p_space(config.solver.p_space, rows));
    const auto size = static_cast<std::size_t>(std::min(config.linear.block_size, rows));
    if (size == 0) need.p_space = p * p * sizeof(double);
    need.blocks = size * static_cast<std::size_t>(rows) * sizeof(double);
  }
  need.other_vectors = std::max(need.other_vectors,
                                linear_vector_bytes(linear_options(config.linear), rows, columns));
  return need;
}

/// The lowest eigenvalue, found by Davidson's method.
double ground_energy(Pipeline& pipeline, const RunConfig& config, LinearOperator& a,
                     const PSpace& p_space, GroundFacts& facts) {
  EigenOptions options = ground_options(config);
  options.max_basis = pipeline.facts.memory.basis_vectors;
  options.basis_in_host_memory = pipeline.facts.memory.basis_in_host_memory;
  EigenProgress progress(pipeline.output.text(), terminal_width(pipeline.output.descriptor()));
  const auto observer = [&](const EigenIteration& iteration) {
    progress.show(iteration);
    return !Interrupt::requested();
  };
  const EigenResult result = lowest_eigenpairs(a, *pipeline.backend, p_space, options, observer);
  facts = {result.energies[0], result.residual_norms[0],
           result.operator_applications + result.probe_applications, result.seconds};
  if (result.status != SolveStatus::converged) {
    pipeline.warn(
        fmt::format("linear.shift_from_ground: the ground state is not converged ({}): "
                    "its energy is within its residual, {:.1e}, of an eigenvalue",
                    to_string(result.status), facts.residual_norm));
  }
  return facts.energy;
}

bool divides_by_p_space(const LinearConfig& config) {
  return config.method == LinearMethod::block_jacobi && config.block_size == 0;
}

DiagonalBlocks blocks_of(const LinearConfig& config, const CsrMatrix& a, const PSpace& p_space) {
  if (config.method != LinearMethod::block_jacobi) return {};
  if (divides_by_p_space(config)) return {p_space.matrix, p_space.rows};
  return {diagonal_blocks(a, std::min(config.block_size, a.rows)), {}};
}

/// Row sums and diagonal blocks are of elements.
const CsrMatrix& elements_of(const MatrixSource& source, const std::string& name) {
  const auto csr = source.csr();
  if (!csr) throw InputError(name + ": linear systems need the matrix in CSR, and it is not there");
  return *csr;  // the source's
}

void warn_of_rows(Pipeline& pipeline, const RowSums& sums, double shift) {
  const Index rows = sums.not_dominant(shift);
  if (rows == 0) return;
  pipeline.warn(fmt::format(
      "{} of {} rows ({:.0f} %) are not diagonally dominant, which would suffice for Jacobi's "
      "method to converge but is not necessary",
      rows, sums.others.size(), 100.0 * rows / static_cast<double>(sums.others.size())));
}

LinearResult solve(Pipeline& pipeline, const LinearOptions& options, const LinearOperator& a,
                   const HostMatrix& rhs, const HostMatrix& x0) {
  Backend& backend = *pipeline.backend;
  const auto columns = static_cast<int>(rhs.cols());
  MultiVector b(backend, a.rows(), columns), x(backend, a.rows(), columns);
  backend.upload(rhs, b.view());
  if (x0.size() > 0) {
    backend.upload(x0, x.view());
  } else {
    backend.fill(0.0, x.view());
  }
  LinearProgress progress(pipeline.output.text());
  const auto observer = [&](const LinearIteration& iteration) {
    progress.show(iteration);
    return !Interrupt::requested();
  };
  LinearResult result = solve_linear(a, backend, b.view(), x.view(), options, observer);
  for (const std::string& note : result.notes) pipeline.warn(note);
  pipeline.write_vectors(x.view());
  return result;
}

}  // namespace

ExitStatus run_linear(const RunConfig& config) {
  Pipeline pipeline(config);
  GivenVectors given = given_vectors(config.linear);
  const Index rows = pipeline.read();
  const HostMatrix rhs = right_hand_side(config, given, rows), x0 = std::move(given.x0);
  const auto columns = static_cast<int>(rhs.cols());
  const MemoryNeed need = linear_memory(config, rows, columns);
  const bool from_ground = config.linear.shift_from_ground.has_value();
  const int widest =
      std::max(columns, from_ground ? product_columns(ground_options(config), rows) : 1);
  pipeline.require_room(need);
  std::unique_ptr<MatrixSource> source = pipeline.build(widest, need);
  const CsrMatrix& matrix = elements_of(*source, config.input.file.string());

  LinearOptions options = linear_options(config.linear);
  options.seed = config.solver.seed;
  options.symmetric = is_symmetric(matrix);
  std::optional<GroundFacts> ground;
  if (from_ground) require_symmetric(matrix, config.input.file.string());
  PSpace p_space;
  if (from_ground || divides_by_p_space(config.linear)) {
    // As large on a GPU too, where it may be the block that block_jacobi divides by.
    p_space = pipeline.p_space(*source, BackendKind::cpu);
  }
  const DiagonalBlocks blocks = blocks_of(config.linear, matrix, p_space);
  options.blocks = &blocks;
  const RowSums sums(matrix);
  // Half of it may be stored only where that is all there is.
  const bool exactly = options.symmetric && is_symmetric(matrix, 0.0);
  const auto a = pipeline.convert(std::move(source), columns, exactly);
  const Interrupt interrupt;
  if (from_ground) {
    options.shift = ground_energy(pipeline, config, *a, p_space, ground.emplace()) +
                    *config.linear.shift_from_ground;
  }
  warn_of_rows(pipeline, sums, options.shift);
  const LinearResult result = solve(pipeline, options, *a, rhs, x0);
  pipeline.note_operator(*a);
  pipeline.finish(result.seconds + (ground ? ground->seconds : 0.0));
  print_linear(pipeline.output.text(), pipeline.facts, options, ground, result);
  pipeline.output.write(linear_json(config, pipeline.facts, options, ground, result));
  return exit_status(result.status);
}

}  // namespace cisolve
