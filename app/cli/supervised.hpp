#pragma once

#include <string>
#include <vector>

namespace cisolve {

/// Set in the environment of what `supervised` runs.
inline constexpr const char* supervised_variable = "CISOLVE_DEVICES";

/// Whether this process is what a `supervised` launcher has begun: SIGUSR1 is Ctrl-C then.
bool is_supervised();

/// Runs a launcher of ranks, which sees that variable with the value given, to its end, and returns
/// its exit status; ends as this program does on Ctrl-C where that has ended the ranks. Ctrl-C and
/// SIGTERM go to the processes that the launcher has begun as SIGUSR1: of SIGINT mpirun would make
/// an end within a second, and ranks write what they have. Throws ResourceError where it cannot be
/// run.
int supervised(const std::vector<std::string>& line, const std::string& value);

}  // namespace cisolve
