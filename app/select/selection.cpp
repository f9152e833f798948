#include "app/select/selection.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "app/model/model.hpp"
#include "app/select/endings.hpp"
#include "app/select/growing_states.hpp"
#include "app/select/lowest_irreps.hpp"
#include "app/select/natural_rotation.hpp"
#include "app/select/selection_checks.hpp"
#include "app/select/selection_file.hpp"
#include "app/select/selection_notes.hpp"
#include "app/select/state_history.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

constexpr double rounding = 1e-10;  ///< relative, of energies of one state solved twice

/// Lists over one set of orbitals.
struct ListsOver {
  std::unique_ptr<const Model> model;        ///< over natural orbitals; null: that of the file
  std::optional<SelectionOrbitals> natural;  ///< the same
  std::unique_ptr<GrowingStates> states;
};

class SelectionRun {
 public:
  SelectionRun(const RunContext& context, const Model& model, const SelectionObservers& observers)
      : context_(context), config_(context.config), model_(model), observers_(observers) {
    lists_.states = std::make_unique<GrowingStates>(context_, model_);
    integrals_ = states().integrals();
    if (config_.selection.natural && integrals_.unrestricted) {
      throw InputError("selection.natural: found " + kind_of_orbitals(integrals_) +
                       ", expected restricted ones");
    }
  }

  SelectionOutcome run() {
    if (config_.solver.restart.empty()) {
      const Timer timer;
      begin(states(), model_);
      add_first_step(timer);
      if (!finish_step()) return cancelled();
    } else {
      go_on();
    }
    const bool wanted = as_far_as_there_is_room([&] { return select(); }) &&
                        (presented_ || as_far_as_there_is_room([&] { return present(); }));
    return wanted ? taken() : cancelled();
  }

 private:
  SelectionStep& step() { return outcome_.steps.back(); }
  GrowingStates& states() { return *lists_.states; }

  void begin(GrowingStates& states, const Model& model) {
    states.begin();
    const std::string irreps = begin_in_lowest_irreps(states, context_, model, observers_.goes_on);
    if (irreps.empty()) return;
    context_.log.inform(irreps);
    if (std::ranges::find(outcome_.notes, irreps) == outcome_.notes.end()) note(irreps);
  }

  void add_first_step(const Timer& timer) {
    outcome_.steps.emplace_back().seconds.select = timer.seconds();
    step().natural = lists_.natural.has_value();
    step().determinants = states().size();
  }

  /// False: cancelled.
  bool select() {
    while (true) {
      outcome_.ended = ending_of(outcome_, config_.selection);
      if (!outcome_.ended.empty()) return true;
      if (config_.selection.natural && !lists_.natural &&
          tells_of_orbitals(step(), config_.selection)) {
        begin_with_natural_orbitals();
      } else if (!grow()) {
        return false;
      }
      if (!finish_step()) return false;
    }
  }

  /// The lists before stay until the first one over natural orbitals is finished.
  void begin_with_natural_orbitals() {
    const Timer timer;
    ListsOver natural = over(natural_rotation(require_determinants(model_, "selection"),
                                              *states().space(), states().coefficients()));
    context_.log.inform(fmt::format(
        "natural orbitals of the states over {} determinants: lists begin anew over these",
        states().size()));
    begin(*natural.states, *natural.model);
    before_rotation_ = std::exchange(lists_, std::move(natural));
    add_first_step(timer);
  }

  /// Over the orbitals in the columns of C, without a list.
  ListsOver over(HostMatrix c) const {
    ListsOver made;
    made.model = model_.over_orbitals(c, Storage::full, {});
    made.states = std::make_unique<GrowingStates>(context_, *made.model);
    const Determinants& determinants = *made.model->determinants();
    made.natural = {std::move(c), determinants.integrals(), determinants.frozen_and_active().first};
    return made;
  }

  void go_on() {
    SelectionState state =
        read_selection(config_.solver.restart, selection_of(), config_.solver.states);
    if (state.rotation.size() > 0) {
      refuse_file_orbitals(config_);
      require_natural_rotation(require_determinants(model_, "selection"), state.rotation,
                               config_.solver.restart.string());
      lists_ = over(std::move(state.rotation));
    }
    for (SelectionStep& one : state.steps) {
      outcome_.steps.push_back(std::move(one));
      add_limits();
    }
    outcome_.complete = state.complete;
    states().go_on(std::move(state.space), std::move(state.coefficients));
    states().last().result.energies = step().energies;
  }

