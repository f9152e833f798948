#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/ranks/communicator.hpp"

namespace cisolve {

/// The ranks that the program was started as, and how their run ends.
class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  virtual Communicator& ranks() { return one_rank(); }
  /// From here to `leave` every rank looks after the others: where one has not been heard for
  /// `silence` seconds, `failed` is called by a thread of its own, with what there is to say; it is
  /// to end the process. Called by all ranks. Empty, or why nothing is looked after.
  virtual std::string watch(double /*silence*/,
                            std::function<void(const std::string&)> /*failed*/) {
    return "";
  }
  /// This rank is at its end, and says so with a number. Those of all, by rank, once all are at
  /// theirs; none where that takes longer than `seconds`: others go on, and wait for this one.
  virtual std::optional<std::vector<int>> end(int number, double /*seconds*/) {
    return std::vector<int>{number};
  }
  /// Leaves the others, who all do the same: the last that is done with them.
  virtual void leave() {}
  /// Ends all ranks at once.
  [[noreturn]] virtual void abort(int status);
};

/// Ranks that a launcher (mpirun, srun), or a process of this host, says in the environment that it
/// has started; 1 where none does.
int launched_ranks();
/// The number of this one among them, as the launcher says it; 0 where none does.
int launched_rank();

/// True if it was a process of this host, without MPI (host_world.hpp).
bool begun_on_this_host();

/// Joined when first called; one rank where no launcher has started several. Throws ResourceError
/// where a launcher of MPI has and MPI's module, libcisolve_mpi.so beside libcisolve.so, cannot be
/// loaded, or finds another number of them, and where a process of this host is said to have, and
/// their memory is not there; every time then.
World& world();

/// The ranks of a caller's MPI communicator, which is duplicated, by the handle that MPI's Fortran
/// bindings have of it (MPI_Comm_c2f). Called by all of them. Throws ResourceError where MPI's
/// module cannot be loaded.
std::unique_ptr<Communicator> mpi_communicator(int handle);

}  // namespace cisolve
