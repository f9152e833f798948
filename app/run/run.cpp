#include "app/run/run.hpp"

#include "app/files/command_files.hpp"
#include "app/run/linear_run.hpp"
#include "app/run/pipeline.hpp"
#include "app/run/progress.hpp"
#include "app/run/solver_options.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

ExitStatus run_eigen(const RunConfig& config) {
  Pipeline pipeline(config);
  const Index rows = pipeline.read();
  EigenOptions options = eigen_options(config);
  if (options.states > rows) {
    throw InputError(
        "solver.states: more states than determinants: " + std::to_string(options.states) +
        " asked for, the matrix has " + std::to_string(rows) + " rows");
  }

  const int columns = product_columns(options, rows);
  const MemoryNeed need = eigen_memory(config, options, rows);
  pipeline.require_room(need);
  options.project = pipeline.projector(columns);
  std::unique_ptr<MatrixSource> matrix = pipeline.build(columns, need);
  pipeline.identify(*matrix);
  const PSpace p_space = pipeline.p_space(*matrix, pipeline.backend->kind());
  auto a = pipeline.convert(std::move(matrix), columns, true);
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
  pipeline.note_operator(*a);
  pipeline.note_solve(result);
  const EigenAnalysis analysis = pipeline.analyse(result, std::move(a));

  pipeline.write_vectors(result.vectors.view());
  pipeline.finish(result.seconds);
  print_eigen(pipeline.output.text(), config, pipeline.facts, result, analysis);
  pipeline.output.write(eigen_json(config, pipeline.facts, result, analysis));
  return exit_status(result.status);
}

}  // namespace

ExitStatus exit_status(SolveStatus status) {
  return status == SolveStatus::converged ? done : not_converged;
}

ExitStatus run(const RunConfig& config) {
  files_of_run(config).check(config.output.force);
  return config.task == Task::eigen ? run_eigen(config) : run_linear(config);
}

}  // namespace cisolve
