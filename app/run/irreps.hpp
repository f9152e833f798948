#pragma once

#include <vector>

#include "app/config/config.hpp"
#include "app/model/model.hpp"

namespace cisolve {

/// One of the solves that a run with several irreps is made of.
struct IrrepRun {
  int irrep = 0;
  std::string name;
  /// Of that irrep alone, with its number of states. Files of arrays and checkpoints, those read
  /// too, have its name before their extension: states.A1.npz. Without a report's files.
  RunConfig config;
};

/// The configuration of the whole, without the files that every irrep has for itself.
RunConfig without_own_files(RunConfig config);

/// Whether input.irrep asks for more than the states of one irrep.
bool asks_for_irreps(const RunConfig& config);

/// In the order in which input.irrep has them. Throws InputError where one is not an irrep of the
/// orbitals, or is there twice, or a matrix is read.
std::vector<IrrepRun> runs_by_irrep(const RunConfig& config, const Model& model);

}  // namespace cisolve
