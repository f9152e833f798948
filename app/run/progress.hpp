#pragma once

#include <ostream>

#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/linear/linear_problem.hpp"

namespace cisolve {

/// While it lives, the first Ctrl-C (SIGINT) or SIGTERM sets a flag instead of ending the program;
/// a second one ends it. So does the first where nobody asks for the flag within `patience`
/// seconds (infinity: however long), or twice the longest iteration so far, unless a file is being
/// written then: one signal ends a run in which nothing moves.
class Interrupt {
 public:
  explicit Interrupt(double patience);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  /// True if a signal has come; who asks is trusted to end the run then.
  static bool requested();
  /// A solve is over: what there is to write is made and written, and a first signal only noted.
  static void finish();
  /// Another begins.
  static void begin();
};

/// A table with one row per iteration, written as they come. The search for lower states that
/// follows has a line when it begins, which says how long it may take, and then one at most every
/// half second.
class EigenProgress {
 public:
  /// `width`: columns of the terminal; so many energies are shown as fit.
  EigenProgress(std::ostream& out, int width, Verify verify)
      : out_(out), width_(width), verify_(verify) {}
  void show(const EigenIteration& iteration);

 private:
  void show_search(const EigenIteration& iteration);

  std::ostream& out_;
  int width_;
  Verify verify_;
  bool header_shown_ = false;
  bool searching_ = false;
  double search_begun_ = 0.0;  ///< seconds of the solve
  double last_search_ = 0.0;   ///< when a line of the search was shown last
};

/// Progress of cheap iterations: a row at most every half second.
class LinearProgress {
 public:
  explicit LinearProgress(std::ostream& out) : out_(out) {}
  void show(const LinearIteration& iteration);

 private:
  std::ostream& out_;
  bool header_shown_ = false;
  double last_shown_ = 0.0;
};

/// Columns of the terminal behind a file descriptor; 100 where there is none.
int terminal_width(int descriptor);

}  // namespace cisolve
