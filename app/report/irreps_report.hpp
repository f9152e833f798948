#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/config/json.hpp"
#include "app/solve/outcome.hpp"

namespace cisolve {

/// What came of one irrep of several.
struct IrrepReport {
  int irrep = 0;
  std::string name;
  EigenOutcome outcome;
  Json report;  ///< eigen_json
};

/// All their states in order of energy, with the status of the first solve that did not converge;
/// verified only where the probabilities of error add up to no more than that of one; nothing of
/// what is of a single space: no vectors, matrix or reference determinant.
EigenOutcome joined(const std::vector<IrrepReport>& irreps);

/// The states of all, and the reports of the irreps by themselves. `facts` of `joint` are those of
/// the run.
Json irreps_json(const RunConfig& config, const EigenOutcome& joint,
                 const std::vector<IrrepReport>& irreps);
void print_irreps(std::ostream& out, const RunConfig& config, const EigenOutcome& joint);

}  // namespace cisolve
