#include "app/select/selection.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "app/model/model.hpp"
#include "app/select/growing_states.hpp"
#include "app/select/natural_rotation.hpp"
#include "app/select/selection_checks.hpp"
#include "app/select/selection_file.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

constexpr double large = 0.3;       ///< coefficient of first order, for perturbation theory
constexpr double rounding = 1e-10;  ///< relative, of energies of one state solved twice

class SelectionRun {
 public:
  SelectionRun(const RunContext& context, const Model& model, const SelectionObservers& observers)
      : context_(context), config_(context.config), model_(&model), observers_(observers) {
    states_.emplace(context_, *model_);
    integrals_ = states_->integrals();
    if (config_.selection.natural && integrals_.unrestricted) {
      throw InputError("selection.natural: found " + kind_of_orbitals(integrals_) +
                       ", expected restricted ones");
    }
  }

  SelectionOutcome run() {
    if (config_.solver.restart.empty()) {
      begin();
      if (!finish_step()) return cancelled();
    } else {
      go_on();
    }
    while (!is_enough()) {
      try {
        if (is_to_be_rotated()) {
          begin_with_natural_orbitals();
        } else if (!grow()) {
          return cancelled();
        }
        if (!finish_step()) return cancelled();
      } catch (const ResourceError& error) {
        if (!fall_back(error.what())) throw;
        break;
      } catch (const std::bad_alloc&) {
        if (!fall_back("out of memory")) throw;
        break;
      }
    }
    if (!presented_ && !present()) return cancelled();
    note_large_coefficients();
    note_crossings();
    return taken();
  }

 private:
  SelectionStep& step() { return outcome_.steps.back(); }

  void begin() {
    const Timer timer;
    states_->begin();
    outcome_.steps.emplace_back().seconds.select = timer.seconds();
    step().natural = rotated_ != nullptr;
    step().determinants = states_->size();
  }

  /// Once the states of a list tell what orbitals are good.
  bool is_to_be_rotated() const {
    const SelectionSettings& wanted = config_.selection;
    if (!wanted.natural || rotated_) return false;
    constexpr std::int64_t enough = 100000;  // determinants: natural orbitals hardly change beyond
    constexpr double before = 10.0;
    if (states_->size() >= enough) return true;
    if (wanted.determinants) return before * states_->size() >= *wanted.determinants;
    const SelectionStep& now = outcome_.steps.back();
    if (wanted.epsilon) return now.epsilon > 0.0 && now.epsilon <= before * *wanted.epsilon;
    return std::ranges::all_of(now.limits, [&](const auto& limit) {
      return limit && limit->uncertainty <= before * wanted.accuracy;
    });
  }

  void begin_with_natural_orbitals() {
    const std::int64_t determinants = states_->size();
    rotate(natural_rotation(require_determinants(*model_, "selection"), *states_->space(),
                            states_->coefficients()));
    context_.log.inform(
        fmt::format("natural orbitals of the states over {} determinants: lists "
                    "begin anew over these",
                    determinants));
    begin();
  }

  /// The model is over the orbitals in the columns of C from here on.
  void rotate(HostMatrix c) {
    rotated_ = model_->over_orbitals(c, Storage::full, {});
    model_ = rotated_.get();
    states_.emplace(context_, *model_);
    outcome_.natural = {std::move(c), model_->determinants()->integrals()};
  }

  void go_on() {
    SelectionState state =
        read_selection(config_.solver.restart, selection_of(), config_.solver.states);
    if (state.rotation.size() > 0) rotate(std::move(state.rotation));
    for (SelectionStep& one : state.steps) {
      outcome_.steps.push_back(std::move(one));
      add_limits();
    }
    outcome_.complete = state.complete;
    states_->go_on(std::move(state.space), std::move(state.coefficients));
    states_->last().result.energies = step().energies;
  }

  /// Solved, corrected, said and kept; false: cancelled.
  bool finish_step() {
    solve(is_last());
    if (states_->last().result.status == SolveStatus::cancelled) return false;
    correct();
    if (step().correction.cancelled) return false;
    const bool wanted = observers_.step(step());
    keep();
    return wanted;
  }

  /// The last list once more, with all that is to be known; where its search finds other states
  /// they are corrected anew. False: cancelled.
  bool present() {
    const std::vector<double> before = step().energies;
    solve(true);
    if (states_->last().result.status == SolveStatus::cancelled) return false;
    bool same = true;
    for (std::size_t j = 0; j < before.size(); ++j) {
      const double moved = std::abs(step().energies[j] - before[j]);
      same = same && moved <= std::max(1e-3 * std::abs(step().correction.energies[j]),
                                       rounding * std::abs(before[j]));
    }
    if (same) return true;
    step().limits.clear();
    correct();
    return !step().correction.cancelled;
  }

