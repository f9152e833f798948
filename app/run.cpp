#include "app/run.hpp"

#include <random>

#include "app/pipeline.hpp"
#include "app/progress.hpp"
#include "app/solver_options.hpp"
#include "core/error.hpp"
#include "io/vector_file.hpp"

namespace cisolve {
namespace {

HostMatrix right_hand_side(const RunConfig& config, Index rows) {
  HostMatrix b = HostMatrix::Ones(rows, 1);
  if (config.linear.rhs == "random") {
    std::mt19937_64 engine(config.solver.seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (Index i = 0; i < rows; ++i) b(i, 0) = uniform(engine);
  } else if (config.linear.rhs != "ones") {
    b = read_vector(config.linear.rhs);
    if (b.rows() != rows) {
      throw InputError(config.linear.rhs + ": found " + std::to_string(b.rows()) +
                       " elements, expected one for each of the " + std::to_string(rows) + " rows");
    }
  }
  return b;
}

ExitStatus exit_status(SolveStatus status) {
  return status == SolveStatus::converged ? done : not_converged;
}

ExitStatus run_eigen(const RunConfig& config) {
  Pipeline pipeline(config);
  const Index rows = pipeline.read();
  EigenOptions options = eigen_options(config);
  if (options.states > rows) {
    throw InputError(
        "solver.states: more states than determinants: " + std::to_string(options.states) +
        " asked for, the matrix has " + std::to_string(rows) + " rows");
  }

  const int block = block_size(options, rows);
  const MemoryNeed need = eigen_memory(config, options, rows);
  pipeline.require_room(need);
  options.project = pipeline.projector(block);
  auto matrix = pipeline.build(block, need);
  pipeline.identify(*matrix);
  const PSpace p_space = pipeline.p_space(*matrix);
  auto a = pipeline.convert(std::move(matrix), block);
  options.max_basis = pipeline.facts.memory.basis_vectors;
  options.basis_in_host_memory = pipeline.facts.memory.basis_in_host_memory;

  options.checkpoint = pipeline.checkpoint_hook();
  options.begin_from = pipeline.begin_from();

  const Interrupt interrupt;
  EigenProgress progress(pipeline.output.text(), terminal_width(pipeline.output.descriptor()));
  const auto observer = [&](const EigenIteration& iteration) {
    progress.show(iteration);
    return !Interrupt::requested();
  };
  EigenResult result = lowest_eigenpairs(*a, *pipeline.backend, p_space, options, observer);
  pipeline.note_solve(result, *a);
  const EigenAnalysis analysis = pipeline.analyse(result, std::move(a));

  pipeline.write_vectors(result.vectors.view());
  pipeline.finish(result.seconds);
  print_eigen(pipeline.output.text(), pipeline.facts, result, analysis);
  pipeline.output.write(eigen_json(config, pipeline.facts, result, analysis));
  return exit_status(result.status);
}

ExitStatus run_linear(const RunConfig& config) {
  Pipeline pipeline(config);
  const Index rows = pipeline.read();
  const HostMatrix rhs = right_hand_side(config, rows);

  MemoryNeed need;
  // b, x, and of the solver: best x, residual, diagonal.
  need.other_vectors = 5 * static_cast<std::size_t>(rows) * sizeof(double);
  pipeline.require_room(need);
  const auto a = pipeline.convert(pipeline.build(1, need), 1);
  Backend& backend = *pipeline.backend;
  MultiVector b(backend, rows, 1), x(backend, rows, 1);
  backend.upload(rhs, b.view());
  backend.fill(0.0, x.view());

  const Interrupt interrupt;
  LinearProgress progress(pipeline.output.text());
  const auto observer = [&](const LinearIteration& iteration) {
    progress.show(iteration);
    return !Interrupt::requested();
  };
  const LinearResult result =
      jacobi(*a, backend, b.view(), x.view(), linear_options(config.linear), observer);

  pipeline.write_vectors(x.view());
  pipeline.finish(result.seconds);
  print_linear(pipeline.output.text(), pipeline.facts, result);
  pipeline.output.write(linear_json(config, pipeline.facts, result));
  return exit_status(result.status);
}

}  // namespace

ExitStatus run(const RunConfig& config) {
  return config.task == Task::eigen ? run_eigen(config) : run_linear(config);
}

}  // namespace cisolve
