#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/config/config.hpp"
#include "app/input/fingerprint.hpp"
#include "solvers/eigen/solver_state.hpp"

namespace cisolve {

/// Value of the attribute `format` of a checkpoint.
inline constexpr char checkpoint_format[] = "cisolve-checkpoint";

/// Writes a solve's state as HDF5 (docs/file-formats.md has the layout), through AtomicFile, vector
/// by vector. Throws ResourceError or InputError when it cannot be written.
void write_checkpoint(const SolverState& state, const Fingerprint& matrix,
                      const SolverConfig& solver, const std::filesystem::path& path);

/// Start of a solve from a file: a checkpoint, or start vectors (app/checkpoint/start_vectors.hpp).
class RestartFile {
 public:
  /// All of it that can be checked before there is a matrix. Throws InputError when the file is
  /// neither, cut short, of another layout, holds start vectors that are not finite, or is a
  /// checkpoint of states of another multiplicity than asked for (none: all states).
  RestartFile(const std::filesystem::path& path, std::optional<int> multiplicity);

  /// Throws InputError when it is of a matrix with another number of rows, of elements of so many
  /// real numbers.
  void require_rows(std::int64_t rows, int components);
  /// The state, its vectors read as they are asked for. Throws InputError when it is of another
  /// matrix, saying which of rows, nonzeros and fingerprint differ; without sectors, start vectors,
  /// where one of the two is stored and the other is not. So does reading a vector where
  /// the file has been replaced since this object opened it.
  SolverState state(const Fingerprint& matrix) const;

 private:
  std::filesystem::path path_;
  Fingerprint matrix_;  ///< of start vectors the rows alone, of all real numbers
  int components_ = 1;
  SolverState state_;                ///< of a checkpoint
  std::vector<std::int64_t> shape_;  ///< of start vectors' array
};

}  // namespace cisolve
