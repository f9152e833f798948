#include "app/select/selection.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "app/memory/memory.hpp"
#include "app/model/model.hpp"
#include "app/select/selection_file.hpp"
#include "app/solve/eigen.hpp"
#include "core/error.hpp"
#include "hamiltonian/select/growth.hpp"

namespace cisolve {
namespace {

constexpr std::size_t first_size = 100;

void require_consistent_selection(const RunConfig& config) {
  const auto& [determinants, epsilon, accuracy, deviation] = config.selection;
  if (determinants && epsilon) {
    throw InputError("selection.determinants and selection.epsilon both say where to end");
  }
  const InputConfig defaults;
  std::string key;
  if (config.input.space != defaults.space) key = "input.space";
  if (!config.input.determinants.empty()) key = "input.determinants";
  if (!config.input.strings.empty()) key = "input.strings";
  if (config.input.listed) key = "input.determinants";
  if (!config.input.ras1.empty() || !config.input.ras3.empty()) key = "input.ras1, input.ras3";
  if (config.input.spin_inversion != defaults.spin_inversion) key = "input.spin_inversion";
  if (!key.empty()) {
    throw InputError(key + " chooses determinants, and the task is to select them");
  }
}

/// The configuration of the solve over one list, of which nothing is written.
RunConfig config_of_step(const RunConfig& config) {
  RunConfig made = config;
  made.task = Task::eigen;
  made.input.irrep.reset();  // the list has it
  made.checkpoint = {};
  made.solver.restart.clear();
  made.output = {};
  made.output.analysis = false;
  made.solver.verify = Verify::off;
  return made;
}

/// That of the last list, all of it said and written.
RunConfig config_of_last(const RunConfig& config) {
  RunConfig made = config;
  made.task = Task::eigen;
  made.input.irrep.reset();
  made.checkpoint = {};
  made.solver.restart.clear();
  return made;
}

class Selection {
 public:
  Selection(const RunContext& context, const Model& model, const SelectionObservers& observers)
      : context_(context),
        config_(context.config),
        model_(model),
        determinants_(require_determinants(model, "selection")),
        integrals_(determinants_.active_integrals()),
        step_config_(config_of_step(config_)),
        last_config_(config_of_last(config_)),
        observers_(observers),
        bytes_(available_memory(context.backend).host / 2) {}

  SelectionOutcome run() {
    if (config_.solver.restart.empty()) {
      begin();
      if (!finish_step()) return end();
    } else {
      go_on();
    }
    while (!is_enough()) {
      grow();
      if (!finish_step()) return end();
    }
    if (!presented_) solve(true);
    return std::move(outcome_);
  }

 private:
  const ListedSpace& list() const { return *space_->of_list(); }
  SelectionStep& step() { return outcome_.steps.back(); }

  void begin() {
    const Timer timer;
    space_ = first_list(
        integrals_, determinants_.irrep(),
        std::max<std::size_t>(first_size, 4 * static_cast<std::size_t>(config_.solver.states)));
    require_states(config_.solver.states, static_cast<Index>(space_->size()), "solver.states");
    outcome_.steps.emplace_back().seconds.select = timer.seconds();
    step().determinants = space_->size();
  }

  void go_on() {
    SelectionState state =
        read_selection(config_.solver.restart, selection_of(), config_.solver.states);
    space_ = std::move(state.space);
    start_ = std::move(state.coefficients);
    for (SelectionStep& one : state.steps) {
      outcome_.steps.push_back(std::move(one));
      add_limits();
    }
  }

  /// Solved, corrected, said and kept; false: cancelled.
  bool finish_step() {
    solve(is_last());
    if (outcome_.last.result.status == SolveStatus::cancelled) return false;
    correct();
    if (step().correction.cancelled) return false;
    observers_.step(step());
    keep();
    return true;
  }

  /// As the last list is to be, where that is known before it is solved.
  bool is_last() const {
    if (outcome_.complete) return true;
    if (!config_.selection.determinants) return false;
    return space_->size() >= *config_.selection.determinants;
  }

  /// Where `last`, with all that is to be known of the states.
  void solve(bool last) {
    const Timer timer;
    const RunConfig& config = last ? last_config_ : step_config_;
    const RunContext context{config, context_.backend, last ? context_.log : Log(), context_.begun};
    const auto quietly = [&](const EigenIteration&) { return observers_.goes_on(); };
    const Observers observers =
        last ? observers_.last : Observers{observers_.last.begin, quietly, {}, {}};
    const auto open = [&](Storage storage) { return model_.over(space_, storage, context.log); };
    outcome_.last = solve_eigenproblem(context, open, observers, std::move(start_));
    start_ = outcome_.last.vectors(context_.backend);
    step().energies = outcome_.last.result.energies;
    step().converged = outcome_.last.result.status == SolveStatus::converged;
    step().seconds.solve += timer.seconds();
    presented_ = last;
  }

  void correct() {
    const Timer timer;
    CorrectionOptions options;
    options.target = config_.selection.deviation;
    options.seed = config_.solver.seed;
    options.bytes = bytes_;
    options.goes_on = observers_.goes_on;
    step().correction =
        second_order_correction({integrals_, list(), start_, step().energies}, options);
    step().seconds.correct = timer.seconds();
    if (!step().correction.cancelled) add_limits();
  }

