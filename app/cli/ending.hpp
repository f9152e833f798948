#pragma once

#include <string>

namespace cisolve {

/// End of the program.
struct Ending {
  int status = 0;       ///< ExitStatus
  std::string problem;  ///< for the user, where one was thrown
};

/// From here on one of several ranks that is not heard of any more ends all; a warning where that
/// is not possible. Called by all ranks.
void watch_ranks();

/// Says what the problem is and returns the exit status. If all ranks come to their end, the first
/// with a problem says so; if others go on and wait for this one, all are ended at once.
int end_together(const Ending& ending);

}  // namespace cisolve
