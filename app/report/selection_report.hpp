#pragma once

#include <ostream>

#include "app/config/config.hpp"
#include "app/config/json.hpp"
#include "app/select/selection.hpp"

namespace cisolve {

/// eigen_json of the last list, and the lists.
Json selection_json(const RunConfig& config, const SelectionOutcome& outcome);
/// A row of the table of lists, the first with the heading.
void print_selection_step(std::ostream& out, const SelectionStep& step, bool first);
void print_selection(std::ostream& out, const RunConfig& config, const SelectionOutcome& outcome);

}  // namespace cisolve
