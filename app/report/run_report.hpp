#pragma once

#include <ostream>
#include <string>

#include "app/config/config.hpp"
#include "app/config/json.hpp"
#include "app/solve/outcome/outcome.hpp"

namespace cisolve {

/// Adds the facts of every run: units, seconds, machine, notes, configuration.
void add_run(Json& json, const RunConfig& config, const RunFacts& facts);
/// "read 0.01, build 0.20, …".
std::string seconds_text(const StageSeconds& seconds);

/// Adds the facts of a run with one operator: it, the format's choice, memory, and `add_run`.
void add_facts(Json& json, const RunConfig& config, const RunFacts& facts);
/// Text of these facts, for people.
void print_facts(std::ostream& out, const RunFacts& facts);

}  // namespace cisolve
