#pragma once

#include <string>

namespace cisolve {

/// How the program ends.
struct Ending {
  int status = 0;       ///< ExitStatus
  std::string problem;  ///< for the user, where one was thrown
};

/// Says what the problem is and returns the exit status. Of several ranks that all come to their
/// end the first that has a problem says so; where others go on and wait for this one, all are
/// ended at once.
int end_together(const Ending& ending);

}  // namespace cisolve
