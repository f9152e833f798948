#pragma once

#include <ostream>
#include <string>

#include "app/config/config.hpp"
#include "app/config/json.hpp"
#include "app/solve/outcome.hpp"

namespace cisolve {

/// What is said of every run, whatever it solved: units, seconds, machine, notes, configuration.
void add_run(Json& json, const RunConfig& config, const RunFacts& facts);
/// "read 0.01, build 0.20, …".
std::string seconds_text(const StageSeconds& seconds);

/// What is said of a run with one operator: that, the format's choice, memory, and `add_run`.
void add_facts(Json& json, const RunConfig& config, const RunFacts& facts);
/// The same for people.
void print_facts(std::ostream& out, const RunFacts& facts);

}  // namespace cisolve