  void add_limits() {
    for (int j = 0; j < config_.solver.states; ++j) step().limits.push_back(limit_of(j));
  }

  SelectionOf selection_of() const { return {integrals_, determinants_.irrep().value_or(-1)}; }

  /// A write that fails is a warning and a note; the file before stays.
  void keep() {
    if (config_.checkpoint.file.empty()) return;
    try {
      write_selection(config_.checkpoint.file, selection_of(), {outcome_.steps, space_, start_});
    } catch (const std::exception& error) {
      outcome_.notes.push_back(std::string("checkpoint not written: ") + error.what());
      context_.log.warn(outcome_.notes.back());
    }
  }

  std::optional<Extrapolation> limit_of(int state) const {
    std::vector<double> energies, corrections;
    for (const SelectionStep& one : outcome_.steps) {
      energies.push_back(one.energies[state]);
      corrections.push_back(one.correction.energies[state]);
    }
    return extrapolated(energies, corrections, outcome_.steps.back().correction.deviations[state]);
  }

  /// Determinants of the last list that the one before has not.
  std::int64_t last_added() const {
    const auto& steps = outcome_.steps;
    return steps.back().determinants -
           (steps.size() > 1 ? steps[steps.size() - 2].determinants : 0);
  }

  bool is_enough() {
    const auto& [determinants, epsilon, accuracy, deviation] = config_.selection;
    if (outcome_.complete) {
      outcome_.ended = "the Hamiltonian leads to no other determinant";
    } else if (determinants) {
      if (space_->size() < *determinants) return false;
      outcome_.ended = fmt::format("{} determinants were asked for", *determinants);
    } else if (epsilon) {
      const std::int64_t added = last_added();
      if (step().epsilon > *epsilon || 1000 * added > space_->size()) return false;
      outcome_.ended =
          fmt::format("all that is more important than {:.1e} was added, {} determinants at last",
                      *epsilon, added);
    } else {
      const auto sure = [&](const auto& limit) { return limit && limit->uncertainty <= accuracy; };
      if (!std::ranges::all_of(step().limits, sure)) return false;
      outcome_.ended = fmt::format("energies are known to {:.1e}", accuracy);
    }
    return true;
  }

  void grow() {
    const Timer timer;
    const Expansion expansion{integrals_, list(), start_, step().energies};
    const Growth grown = config_.selection.epsilon ? to_epsilon(expansion) : to_size(expansion);
    outcome_.complete = grown.complete;
    start_ = carried_over(start_, list(), *grown.space->of_list());
    space_ = grown.space;
    SelectionStep next;
    next.determinants = space_->size();
    next.epsilon = grown.epsilon;
    next.seconds.select = timer.seconds();
    outcome_.steps.push_back(std::move(next));
  }

  /// By halves down to the one that is wanted, and there until little is added.
  Growth to_epsilon(const Expansion& expansion) {
    const double wanted = *config_.selection.epsilon, last = outcome_.steps.back().epsilon;
    const double epsilon = last > 0.0 ? std::max(wanted, 0.5 * last) : 32.0 * wanted;
    return grown_by_importance(expansion, epsilon, bytes_);
  }

  /// Four times as large, twice as large where the end is near, as far as one can know.
  Growth to_size(const Expansion& expansion) {
    const auto now = static_cast<std::size_t>(space_->size());
    const auto most = static_cast<std::size_t>(std::numeric_limits<Index>::max());
    const std::size_t last = static_cast<std::size_t>(config_.selection.determinants.value_or(0));
    std::size_t size = std::min(most, (last > 32 * now || (last == 0 && now < 1000) ? 4 : 2) * now);
    if (last > 0) size = 4 * size > 3 * last ? last : size;
    return grown_to_size(expansion, size, outcome_.steps.back().epsilon, bytes_);
  }

  SelectionOutcome end() {
    outcome_.ended = "it was cancelled";
    outcome_.last.result.status = SolveStatus::cancelled;
    if (step().limits.empty()) outcome_.steps.pop_back();
    return std::move(outcome_);
  }

  const RunContext& context_;
  const RunConfig& config_;
  const Model& model_;
  const Determinants& determinants_;
  const Integrals& integrals_;
  const RunConfig step_config_, last_config_;
  const SelectionObservers& observers_;
  std::size_t bytes_;  ///< of host memory, that selection and correction may use
  SelectionOutcome outcome_;
  std::shared_ptr<const AnySpace> space_;
  HostMatrix start_;        ///< states over the list
  bool presented_ = false;  ///< the last list was solved as such
};

}  // namespace

SelectionOutcome select_determinants(const RunContext& context, const OpenModel& open,
                                     const SelectionObservers& observers) {
  require_consistent_selection(context.config);
  if (!context.backend.communicator().alone()) {
    throw InputError("task: select is of one process so far, and there are several ranks");
  }
  double read = 0.0;
  const auto model = timed(read, [&] { return open(Storage::full); });
  SelectionOutcome outcome = Selection(context, *model, observers).run();
  outcome.last.facts.seconds.read += read;
  outcome.last.facts.seconds.total = context.begun.seconds();
  return outcome;
}

}  // namespace cisolve
