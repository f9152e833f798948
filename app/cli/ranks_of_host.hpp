#pragma once

#include <string>
#include <vector>

namespace cisolve {

/// Runs a command as several ranks, processes of this host, to their end, and returns the exit
/// status of the first that has failed; ends as this program does on Ctrl-C where that has ended
/// the ranks. Where one fails, the others have a moment to end by themselves. Ctrl-C and SIGTERM go
/// to all of them as Ctrl-C: they write what they have. Throws ResourceError where the command
/// cannot be run.
int run_as_ranks(int count, const std::vector<std::string>& line);

}  // namespace cisolve