  /// Solved, corrected, said and kept; false: cancelled.
  bool finish_step() {
    if (!solve(ends_here()) || !correct()) return false;
    before_rotation_.reset();
    const bool wanted = observers_.step(step());
    keep();
    return wanted;
  }

  /// The last list once more, with all that is to be known; where its search finds other states
  /// they are corrected anew. False: cancelled. Otherwise than whole it leaves the list as it was.
  bool present() {
    const SelectionStep before = step();
    const auto undo = [&] {
      step() = before;
      states().undo();
    };
    states().mark();
    try {
      if (solve(true)) {
        if (is_as(before)) return true;
        if (correct()) {
          keep();
          return true;
        }
      }
    } catch (...) {
      undo();
      throw;
    }
    undo();
    return false;
  }

  /// True if the states of the step are those of `before`, to what its correction tells.
  bool is_as(const SelectionStep& before) {
    for (std::size_t j = 0; j < before.energies.size(); ++j) {
      const double moved = std::abs(step().energies[j] - before.energies[j]);
      if (moved > std::max(1e-3 * std::abs(before.correction.energies[j]),
                           rounding * std::abs(before.energies[j]))) {
        return false;
      }
    }
    return true;
  }

  /// True if the list is the last, where that is known before it is solved.
  bool ends_here() {
    if (outcome_.complete) return true;
    return config_.selection.determinants && states().size() >= *config_.selection.determinants;
  }

  /// The states of the list; of the `last` one with all that is to be known of them. False:
  /// cancelled.
  bool solve(bool last) {
    const Timer timer;
    std::vector<int> continued;
    if (last) {
      continued = states().solve_and_follow(config_of_list(config_), observers_.last, context_.log);
    } else {
      continued = states().solve_and_follow(config_of_quiet_list(config_), quietly(), {});
    }
    follow(std::move(continued));
    step().energies = states().last().result.energies;
    step().converged = states().last().result.status == SolveStatus::converged;
    step().seconds.solve += timer.seconds();
    presented_ = last;
    return states().last().result.status != SolveStatus::cancelled;
  }

  Observers quietly() const {
    return {observers_.last.begin,
            [this](const EigenIteration&) { return observers_.goes_on(); },
            {},
            {}};
  }

  /// A list that is solved again keeps the links of its first solve to the states of the list
  /// before.
  void follow(std::vector<int> continued) {
    const std::vector<int>& before = step().continues;
    const bool again = !step().energies.empty();
    if (again && before.empty()) return;  // the first list
    if (again) {
      for (int& state : continued) state = state < 0 ? state : before[state];
    }
    step().continues = std::move(continued);
  }

  /// False: cancelled.
  bool correct() {
    const Timer timer;
    step().limits.clear();
    step().correction = second_order_correction(
        states().expansion(),
        {config_.selection.deviation, config_.solver.seed, observers_.goes_on}, states().place());
    step().seconds.correct = timer.seconds();
    if (step().correction.cancelled) return false;
    add_limits();
    return true;
  }

  void add_limits() {
    for (int j = 0; j < config_.solver.states; ++j) {
      step().limits.push_back(limit_of(outcome_.steps, j));
    }
  }

  /// Whatever orbitals its lists are over.
  SelectionOf selection_of() {
    return {integrals_, states().irrep(), model_.determinants()->integrals().orbitals};
  }

  /// A write that fails is a warning and a note; the file before stays.
  void keep() {
    if (config_.checkpoint.file.empty()) return;
    try {
      write_selection(
          config_.checkpoint.file, selection_of(),
          {outcome_.steps, states().space(), states().coefficients(),
           lists_.natural ? lists_.natural->rotation : HostMatrix(), outcome_.complete});
    } catch (const std::exception& error) {
      note("checkpoint not written: " + std::string(error.what()));
      context_.log.warn(outcome_.notes.back());
    }
  }

  /// False: cancelled, and the list is as it was.
  bool grow() {
    const Timer timer;
    const Growth grown = config_.selection.epsilon ? to_epsilon() : to_size();
    if (grown.cancelled) return false;
    if (grown.added == 0 && !grown.complete && !config_.selection.epsilon) {
      states().undo();
      throw ResourceError("selection: " + std::to_string(states().size()) +
                          " determinants, and too many others are equally important to be added");
    }
    SelectionStep next;
    next.determinants = states().size();
    next.natural = lists_.natural.has_value();
    next.epsilon = grown.epsilon;
    next.seconds.select = timer.seconds();
    outcome_.complete = grown.complete;
    outcome_.steps.push_back(std::move(next));
    return true;
  }

