#include "app/run/run.hpp"

#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/files/command_files.hpp"
#include "app/model/open_model.hpp"
#include "app/page/page.hpp"
#include "app/prepare/context.hpp"
#include "app/prepare/opening.hpp"
#include "app/report/eigen_report.hpp"
#include "app/report/linear_report.hpp"
#include "app/report/parts_report.hpp"
#include "app/report/report.hpp"
#include "app/report/selection_report.hpp"
#include "app/run/arrays_files.hpp"
#include "app/run/parts.hpp"
#include "app/run/progress.hpp"
#include "app/select/selected_start.hpp"
#include "app/select/selection.hpp"
#include "app/solve/linear/linear.hpp"
#include "backends/ranks/rank_backend.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "backends/ranks/world.hpp"
#include "core/error.hpp"
#include "core/threads/thread_count.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {
namespace {

bool is_first() {
  return world().ranks().first();
}
/// Shows the progress of solvers as text; from the moment that the first one begins Ctrl-C ends a
/// solve and not the program. So does a text that nobody reads any more, where no file is to hold
/// what comes of the solve.
class Watch {
 public:
  Watch(const Output& output, const RunConfig& config)
      : text_(output.text()),
        width_(terminal_width(output.descriptor())),
        to_files_(!config.output.json.empty() || !config.output.html.empty() ||
                  !arrays_outputs(config.output).empty() || !config.output.molden.empty() ||
                  !config.output.determinants.empty() || !config.output.fcidump.empty() ||
                  !config.checkpoint.file.empty()),
        verify_(config.task == Task::linear ? Verify::standard : config.solver.verify) {}

  /// Observers of one solve, which also use this object.
  Observers observers() {
    eigen_.emplace(text_, width_, verify_);
    linear_.emplace(text_);
    return {[this] {
              if (!interrupt_) interrupt_.emplace(patience());
              Interrupt::begin();
            },
            [this](const EigenIteration& iteration) {
              eigen_->show(iteration);
              return is_wanted();
            },
            [this](const LinearIteration& iteration) {
              linear_->show(iteration);
              return is_wanted();
            },
            Interrupt::finish};
  }

  bool is_wanted() const { return !Interrupt::requested() && (to_files_ || text_.good()); }

 private:
  /// Seconds; of several ranks the first one writes, which the others do not see.
  static double patience() {
    return world().ranks().rank() == 0 ? 10.0 : std::numeric_limits<double>::infinity();
  }

  std::ostream& text_;
  int width_;
  bool to_files_;
  Verify verify_;
  std::optional<EigenProgress> eigen_;
  std::optional<LinearProgress> linear_;
  std::optional<Interrupt> interrupt_;
};

/// Data that the solves of a run share.
struct Shared {
  const RunConfig& config;
  Output output;
  Log log = output.log();
  ThreadCount threads{threads_of(config.backend, world().ranks())};
  Opening opening{[this](Storage storage) { return open_model(config.input, storage, log); }};
  std::unique_ptr<Backend> backend =
      make_backend(opening.backend(config, gpu_begin_seconds, world().ranks(), log), config.backend,
                   world().ranks(), log);
  std::unique_ptr<AtomicFile> page = is_first() ? output_file(config.output.html) : nullptr;
  Watch watch{output, config};

  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    if (!world().ranks().alone()) leave_to_the_end(std::move(backend));
  }
  explicit Shared(const RunConfig& c) : config(c), output(is_first() ? c.output.json : "") {}

  void report(const Json& made) {
    output.write(made);
    if (page) page->write(result_page(made));
  }
  void report_so_far(const Json& made) {
    try {
      output.write_so_far(made);
      if (page) page->write(result_page(made));
    } catch (const std::exception& error) {  // the whole one will say so again, or be there
      log.warning(error.what());
    }
  }
};

/// Solved and printed.
EigenOutcome run_eigenproblem(const RunConfig& config, const Timer& begun, const OpenModel& open,
                              Shared& shared) {
  const RunContext context{config, *shared.backend, shared.log, begun};
  const Observers observers = shared.watch.observers();
  EigenOutcome outcome =
      solve_eigenproblem(context, open, observers, {},
                         selected_start(context, [&] { return shared.watch.is_wanted(); }));
  outcome.facts.seconds.read += shared.opening.take_seconds();
  outcome.facts.seconds.total = begun.seconds();
  print_eigen(shared.output.text(), config, outcome);
  return outcome;
}

LinearOutcome run_linear_system(const RunConfig& config, const Timer& begun, const OpenModel& open,
                                Shared& shared) {
  const RunContext context{config, *shared.backend, shared.log, begun};
  LinearOutcome outcome = solve_linear_system(
      context, open, [&] { return given_vectors(config.linear); }, shared.watch.observers());
  outcome.facts.seconds.read += shared.opening.take_seconds();
  outcome.facts.seconds.total = begun.seconds();
  print_linear(shared.output.text(), outcome);
  return outcome;
}

/// Lists are printed as they come, the last one's states at the end.
SelectionOutcome run_selection(const RunConfig& config, const Timer& begun, const OpenModel& open,
                               Shared& shared) {
  const RunContext context{config, *shared.backend, shared.log, begun};
  bool first = true;
  SelectionObservers observers{shared.watch.observers(), [&] { return shared.watch.is_wanted(); },
                               [&](const SelectionStep& step) {
                                 print_selection_step(shared.output.text(), step, first);
                                 first = false;
                                 return true;
                               }};
  SelectionOutcome outcome = select_determinants(context, open, observers);
  outcome.last.facts.seconds.read += shared.opening.take_seconds();
  outcome.last.facts.seconds.total = begun.seconds();
  print_selection(shared.output.text(), config, outcome);
  return outcome;
}