  /// As the last list is to be, where that is known before it is solved.
  bool is_last() const {
    if (outcome_.complete) return true;
    return config_.selection.determinants && states_->size() >= *config_.selection.determinants;
  }

  /// The states of the list; of the `last` one with all that is to be known of them.
  void solve(bool last) {
    const Timer timer;
    std::vector<int> continued;
    const auto quietly = [&](const EigenIteration&) { return observers_.goes_on(); };
    if (last) {
      continued = states_->solve(config_of_list(config_), observers_.last, context_.log);
    } else {
      continued = states_->solve(config_of_quiet_list(config_),
                                 {observers_.last.begin, quietly, {}, {}}, {});
    }
    follow(continued);
    step().energies = states_->last().result.energies;
    step().converged = states_->last().result.status == SolveStatus::converged;
    step().seconds.solve += timer.seconds();
    presented_ = last;
  }

  /// Of a list solved once more the states continue what those of the first time do.
  void follow(std::vector<int> continued) {
    const std::vector<int>& before = step().continues;
    const bool again = !step().energies.empty();
    if (again && before.empty()) return;  // the first list
    if (again) {
      for (int& state : continued) state = state < 0 ? state : before[state];
    }
    step().continues = std::move(continued);
  }

  void correct() {
    const Timer timer;
    step().correction = second_order_correction(
        states_->expansion(),
        {config_.selection.deviation, config_.solver.seed, states_->bytes(), observers_.goes_on});
    step().seconds.correct = timer.seconds();
    if (!step().correction.cancelled) add_limits();
  }

  void add_limits() {
    for (int j = 0; j < config_.solver.states; ++j) step().limits.push_back(limit_of(j));
  }

  /// Whatever orbitals its lists are over.
  SelectionOf selection_of() const {
    return {integrals_, states_->irrep(), model_->determinants()->integrals().orbitals};
  }

  /// A write that fails is a warning and a note; the file before stays.
  void keep() {
    if (config_.checkpoint.file.empty()) return;
    try {
      write_selection(config_.checkpoint.file, selection_of(),
                      {outcome_.steps, states_->space(), states_->coefficients(),
                       rotated_ ? outcome_.natural->rotation : HostMatrix(), outcome_.complete});
    } catch (const std::exception& error) {
      outcome_.notes.push_back(std::string("checkpoint not written: ") + error.what());
      context_.log.warn(outcome_.notes.back());
    }
  }

  /// Perturbation theory is of small coefficients.
  void note_large_coefficients() {
    const std::vector<double>& largest = step().correction.coefficients;
    for (std::size_t j = 0; j < largest.size(); ++j) {
      if (largest[j] <= large) continue;
      outcome_.notes.push_back(fmt::format(
          "state {}: a determinant outside the list has the first-order coefficient {:.2f}: its "
          "correction means little; more determinants may mend that",
          j + 1, largest[j]));
      context_.log.warn(outcome_.notes.back());
    }
  }

  /// Where states crossed. Energies that are as good as equal tell nothing of an order.
  void note_crossings() {
    for (const SelectionStep& one : outcome_.steps) {
      std::string which;
      for (std::size_t j = 0; j < one.continues.size(); ++j) {
        const int before = one.continues[j];
        if (before == static_cast<int>(j)) continue;
        const double apart = before < 0 ? 1.0 : std::abs(one.energies[j] - one.energies[before]);
        if (before >= 0 && apart <= 1e-3 * std::abs(one.correction.energies[j])) continue;
        which += fmt::format("{} {} {}", which.empty() ? "" : ",", j + 1,
                             before < 0 ? "is none of those" : fmt::format("was {}", before + 1));
      }
      if (which.empty()) continue;
      outcome_.notes.push_back(
          fmt::format("states crossed between the list of {} determinants and the one before:{}; "
                      "extrapolations "
                      "follow the state",
                      one.determinants, which));
      context_.log.inform(outcome_.notes.back());
    }
  }

  std::optional<Extrapolation> limit_of(int state) const {
    std::vector<double> energies, corrections;
    const double deviation = outcome_.steps.back().correction.deviations[state];
    for (const StateOfList& one : history_of(outcome_.steps, state)) {
      energies.push_back(one.step->energies[one.state]);
      corrections.push_back(one.step->correction.energies[one.state]);
    }
    return extrapolated(energies, corrections, deviation);
  }

  /// Determinants of the last list that the one before has not.
  std::int64_t last_added() const {
    const auto& steps = outcome_.steps;
    const bool first = steps.size() == 1 || steps[steps.size() - 2].natural != steps.back().natural;
    return steps.back().determinants - (first ? 0 : steps[steps.size() - 2].determinants);
  }

