#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/prepare/context.hpp"
#include "app/prepare/preparation.hpp"
#include "app/solve/outcome/outcome.hpp"
#include "solvers/inner_block.hpp"

namespace cisolve {

/// Throws InputError where a matrix of so many rows has fewer states; `key` asked for them.
void require_states(int states, Index rows, const std::string& key);

/// A block of a prepared matrix, whose sectors are known, for corrections of so many vectors at
/// once to divide by. Throws ResourceError where it has no room.
using MakeInner =
    std::function<std::shared_ptr<const InnerBlock>(const Prepared&, const Sectors&, int columns)>;
/// Vectors to begin from, over a model's determinants in their space's order; none: no columns. The
/// note tells the user of them; empty: nothing to say.
struct MadeStart {
  HostMatrix vectors;
  std::string note;
  MakeInner inner = {};  ///< none: no such block
};
/// Called once the model is there and the solve is sure to begin.
using MakeStart = std::function<MadeStart(const Model&)>;

/// The lowest eigenpairs that the configuration asks for, of what `open` opens, and what they are.
/// Stages: checks, source, projector onto a multiplicity, matrix, p-space, operator, solve,
/// analysis. Throws InputError and ResourceError; how the solve ended is in the result. The
/// backend's kind is the configured one; checkpoints are written and read as configured.
/// `start`: vectors to begin from, over determinants or the rows of a matrix; empty: those of
/// `make_start`, if it is given.
EigenOutcome solve_eigenproblem(const RunContext& context, const OpenModel& open,
                                const Observers& observers, HostMatrix start = {},
                                const MakeStart& make_start = {});

}  // namespace cisolve