  /// ε is halved from list to list down to the one wanted; lists grow there until little is added.
  Growth to_epsilon() {
    const double wanted = *config_.selection.epsilon, last = step().epsilon;
    return states().grow_by_importance(last > 0.0 ? std::max(wanted, 0.5 * last) : 32.0 * wanted,
                                       observers_.goes_on);
  }

  /// Four times as large, twice as large where the end is near, as far as one can know.
  Growth to_size() {
    const auto now = static_cast<std::size_t>(states().size());
    const auto most = static_cast<std::size_t>(std::numeric_limits<Index>::max());
    const std::size_t last = static_cast<std::size_t>(config_.selection.determinants.value_or(0));
    std::size_t size = std::min(most, (last > 32 * now || (last == 0 && now < 1000) ? 4 : 2) * now);
    if (last > 0) size = 4 * size > 3 * last ? last : size;
    return states().grow_to_size(size, step().epsilon, observers_.goes_on);
  }

  /// Back to the last list that was finished; false: there is none.
  bool undo_unfinished() {
    if (!step().limits.empty()) return true;
    if (before_rotation_) {
      lists_ = std::move(*before_rotation_);
      before_rotation_.reset();
    } else if (!states().undo()) {
      return false;
    }
    outcome_.steps.pop_back();
    outcome_.complete = presented_ = false;
    return true;
  }

  /// Result of `part`. If memory does not suffice, the selection ends with the last finished list.
  bool as_far_as_there_is_room(const std::function<bool()>& part) {
    try {
      return part();
    } catch (const ResourceError& error) {
      if (!undo_unfinished()) throw;
      end_without_room(error.what());
    } catch (const std::bad_alloc&) {
      if (!undo_unfinished()) throw;
      end_without_room("out of memory");
    }
    return true;
  }

  void end_without_room(const std::string& reason) {
    if (outcome_.failure) return;
    const std::string result = fmt::format(
        "the result is of {} determinants, the last list that "
        "had room",
        states().size());
    outcome_.ended = reason.substr(0, reason.find('\n')) + "; " + result;
    note(outcome_.ended);
    outcome_.failure =
        std::make_exception_ptr(ResourceError("selection: " + result + "; then: " + reason));
  }

  void note(std::string sentence) { outcome_.notes.push_back(std::move(sentence)); }

  SelectionOutcome cancelled() {
    if (!undo_unfinished()) outcome_.steps.pop_back();
    if (!states().last().basis) {  // of a file: its states as the solver's
      states().solve(config_of_quiet_list(config_),
                     {{}, [](const EigenIteration&) { return false; }, {}, {}}, {});
    }
    outcome_.ended = "it was cancelled";
    states().last().result.status = SolveStatus::cancelled;
    return taken();
  }

  SelectionOutcome taken() {
    outcome_.natural = std::move(lists_.natural);
    outcome_.last = std::move(states().last());
    outcome_.last.determinants = states().determinants();
    if (outcome_.natural) outcome_.last.rotation = outcome_.natural->rotation;
    if (!outcome_.steps.empty()) {
      for (const std::string& one : notes_of_coefficients(step())) {
        context_.log.warn(one);
        note(one);
      }
    }
    for (const std::string& one : notes_of_crossings(outcome_.steps)) {
      context_.log.inform(one);
      note(one);
    }
    for (const std::string& one : notes_of_orbitals(outcome_, config_.selection.natural)) note(one);
    return std::move(outcome_);
  }

  const RunContext& context_;
  const RunConfig& config_;
  Integrals integrals_;  ///< of the Hamiltonian as it was given, over active orbitals
  const Model& model_;   ///< of the file
  ListsOver lists_;
  std::optional<ListsOver> before_rotation_;  ///< while the first list after it is unfinished
  const SelectionObservers& observers_;
  SelectionOutcome outcome_;
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
  SelectionOutcome outcome = SelectionRun(context, *model, observers).run();
  outcome.last.facts.seconds.read += read;
  outcome.last.facts.seconds.total = context.begun.seconds();
  return outcome;
}

}  // namespace cisolve
