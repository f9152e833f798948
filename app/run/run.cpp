#include "app/run/run.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

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
#include "io/trexio/trexio_output.hpp"
#include "io/vector_file.hpp"

namespace cisolve {
namespace {

/// A file made before any work is done, where one is asked for.
class ArraysFile {
 public:
  explicit ArraysFile(const std::filesystem::path& file)
      : name_(file.string()), file_(output_file(file)) {}
  /// As `write` does, of the place to write to and the name for messages.
  void write(const std::function<void(const std::filesystem::path&, const std::string&)>& write) {
    if (!file_) return;
    write(file_->temporary(), name_);
    file_->commit();
  }

 private:
  std::string name_;
  std::unique_ptr<AtomicFile> file_;
};

/// Throws InputError where there is no such format for what is solved.
void require_format(const ArraysOutput& output, const RunConfig& config) {
  const auto& [key, file, densities] = output;
  const auto refuse_if = [&](bool wrong, const char* reason) {
    if (wrong) throw InputError(std::string(key) + ": " + file.string() + reason);
  };
  const bool linear = config.task == Task::linear;
  refuse_if(linear && densities, ": densities are of eigenstates");
  refuse_if(linear && has_states(file),
            " would hold eigenstates; the solution of a linear system is written as .npy");
  refuse_if(densities && !has_states(file),
            ": expected a name that ends in .npz, .h5, .hdf5 or .trexio");
  if (!is_trexio_name(file)) return;
  refuse_if(!has_trexio(), ": this program is built without TREXIO (libtrexio)");
  refuse_if(densities && config.solver.states > 1,
            ": a TREXIO file has the densities of one state, and solver.states is more; .npz and "
            ".h5 have those of all");
}

/// The files with arrays that a run writes.
class ArraysFiles {
 public:
  explicit ArraysFiles(const OutputConfig& output)
      : vectors_(output.vectors), rdm1_(output.rdm1), rdm2_(output.rdm2) {}

  /// vectors(): n × k.
  template <class Vectors>
  void write(const EigenOutcome& outcome, Vectors vectors) {
    vectors_.write([&](const auto& path, const std::string& name) {
      if (has_states(name)) {
        write_states(outcome, vectors(), path, name);
      } else {
        write_npy(vectors(), path);
      }
    });
    if (!outcome.densities) return;
    rdm1_.write([&](const auto& path, const std::string& name) {
      write_one_densities(outcome, path, name);
    });
    rdm2_.write([&](const auto& path, const std::string& name) {
      write_two_densities(outcome, path, name);
    });
  }
  template <class Vectors>
  void write(const LinearOutcome&, Vectors vectors) {
    vectors_.write([&](const auto& path, const std::string&) { write_npy(vectors(), path); });
  }

 private:
  ArraysFile vectors_, rdm1_, rdm2_;
};

/// Shows the progress of solvers as text; from the moment that the first one begins Ctrl-C ends a
/// solve and not the program. So does a text that nobody reads any more, where no file is to hold
/// what comes of the solve.
class Watch {
 public:
  Watch(const Output& output, const RunConfig& config)
      : text_(output.text()),
        to_files_(!config.output.json.empty() || !config.output.html.empty() ||
                  !arrays_outputs(config.output).empty() || !config.checkpoint.file.empty()),
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
  for (const ArraysOutput& output : arrays_outputs(config.output)) require_format(output, config);
  files_of_run(config).check(config.output.force);
  Output output(config.output.json);
  const Log log = output.log();
  const ThreadCount threads(config.backend.threads);
  const auto backend = make_backend(config.backend, log);
  ArraysFiles arrays(config.output);
  const std::unique_ptr<AtomicFile> page = output_file(config.output.html);
  const RunContext context{config, *backend, log, begun};
  const OpenSource open = [&](Storage storage) {
    return std::make_unique<HamiltonianSource>(config.input, storage, log);
  };
  Watch watch(output, config);
  const auto report = [&](auto& outcome, auto x, auto print, auto json) {
    arrays.write(outcome, x);
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
