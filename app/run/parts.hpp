#pragma once

#include <vector>

#include "app/config/config.hpp"
#include "app/files/command_files.hpp"
#include "app/model/model.hpp"
#include "app/report/part.hpp"
#include "core/log.hpp"

namespace cisolve {

/// One of the solves that a run with several irreps or multiplicities is made of.
struct PartRun {
  PartLabel part;
  SpaceChoice space;
  /// Configuration of that part alone, with its number of states. The names of files of arrays and
  /// checkpoints, also those read, have the part's name before the extension: states.A1.npz,
  /// states.triplet.npz. It has no report files.
  RunConfig config;
};

/// The configuration of the whole, without the files that every part has for itself.
RunConfig without_own_files(RunConfig config);
/// Those of all parts and of the report, of which none may be another.
CommandFiles files_of_parts(const RunConfig& config, const std::vector<PartRun>& parts);

/// True if input.irrep or solver.multiplicity asks for more than the states of one.
bool asks_for_parts(const RunConfig& config);

/// Every irrep with every multiplicity, in the order in which input.irrep has the irreps and, of
/// each, solver.multiplicity the multiplicities; these in the space of fewest rows
/// (cheapest_space). Throws InputError where one is not an irrep of the orbitals, or no
/// multiplicity of the space, or is there twice, or a matrix is read.
std::vector<PartRun> parts_of(const RunConfig& config, const Model& model, const Backend& backend);

/// Parts that have no file of solver.restart begin anew, and say so, where others have one: a run
/// that was cut off had not come to them.
void begin_anew_without_files(std::vector<PartRun>& parts, const Log& log);

}  // namespace cisolve
