#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "app/config/config.hpp"
#include "app/solve/outcome/outcome.hpp"

namespace cisolve {

/// One thing that is said of every state, in the report's JSON, in the table for people, or in
/// both. The list of them is all there is to add to.
struct StateColumn {
  std::string key;      ///< in JSON; empty: not there
  std::string heading;  ///< in the table, as wide as its texts; empty: not there
  std::function<Json(const EigenOutcome&, std::size_t state)> value;
  std::function<std::string(const EigenOutcome&, std::size_t state)> text;
  /// True if this outcome has it; empty: always.
  std::function<bool(const EigenOutcome&)> there = {};
  bool excitation = false;  ///< an energy above the lowest of all states of the run
};

/// JSON's `states`.
Json states_json(const EigenOutcome& outcome);
/// The table, a line a state. `lowest_known`: whether the first state is the lowest of the run,
/// from which excitations count; otherwise the table leaves them out.
void print_state_table(std::ostream& out, const EigenOutcome& outcome, bool lowest_known = true);

/// With so many decimals, right-aligned; of what they leave nothing 0 without a sign.
std::string decimals(double x, int width, int count);
/// The value with 12 decimals as a multiple of the unit, so far as a double has them.
double with_12_decimals(double x, double unit = 1.0);

}  // namespace cisolve
