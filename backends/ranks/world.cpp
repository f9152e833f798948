#include "backends/ranks/world.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>

#include "backends/mpi/entry.hpp"
#include "backends/open_module.hpp"
#include "backends/ranks/host_world.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// Environment variables of a launcher.
struct Launcher {
  const char *size, *rank;
};
// Launchers, in this order: cisolve itself on one host, whose processes another launcher counts as
// one; Open MPI; MPICH, Intel MPI and Slurm's PMI; a step of srun. A Slurm job without a step also
// sets some variables, so those of the step are read.
constexpr Launcher launchers[] = {{host_ranks_variable, host_rank_variable},
                                  {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                  {"PMI_SIZE", "PMI_RANK"},
                                  {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

[[noreturn]] void refuse(int count, const std::string& why) {
  throw ResourceError("started as " + std::to_string(count) +
                      " ranks, and MPI is not usable: " + why);
}

/// A function of MPI's module. `failed` is told why there is none.
template <class Function, class Failed>
Function* in_module(const char* name, const Failed& failed) {
  constexpr const char* library = "libcisolve_mpi.so";
  if (!module_is_there(library)) {
    failed("the program was built without it (" + module_file(library).string() +
           " is not there); install Open MPI (libopenmpi-dev), configure and build anew");
  }
  const OpenedModule opened = open_module(library, RTLD_GLOBAL, "cisolve_mpi_stamp", "its library");
  if (opened.handle == nullptr) failed(opened.failure);
  return reinterpret_cast<Function*>(::dlsym(opened.handle, name));
}

std::unique_ptr<World> join(int count) {
  const auto begin = in_module<decltype(cisolve_mpi_join)>(
      "cisolve_mpi_join", [count](const std::string& why) { refuse(count, why); });
  std::unique_ptr<World> made(begin());
  if (made->ranks().size() == count) return made;
  refuse(count, "it sees " + std::to_string(made->ranks().size()) +
                    "; the launcher and the library (" + made->ranks().description() +
                    ") are of different kinds: with Slurm, srun --mpi=pmix or mpirun");
}

/// The world, or what was thrown: it is joined but once.
struct Joined {
  std::unique_ptr<World> world;
  std::exception_ptr failure;

  Joined() {
    try {
      const int count = launched_ranks();
      if (begun_on_this_host()) {
        world = join_host_world();
      } else {
        world = count > 1 ? join(count) : std::make_unique<World>();
      }
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
  }
};

}  // namespace

void World::abort(int status) {
  std::exit(status);
}

int launched_ranks() {
  for (const Launcher& launcher : launchers) {
    if (const int count = environment_number(launcher.size, 0); count > 1) return count;
  }
  return 1;
}

int launched_rank() {
  for (const Launcher& launcher : launchers) {
    if (environment_number(launcher.size, 0) > 1) return environment_number(launcher.rank, 0);
  }
  return 0;
}

bool begun_on_this_host() {
  return environment_number(host_ranks_variable, 0) > 1;
}

std::unique_ptr<Communicator> mpi_communicator(int handle) {
  const auto make = in_module<decltype(cisolve_mpi_communicator)>(
      "cisolve_mpi_communicator", [](const std::string& why) {
        throw ResourceError("a communicator of MPI is given, and MPI is not usable: " + why);
      });
  return std::unique_ptr<Communicator>(make(handle));
}

World& world() {
  static const Joined joined;
  if (joined.failure) std::rethrow_exception(joined.failure);
  return *joined.world;
}

}  // namespace cisolve
