#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "app/checkpoint/checkpoint.hpp"
#include "app/checkpoint/checkpoint_file.hpp"
#include "app/model/model.hpp"
#include "app/prepare/context.hpp"
#include "app/prepare/run_facts.hpp"
#include "app/ways/held_matrix.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/eigen_problem.hpp"

namespace cisolve {

/// Files of an eigensolver: checkpoints, read and written, and start vectors of a file or a caller.
/// Vectors of checkpoints are in Basis::checkpoints' order, start vectors in that of callers.
class Checkpoints {
 public:
  /// `start`: the caller's vectors to begin from; none: no columns. Throws InputError where the
  /// file to restart from cannot be one.
  Checkpoints(const RunContext& context, HostMatrix start);

  /// True if there are no vectors to begin from.
  bool begins_anew() const { return start_.cols() == 0 && !restart_; }
  /// Turns those vectors, where there are any.
  template <class Turn>
  void turn_start(const Turn& turn) {
    if (start_.cols() > 0) start_ = turn(std::move(start_));
  }
  /// Those vectors, over the determinants of the model; none: no columns.
  void begin_from(HostMatrix start) { start_ = std::move(start); }
  /// Throws InputError where what is begun from is of another model.
  void require_for(Model& model);
  /// Sets what the solver writes and begins from, for that matrix. Throws InputError where the file
  /// is of another one.
  void attach(HeldMatrix& matrix, EigenOptions& options, CheckpointFacts& facts);
  /// Adds what was written to the facts.
  void note(RunFacts& facts) const;

 private:
  void require_same_start();

  const RunConfig& config_;
  Communicator& ranks_;
  HostMatrix start_;
  std::shared_ptr<const Basis> basis_;
  CheckpointWriter writer_;
  std::optional<RestartFile> restart_;
  std::string rotated_;  ///< a note on the vectors of the restart file, or empty
  std::optional<SolverState> begin_from_;
};

}  // namespace cisolve
