#pragma once

#include <string>

#include "app/config/config.hpp"

namespace cisolve {

/// The key solver.multiplicity: one multiplicity (EigenSettings::multiplicity), or several, each
/// with a number of states or without: "1:2,3,5" (SolverConfig::multiplicities).
Field multiplicity_field();

/// "1:2,3,5".
std::string multiplicities_text(const SolverConfig& solver);

/// "singlets", "doublets", …, "states of multiplicity 12".
std::string multiplicity_name(int multiplicity);
/// A name for files: "singlet", …, "multiplicity_12".
std::string multiplicity_in_file_name(int multiplicity);

/// S of a multiplicity: "2", "5/2".
std::string spin_text(int multiplicity);

}  // namespace cisolve
