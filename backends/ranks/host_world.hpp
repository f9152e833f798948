#pragma once

#include <memory>

#include "backends/ranks/shared_memory.hpp"
#include "backends/ranks/world.hpp"

namespace cisolve {

/// What the environment says to a rank that a process has begun on its own host, without a
/// launcher of MPI: how many there are, which this is, and the file of their memory.
inline constexpr const char* host_ranks_variable = "CISOLVE_RANKS";
inline constexpr const char* host_rank_variable = "CISOLVE_RANK";
inline constexpr const char* host_file_variable = "CISOLVE_RANKS_FILE";

/// The memory of so many ranks, which they inherit.
SharedMemory host_ranks_memory(int count);
/// In a process that is to become a rank: sets its environment.
void become_host_rank(const SharedMemory& memory, int rank, int count);
/// In a rank. Throws ResourceError where there is no such memory.
std::unique_ptr<World> join_host_world();

}  // namespace cisolve
