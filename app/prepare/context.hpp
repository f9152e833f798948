#pragma once

#include <functional>
#include <memory>

#include "app/config/config.hpp"
#include "app/model/model.hpp"
#include "backends/backend.hpp"
#include "backends/ranks/communicator.hpp"
#include "core/log.hpp"
#include "core/timer.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/linear/linear_problem.hpp"

namespace cisolve {

/// Common input of every stage of a run; none changes it.
struct RunContext {
  const RunConfig& config;
  Backend& backend;
  Log log;
  Timer begun = {};  ///< when the run did
};

/// Opens what the run is about, to be held so. Called once the configuration has been found to make
/// sense.
using OpenModel = std::function<std::unique_ptr<Model>(Storage)>;

/// Called by the solvers; where one returns false the solve ends as `cancelled`.
struct Observers {
  std::function<void()> begin;  ///< when the first solver is about to begin
  EigenObserver eigen;
  LinearObserver linear;
  std::function<void()> end;  ///< when the last one has ended
};

/// The backend that the configuration names or, for `auto`, CUDA where it can be used; where there
/// is a GPU that cannot be, the log says so.
BackendKind chosen_backend(const BackendConfig& config, const Log& log);
/// A backend of that kind; of several ranks, over all of them; of CUDA on a device of each, if
/// there are as many on the host. Throws InputError where ranks would not all be on the same kind
/// of device.
std::unique_ptr<Backend> make_backend(BackendKind kind, const BackendConfig& config,
                                      Communicator& ranks, const Log& log);

/// Throws InputError on all ranks where they are told different things, or are different versions:
/// they would wait for each other for ever.
void require_one_configuration(const RunConfig& config, Communicator& ranks);

/// Threads of OpenMP, 0: as they are. Ranks of a host that were not bound to cores of their own
/// share them.
int threads_of(const BackendConfig& config, const Communicator& ranks);

}  // namespace cisolve