  bool is_enough() {
    const std::optional<int>& determinants = config_.selection.determinants;
    const std::optional<double>& epsilon = config_.selection.epsilon;
    const double accuracy = config_.selection.accuracy;
    if (outcome_.complete) {
      outcome_.ended = "the Hamiltonian leads to no other determinant";
    } else if (determinants) {
      if (states_->size() < *determinants) return false;
      outcome_.ended = fmt::format("{} determinants were asked for", *determinants);
    } else if (epsilon) {
      const std::int64_t added = last_added();
      if (step().epsilon > *epsilon || 1000 * added > states_->size()) return false;
      outcome_.ended =
          fmt::format("all that is more important than {:.1e} was added, {} determinants at last",
                      *epsilon, added);
    } else {
      const auto sure = [&](const auto& limit) { return limit && limit->uncertainty <= accuracy; };
      const auto small = [](double coefficient) { return coefficient <= large; };
      if (!step().converged || !std::ranges::all_of(step().limits, sure) ||
          !std::ranges::all_of(step().correction.coefficients, small)) {
        return false;
      }
      outcome_.ended = fmt::format("energies are known to {:.1e}", accuracy);
    }
    return true;
  }

  /// Back to the last list that was finished, where there is one: more have no room.
  bool fall_back(const std::string& reason) {
    if (step().limits.empty()) {
      if (!states_->undo()) return false;
      outcome_.steps.pop_back();
    }
    outcome_.complete = presented_ = false;
    const std::string fits = fmt::format("{} determinants have room", states_->size());
    outcome_.ended = reason.substr(0, reason.find('\n')) + "; " + fits;
    outcome_.failure = std::make_exception_ptr(ResourceError(
        "selection: " + fits + ", and the result is theirs; more have not: " + reason));
    return true;
  }

  /// False: cancelled, and the list is as it was.
  bool grow() {
    const Timer timer;
    const Growth grown = config_.selection.epsilon ? to_epsilon() : to_size();
    if (grown.cancelled) return false;
    outcome_.complete = grown.complete;
    if (grown.added == 0 && !grown.complete && !config_.selection.epsilon) {
      throw ResourceError("selection: " + std::to_string(states_->size()) +
                          " determinants, and too many others are equally important to be added");
    }
    SelectionStep next;
    next.determinants = states_->size();
    next.natural = rotated_ != nullptr;
    next.epsilon = grown.epsilon;
    next.seconds.select = timer.seconds();
    outcome_.steps.push_back(std::move(next));
    return true;
  }

  /// By halves down to the one that is wanted, and there until little is added.
  Growth to_epsilon() {
    const double wanted = *config_.selection.epsilon, last = step().epsilon;
    return states_->grow_by_importance(last > 0.0 ? std::max(wanted, 0.5 * last) : 32.0 * wanted,
                                       observers_.goes_on);
  }

  /// Four times as large, twice as large where the end is near, as far as one can know.
  Growth to_size() {
    const auto now = static_cast<std::size_t>(states_->size());
    const auto most = static_cast<std::size_t>(std::numeric_limits<Index>::max());
    const std::size_t last = static_cast<std::size_t>(config_.selection.determinants.value_or(0));
    std::size_t size = std::min(most, (last > 32 * now || (last == 0 && now < 1000) ? 4 : 2) * now);
    if (last > 0) size = 4 * size > 3 * last ? last : size;
    return states_->grow_to_size(size, step().epsilon, observers_.goes_on);
  }

  SelectionOutcome taken() {
    outcome_.last = std::move(states_->last());
    outcome_.last.determinants = states_->determinants();
    if (outcome_.natural) {
      outcome_.last.rotation = outcome_.natural->rotation;
      outcome_.notes.push_back(
          "orbitals were rotated to natural ones: determinants, vectors and densities are over "
          "these");
    } else if (config_.selection.natural) {
      outcome_.notes.push_back("orbitals were not rotated: the selection ended before");
    }
    return std::move(outcome_);
  }

  SelectionOutcome cancelled() {
    outcome_.ended = "it was cancelled";
    states_->last().result.status = SolveStatus::cancelled;
    if (step().limits.empty()) outcome_.steps.pop_back();
    return taken();
  }

  const RunContext& context_;
  const RunConfig& config_;
  Integrals integrals_;  ///< of the Hamiltonian as it was given, over active orbitals
  const Model* model_;
  std::unique_ptr<Model> rotated_;       ///< over natural orbitals, once there is
  std::optional<GrowingStates> states_;  ///< over the model
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
