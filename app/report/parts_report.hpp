#pragma once

#include <ostream>
#include <vector>

#include "app/config/config.hpp"
#include "app/config/json.hpp"
#include "app/report/part.hpp"
#include "app/solve/outcome/outcome.hpp"

namespace cisolve {

/// All their states in order of energy, with the status of the first solve that did not converge;
/// verified only where the probabilities of error add up to no more than that of one; nothing of
/// what is of a single space: no vectors, matrix or reference determinant.
EigenOutcome joined(const std::vector<PartReport>& parts);

/// The states of all, and the reports of the parts by themselves: `irreps`, `multiplicities`, or
/// `parts` of both. `facts` of `joint` are those of the run. There is a part at least.
Json parts_json(const RunConfig& config, const EigenOutcome& joint,
                const std::vector<PartReport>& parts);
void print_parts(std::ostream& out, const RunConfig& config, const EigenOutcome& joint,
                 const std::vector<PartReport>& parts);

}  // namespace cisolve
