#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/ranks/shared_memory.hpp"
#include "backends/ranks/world.hpp"

namespace cisolve {

/// Variables of a rank that a process has begun on its own host, without a launcher of MPI: the
/// number of ranks, this rank's number, and the file of their memory.
inline constexpr const char* host_ranks_variable = "CISOLVE_RANKS";
inline constexpr const char* host_rank_variable = "CISOLVE_RANK";
inline constexpr const char* host_file_variable = "CISOLVE_RANKS_FILE";

/// The number that a variable holds; `otherwise` where it is not there or none.
int environment_number(const char* variable, int otherwise);

/// The memory of so many ranks. Throws ResourceError.
SharedMemory host_ranks_memory(int count);
/// The environment of one of them, which is to inherit the memory's file: this process's, and those
/// variables.
std::vector<std::string> host_rank_environment(const SharedMemory& memory, int rank, int count);
/// True if a rank has come to the others (world).
bool host_rank_has_joined(const SharedMemory& memory, int rank, int count);
/// True if it has left them in order (World::leave).
bool host_rank_has_left(const SharedMemory& memory, int rank, int count);

/// In a rank. Throws ResourceError where the environment does not name such memory.
std::unique_ptr<World> join_host_world();

}  // namespace cisolve
