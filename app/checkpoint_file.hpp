#pragma once

#include <filesystem>

#include "app/config.hpp"
#include "app/fingerprint.hpp"
#include "solvers/solver_state.hpp"

namespace cisolve {

/// Writes a solve's state as HDF5 (docs/file-formats.md has the layout), through AtomicFile, vector
/// by vector. Throws ResourceError or InputError when it cannot be written.
void write_checkpoint(const SolverState& state, const Fingerprint& matrix,
                      const SolverConfig& solver, const std::filesystem::path& path);

/// The state to restart from: of a checkpoint, its vectors read as they are asked for, or the start
/// vectors of an .npy file. Throws InputError when the file is neither, of another layout or of
/// another matrix, saying which of rows, nonzeros and fingerprint differ; and where a checkpoint is
/// of states of another multiplicity than asked for (none: all states).
SolverState read_restart(const std::filesystem::path& path, const Fingerprint& matrix,
                         std::optional<int> multiplicity);

}  // namespace cisolve
