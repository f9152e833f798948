#pragma once

#include <span>
#include <vector>

#include "solvers/eigen/solver_state.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// New vectors T, those of the sectors side by side; a sector has the first `added[s]` columns.
struct NewVectors {
  View t;
  std::vector<int> added;
  std::vector<char> whole;  ///< of a sector, whether T_s is all that was proposed, and not nothing
  int columns() const;      ///< of the sector with most
};

/// T := the start vectors: eigenvectors of the lowest levels of A_PP over all sectors, at least one
/// in each, and random ones where the levels are too few for the states. The vectors `given`, as
/// many as the block has room for, and the `known[s]` lowest pairs that are in the bases, stand for
/// the lowest levels of their sectors. `seed`: of a sector's random vectors.
void start_block(Workspace& work, std::span<const int> known, const SolverState* given,
                 std::span<const std::uint64_t> seeds, NewVectors& to);

}  // namespace cisolve