/// Outcome of several parts. If only some were solved, the others' reports say so.
EigenOutcome joint_outcome(const std::vector<PartReport>& reports,
                           const std::vector<PartRun>& parts, const Shared& shared) {
  EigenOutcome joint = joined(reports);
  for (std::size_t i = reports.size(); i < parts.size(); ++i) {
    joint.result.verified = false;
    joint.facts.notes.push_back(parts[i].part.name() + ": not solved");
  }
  joint.facts.backend = shared.backend->kind();
  joint.facts.device = shared.backend->description();
  return joint;
}

/// The solves of several parts, one after another. A part that throws ends the others, but the
/// results so far are reported. Hence the report is written after every part and before its arrays,
/// for which memory may not suffice; a rank that throws alone ends all ranks.
ExitStatus run_parts(const RunConfig& config, const Timer& begun, Shared& shared) {
  const Timer reading;
  const auto model = shared.opening(Storage::full);
  const double read_seconds = reading.seconds();
  std::vector<PartRun> parts = parts_of(config, *model, *shared.backend);
  files_of_parts(config, parts).check(config.output.force);
  for (const PartRun& one : parts) require_formats(one.config);
  begin_anew_without_files(parts, shared.log);
  std::vector<ArraysFiles> arrays;
  for (const PartRun& one : parts) arrays.emplace_back(one.config);

  std::vector<PartReport> reports;
  std::exception_ptr failure;
  bool cancelled = false, pending = false;
  // Arrays of the part solved last, whose vectors go then; its report comes first.
  const auto write_arrays = [&] {
    EigenOutcome& last = reports.back().outcome;
    arrays[reports.size() - 1].write(last, [&] { return last.vectors(*shared.backend); });
    last = without_vectors(std::move(last));
    pending = false;
  };
  for (std::size_t i = 0; i < parts.size() && !failure && !cancelled; ++i) {
    const auto& [part, space, own] = parts[i];
    shared.output.text() << '\n' << part.name();
    if (part.multiplicity) shared.output.text() << ", 2 M_s = " << part.ms2;
    shared.output.text() << '\n';
    try {
      const auto open = [&](Storage storage) { return model->of(space, storage, shared.log); };
      EigenOutcome outcome = run_eigenproblem(own, Timer(), open, shared);
      const Json report = eigen_json(own, outcome);
      cancelled = outcome.result.status == SolveStatus::cancelled;
      reports.push_back({part, std::move(outcome), report});
      pending = true;
      if (cancelled || i + 1 == parts.size()) continue;
      EigenOutcome so_far = joint_outcome(reports, parts, shared);
      so_far.result.status = SolveStatus::cancelled;
      shared.report_so_far(parts_json(config, so_far, reports));
      write_arrays();
    } catch (const std::exception&) {
      if (reports.empty()) throw;
      failure = std::current_exception();
    }
  }
  EigenOutcome joint = joint_outcome(reports, parts, shared);
  if (failure) joint.result.status = SolveStatus::cancelled;
  joint.facts.seconds.read += read_seconds;
  joint.facts.seconds.total = begun.seconds();
  print_parts(shared.output.text(), config, joint, reports);
  try {
    shared.report(parts_json(config, joint, reports));
  } catch (const std::exception&) {
    if (pending) write_arrays();
    throw;
  }
  if (pending) write_arrays();
  if (failure) std::rethrow_exception(failure);
  for (const ArraysFiles& files : arrays) files.require_written();
  return exit_status(joint.result.status);
}

}  // namespace

ExitStatus exit_status(SolveStatus status) {
  return status == SolveStatus::converged ? done : not_converged;
}

ExitStatus run(const RunConfig& config) {
  const Timer begun;
  require_one_configuration(config, world().ranks());
  const bool parts = asks_for_parts(config);
  require_formats(config);
  files_of_run(parts ? without_own_files(config) : config).check(config.output.force);
  require_names(config);
  Shared shared(config);
  if (parts) return run_parts(config, begun, shared);
  ArraysFiles arrays(config);
  const OpenModel open = [&](Storage storage) { return shared.opening(storage); };
  // The report comes first: it is small, and a disk may have room for it alone.
  const auto write = [&](const auto& outcome, const Json& report, const auto& vectors) {
    std::exception_ptr failure;
    try {
      shared.report(report);
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
    arrays.write(outcome, vectors);
    if (failure) std::rethrow_exception(failure);
    arrays.require_written();
  };
  if (config.task == Task::eigen) {
    const EigenOutcome outcome = run_eigenproblem(config, begun, open, shared);
    write(outcome, eigen_json(config, outcome), [&] { return outcome.vectors(*shared.backend); });
    return exit_status(outcome.result.status);
  }
  if (config.task == Task::select) {
    const SelectionOutcome outcome = run_selection(config, begun, open, shared);
    write(outcome, selection_json(config, outcome),
          [&] { return outcome.last.vectors(*shared.backend); });
    if (outcome.failure) std::rethrow_exception(outcome.failure);
    return exit_status(outcome.last.result.status);
  }
  const LinearOutcome outcome = run_linear_system(config, begun, open, shared);
  write(outcome, linear_json(config, outcome), [&] { return outcome.solution(*shared.backend); });
  return exit_status(outcome.result.status);
}

}  // namespace cisolve
