#pragma once

#include <string>
#include <vector>

namespace cisolve {

/// Runs a command as several ranks, processes of this host, to their end, and returns the exit
/// status of the lowest that has failed, 0 where none has; ends by the signal itself where Ctrl-C,
/// or a reader of the output that has gone, has ended the ranks. If a failed rank has left the
/// others in order (World::leave), they have a moment to end by themselves; otherwise they are
/// ended. Ctrl-C and SIGTERM go to all of them as Ctrl-C: they write what they have. Throws
/// ResourceError where the command cannot be run.
int run_as_ranks(int count, const std::vector<std::string>& line);

}  // namespace cisolve
