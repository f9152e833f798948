#include "app/select/growing_states.hpp"

#include <algorithm>
#include <utility>

#include "app/memory/memory.hpp"
#include "app/solve/eigen/eigen.hpp"
#include "hamiltonian/integrals/allowed_integrals.hpp"

namespace cisolve {

GrowingStates::GrowingStates(const RunContext& context, const Model& model)
    : context_(context),
      model_(model),
      determinants_(require_determinants(model, "selection")),
      integrals_(allowed_integrals(determinants_.active_integrals())),
      host_bytes_(available_memory(context.backend, limit()).host / 2) {}

std::size_t GrowingStates::limit() const {
  return context_.config.backend.memory_limit.count;
}

Workplace GrowingStates::place() const {
  constexpr double usable = 0.9;  // of a device's memory, which others take from, too
  const double device =
      static_cast<double>(available_memory(context_.backend, limit()).device.value_or(0));
  return {context_.backend, host_bytes_, static_cast<std::size_t>(usable * device)};
}

std::size_t GrowingStates::first_size() const {
  constexpr std::size_t usual = 100;
  return std::max(usual, 4 * static_cast<std::size_t>(context_.config.solver.states));
}

void GrowingStates::begin() {
  space_ = first_list(integrals_, determinants_.irrep(), first_size());
  require_states(context_.config.solver.states, static_cast<Index>(space_->size()),
                 "solver.states");
}

void GrowingStates::begin_in(int irrep, std::size_t size) {
  space_ = first_list(integrals_, irrep, size);
}

void GrowingStates::go_on(std::shared_ptr<const AnySpace> space, HostMatrix coefficients) {
  space_ = std::move(space);
  coefficients_ = std::move(coefficients);
}

void GrowingStates::solve(const RunConfig& config, const Observers& observers, const Log& log) {
  const RunContext context{config, context_.backend, log, context_.begun};
  const auto open = [&](Storage storage) { return model_.over(space_, storage, log); };
  last_ = solve_eigenproblem(context, open, observers, std::move(coefficients_));
  coefficients_ = last_.vectors(context_.backend);
}

std::vector<int> GrowingStates::solve_and_follow(const RunConfig& config,
                                                 const Observers& observers, const Log& log) {
  const HostMatrix before = coefficients_;
  solve(config, observers, log);
  if (before.size() == 0) return {};
  std::vector<int> continued(static_cast<std::size_t>(coefficients_.cols()), -1);
  const std::vector<Followed> followed = follow(before, coefficients_);
  for (std::size_t j = 0; j < followed.size(); ++j) {
    if (followed[j].state)
      continued[static_cast<std::size_t>(*followed[j].state)] = static_cast<int>(j);
  }
  return continued;
}

Growth GrowingStates::take(Growth grown) {
  if (grown.cancelled) return grown;
  HostMatrix carried = carried_over(coefficients_, *space_->of_list(), *grown.space->of_list());
  mark();
  coefficients_ = std::move(carried);
  space_ = grown.space;
  return grown;
}

void GrowingStates::mark() {
  marked_.reset();
  marked_ = Marked{space_, coefficients_, std::move(last_)};
}

bool GrowingStates::undo() {
  if (!marked_) return false;
  space_ = std::move(marked_->space);
  coefficients_ = std::move(marked_->coefficients);
  last_ = std::move(marked_->last);
  marked_.reset();
  return true;
}

Growth GrowingStates::grow_to_size(std::size_t size, double epsilon, const GoesOn& goes_on) {
  return take(grown_to_size(expansion(), size, epsilon, place(), goes_on));
}

Growth GrowingStates::grow_by_importance(double epsilon, const GoesOn& goes_on) {
  return take(grown_by_importance(expansion(), epsilon, place(), goes_on));
}

bool grow_to(GrowingStates& states, const RunConfig& config, std::int64_t size,
             const GoesOn& goes_on, const std::function<bool()>& ends) {
  const Observers observers{{}, [&](const EigenIteration&) { return goes_on(); }, {}, {}};
  double epsilon = 0.0;
  while (true) {
    states.solve(config, observers, {});
    if (states.last().result.status == SolveStatus::cancelled) return false;
    if (ends && ends()) return false;
    if (states.size() >= size) return true;
    const Growth grown = states.grow_to_size(
        static_cast<std::size_t>(std::min(4 * states.size(), size)), epsilon, goes_on);
    if (grown.cancelled) return false;
    if (grown.added == 0) return states.undo();
    epsilon = grown.epsilon;
  }
}

RunConfig config_of_list(const RunConfig& config) {
  RunConfig made = config;
  made.task = Task::eigen;
  made.input.irrep.reset();  // the list has it
  made.checkpoint = {};
  made.solver.restart.clear();
  return made;
}

RunConfig config_of_quiet_list(const RunConfig& config) {
  RunConfig made = config_of_list(config);
  made.output = {};
  made.input.orbitals.clear();  // which output.molden needs
  made.output.analysis = false;
  made.solver.verify = Verify::off;
  made.solver.start = StartFrom::p_space;
  return made;
}

}  // namespace cisolve
