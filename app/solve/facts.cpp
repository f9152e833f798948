#include "app/solve/facts.hpp"

#include <limits>
#include <string>
#include <utility>

#include "app/memory/memory.hpp"
#include "backends/ranks/communicator.hpp"
#include "core/dense/field.hpp"
#include "core/error.hpp"

namespace cisolve {

Communicator::Traffic since(const Communicator::Traffic& before, Communicator::Traffic now) {
  now.seconds -= before.seconds;
  now.exchanges -= before.exchanges;
  now.bytes -= before.bytes;
  return now;
}

RunFacts facts_of(const RunContext& context) {
  RunFacts facts;
  facts.backend = context.backend.kind();
  facts.device = context.backend.description();
  const Communicator& ranks = context.backend.communicator();
  facts.ranks = ranks.size();
  if (!ranks.alone()) facts.ranks_text = ranks.description();
  return facts;
}

void note_end(Prepared& prepared, RunFacts& facts) {
  facts.matrix = prepared.a->info();
  facts.format_choice = prepared.held->format_report();
  add_notes(facts, std::exchange(prepared.held->notes, {}));
}

void note_memory(RunFacts& facts) {
  if (facts.memory.decision == MemoryDecision::as_configured) return;
  facts.notes.push_back("memory: " + describe(facts.memory));
}

void require_for_elements(const RunContext& context, Index rows, int components) {
  if (components == 1) return;
  if (rows > std::numeric_limits<Index>::max() / components) {
    throw InputError(std::to_string(rows) + " rows of " + elements_name(components) +
                     " elements; expected at most " +
                     std::to_string(std::numeric_limits<Index>::max() / components));
  }
  const RunConfig& config = context.config;
  const auto refuse_if = [&](bool wrong, const std::string& key) {
    if (!wrong) return;
    throw InputError(key + ": not of " +
                     (components == 2 ? "complex matrices" : "matrices of quaternions"));
  };
  refuse_if(!context.backend.communicator().alone(), "several ranks");
  refuse_if(!config.input.follow.empty(), "input.follow");
  refuse_if(config.solver.chooses_multiplicity(), "solver.multiplicity");
  refuse_if(config.solver.engine != Engine::cisolve, "solver.engine");
  refuse_if(config.spmv.off_diagonal != Precision::float64, "spmv.off_diagonal");
  refuse_if(static_cast<bool>(config.solver.project), "a projector");
}

PSpace p_space_stage(HeldMatrix& matrix, std::shared_ptr<const CsrMatrix> s_squared,
                     const SolverConfig& solver, BackendKind solves_on, RunFacts& facts) {
  const Timer timer;
  PSpace p =
      p_space_of(matrix, matrix.sectors(s_squared.get()), solver.states, solver.p_space, solves_on);
  p.seconds = timer.seconds();
  facts.seconds.convert += p.seconds;
  return p;
}

}  // namespace cisolve
