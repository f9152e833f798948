#pragma once

#include <string>

#include "app/config/config.hpp"
#include "app/input/fingerprint.hpp"
#include "backends/ranks/communicator.hpp"
#include "core/log.hpp"
#include "core/timer.hpp"
#include "solvers/eigen/solver_state.hpp"

namespace cisolve {

/// Writes a solve's state to `checkpoint.file` as often as the configuration says, and when the
/// solve ends. A write that fails is a warning and a note of the report; the solve goes on, and the
/// checkpoint before stays. All ranks call the hook; the first writes one file, from which any
/// number of ranks can go on.
class CheckpointWriter {
 public:
  CheckpointWriter(const RunConfig& config, Communicator& ranks, const Log& log)
      : config_(config), ranks_(ranks), log_(log) {}

  bool active() const { return !config_.checkpoint.file.empty(); }
  /// The solver's hook, of a solve of this matrix that begins with so many iterations; empty where
  /// no file is named.
  CheckpointHook hook(const Fingerprint& matrix, int iterations);

  int written() const { return written_; }
  /// Spent writing.
  double seconds() const { return seconds_; }
  /// Why the last write that failed did; empty when none did.
  const std::string& failure() const { return failure_; }

 private:
  bool due(int iteration, bool last) const;
  void write(const SolverState& state);
  bool try_to_write(const SolverState& state);

  const RunConfig& config_;
  Communicator& ranks_;
  const Log& log_;
  Fingerprint matrix_;
  Timer since_;        ///< the last write, or the beginning
  int iteration_ = 0;  ///< of the last write
  int written_ = 0;
  double seconds_ = 0.0;
  std::string failure_;
};

}  // namespace cisolve
