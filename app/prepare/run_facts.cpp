#include "app/prepare/run_facts.hpp"

namespace cisolve {

void add_notes(RunFacts& facts, const std::vector<std::string>& notes) {
  facts.notes.insert(facts.notes.end(), notes.begin(), notes.end());
}

void add_note(RunFacts& facts, const Log& log, const std::string& note) {
  log.warn(note);
  facts.notes.push_back(note);
}

}  // namespace cisolve
