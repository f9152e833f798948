#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "core/types.hpp"

namespace cisolve {

/// Progress of the solve in a sector.
struct SectorState {
  std::int64_t rows = 0;
  std::int64_t pairs = 0;       ///< Ritz pairs the state has of it, the lowest first
  std::int64_t wanted = 0;      ///< of which are among the states
  std::int64_t next = 0;        ///< vectors of Lanczos's next block, behind the pairs
  std::int64_t earlier = 0;     ///< columns of SolverState::earlier
  std::int64_t unused[2] = {};  ///< 0; checkpoints of earlier versions have a search here
};

/// Rate at which the residuals have come down, by which corrections are chosen.
struct Pace {
  double norm = 0.0;  ///< of the states before the last iteration, in A's unit
  int iterations = 0;
  double gained = 0.0;        ///< what they took off its logarithm
  std::vector<double> gains;  ///< of which the last ones, in the order of their numbers modulo size
};

/// All that a solve has come to: what goes on from here repeats no product. The Ritz vectors of
/// different sectors lie side by side, vector j holding the j-th lowest of every sector, behind its
/// last one the vectors of its next block, whose images are zero, and zero where it has fewer.
struct SolverState {
  std::string method;  ///< "davidson", also of LOBPCG, or "lanczos": whose basis this is
  /// The images are those of the vectors. Not where the matrix was rounded, or Lanczos in its
  /// search had dropped a part of them: the vectors are start vectors then.
  bool exact_images = true;
  int states = 0;
  int iterations = 0;
  std::int64_t operator_applications = 0, probe_applications = 0;
  double seconds = 0.0;
  std::optional<double> upper_bound;  ///< of A's eigenvalues, where products were spent on it
  std::optional<Pace> pace;           ///< not known of start vectors
  /// None: only start vectors are known, without images, in no order.
  std::vector<SectorState> sectors;
  int vectors = 0;
  /// Ritz vectors of every sector from the iteration before, which the next restart keeps, as
  /// coefficients of its pairs: pairs × SectorState::earlier, over K in the real form.
  std::vector<HostMatrix> earlier;
  /// x := vector j, ax := Ax; each n × 1, the rows where A has them. For start vectors ax stays.
  std::function<void(int j, HostMatrix& x, HostMatrix& ax)> read;
};

/// Called once per iteration and when the solve ends (`last`), with the iterations so far. It takes
/// the state if a checkpoint is due; the state lives for the call only.
using CheckpointHook =
    std::function<void(int iterations, bool last, const std::function<SolverState()>& state)>;

}  // namespace cisolve
