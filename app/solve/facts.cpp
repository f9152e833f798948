#include "app/solve/facts.hpp"

#include "app/memory/memory.hpp"
#include "backends/ranks/communicator.hpp"
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

void add_notes(RunFacts& facts, const std::vector<std::string>& notes) {
  facts.notes.insert(facts.notes.end(), notes.begin(), notes.end());
}

void add_note(RunFacts& facts, const Log& log, const std::string& note) {
  log.warn(note);
  facts.notes.push_back(note);
}

void note_operator(const MadeOperator& made, RunFacts& facts) {
  facts.matrix = made.a->info();
  facts.memory = made.plan;
  facts.built_on_device = made.on_device;
  add_notes(facts, made.notes);
}

void note_memory(RunFacts& facts) {
  if (facts.memory.decision == MemoryDecision::as_configured) return;
  facts.notes.push_back("memory: " + describe(facts.memory));
}

std::unique_ptr<HamiltonianSource> open_square(const OpenSource& open, const OperatorStage& stage) {
  auto source = open(stage.storage());
  const Index rows = stage.rows_of(*source);
  if (!source->of_determinants() && !source->product()) {
    if (const Index columns = source->outline().columns; columns != rows) {
      throw InputError(
          source->name() + ": the matrix is " + std::to_string(rows) + " x " +
          std::to_string(columns) + ", expected a square one" +
          (columns < rows ? "; vectors are what solver.restart and linear.rhs take" : ""));
    }
  }
  stage.check_rows(rows);
  return source;
}

PSpace p_space_stage(MatrixSource& matrix, std::shared_ptr<const CsrMatrix> s_squared,
                     const SolverConfig& solver, BackendKind solves_on, RunFacts& facts) {
  const Timer timer;
  PSpace p =
      p_space_of(matrix, matrix.sectors(s_squared.get()), solver.states, solver.p_space, solves_on);
  p.seconds = timer.seconds();
  facts.seconds.convert += p.seconds;
  return p;
}

}  // namespace cisolve
