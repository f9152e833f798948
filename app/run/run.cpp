#include "app/run/run.hpp"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "app/files/command_files.hpp"
#include "app/page/page.hpp"
#include "app/report/report.hpp"
#include "app/run/progress.hpp"
#include "app/run/states_file.hpp"
#include "app/solve/context.hpp"
#include "app/solve/eigen.hpp"
#include "app/solve/linear.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/thread_count.hpp"
#include "io/atomic_file.hpp"
#include "io/npz_archive.hpp"
#include "io/vector_file.hpp"

namespace cisolve {
namespace {

/// The file for vectors, made before any work is done, where one is asked for.
class VectorsFile {
 public:
  /// Throws InputError where there is no such format for what is solved.
  explicit VectorsFile(const RunConfig& config)
      : name_(config.output.vectors), file_(output_file(config.output.vectors)) {
    const std::string ending = to_lower(config.output.vectors.extension().string());
    if (ending == ".h5" || ending == ".hdf5") {
      throw InputError("output.vectors: " + name_ +
                       " would be HDF5; vectors are written as .npy, or eigenstates as .npz");
    }
    if (config.task == Task::linear && is_npz(name_)) {
      throw InputError(
          "output.vectors: " + name_ +
          " would be .npz, which holds eigenstates; the solution of a linear system is "
          "written as .npy");
    }
  }
  /// vectors(): n × k.
  template <class Outcome, class Vectors>
  void write(const Outcome& outcome, Vectors vectors) {
    if (!file_) return;
    if constexpr (std::is_same_v<Outcome, EigenOutcome>) {
      if (is_npz(name_)) {
        write_states(outcome, vectors(), file_->temporary(), name_);
        return file_->commit();
      }
    }
    write_npy(vectors(), file_->temporary());
    file_->commit();
  }

 private:
  std::string name_;
  std::unique_ptr<AtomicFile> file_;
};

/// Shows the progress of solvers as text; from the moment that the first one begins Ctrl-C ends a
/// solve and not the program. So does a text that nobody reads any more, where no file is to hold
/// what comes of the solve.
class Watch {
 public:
  Watch(const Output& output, const RunConfig& config)
      : text_(output.text()),
        to_files_(!config.output.json.empty() || !config.output.vectors.empty() ||
                  !config.output.html.empty() || !config.checkpoint.file.empty()),
        eigen_(text_, terminal_width(output.descriptor()),
               config.task == Task::eigen ? config.solver.verify : Verify::standard),
        linear_(text_) {}

  Observers observers() {
    return {[this] { interrupt_.emplace(); },
            [this](const EigenIteration& iteration) {
              eigen_.show(iteration);
              return is_wanted();
            },
            [this](const LinearIteration& iteration) {
              linear_.show(iteration);
              return is_wanted();
            }};
  }

 private:
  bool is_wanted() const { return !Interrupt::requested() && (to_files_ || text_.good()); }

  std::ostream& text_;
  bool to_files_;
  EigenProgress eigen_;
  LinearProgress linear_;
  std::optional<Interrupt> interrupt_;
};

}  // namespace

ExitStatus exit_status(SolveStatus status) {
  return status == SolveStatus::converged ? done : not_converged;
}

ExitStatus run(const RunConfig& config) {
  const Timer begun;
  files_of_run(config).check(config.output.force);
  Output output(config.output.json);
  const Log log = output.log();
  const ThreadCount threads(config.backend.threads);
  const auto backend = make_backend(config.backend, log);
  VectorsFile vectors(config);
  const std::unique_ptr<AtomicFile> page = output_file(config.output.html);
  const RunContext context{config, *backend, log, begun};
  const OpenSource open = [&](Storage storage) {
    return std::make_unique<HamiltonianSource>(config.input, storage, log);
  };
  Watch watch(output, config);
  const auto report = [&](auto& outcome, auto x, auto print, auto json) {
    vectors.write(outcome, x);
    outcome.facts.seconds.total = begun.seconds();
    print(outcome);
    const Json made = json(config, outcome);
    output.write(made);
    if (page) page->write(result_page(made));
    return exit_status(outcome.result.status);
  };
  if (config.task == Task::eigen) {
    EigenOutcome outcome = solve_eigenproblem(context, open, watch.observers());
    return report(
        outcome, [&] { return outcome.vectors(*backend); },
        [&](const EigenOutcome& o) { print_eigen(output.text(), config, o); }, eigen_json);
  }
  LinearOutcome outcome = solve_linear_system(
      context, open, [&] { return given_vectors(config.linear); }, watch.observers());
  return report(
      outcome, [&] { return backend->download(outcome.x.view()); },
      [&](const LinearOutcome& o) { print_linear(output.text(), o); }, linear_json);
}

}  // namespace cisolve
