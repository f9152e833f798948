#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/config/units.hpp"
#include "app/memory/memory_plan.hpp"
#include "app/ways/format_report.hpp"
#include "backends/backend.hpp"
#include "backends/ranks/communicator.hpp"
#include "core/log.hpp"
#include "core/timer.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Wall-clock seconds of a run's stages.
struct StageSeconds {
  double read = 0.0, build = 0.0, convert = 0.0, solve = 0.0, analysis = 0.0, total = 0.0;
};

/// Checkpoints of a run.
struct CheckpointFacts {
  int written = 0;
  double seconds = 0.0;  ///< spent writing
  // The solve gone on from:
  int iterations = 0;
  std::int64_t operator_applications = 0, probe_applications = 0;
  double seconds_before = 0.0;
};

/// Work of another engine than the program's own did for a run, before that took over.
struct EngineFacts {
  std::string name;  ///< "SLEPc 3.18.2, krylovschur"; empty: there was none
  int iterations = 0;
  std::int64_t operator_applications = 0;
  double seconds = 0.0, product_seconds = 0.0;
};

/// Facts of a run, whatever it solved.
struct RunFacts {
  Index rows = 0;
  int components = 1;         ///< real numbers of an element
  Units units = Units::none;  ///< of energies; never `automatic`
  OperatorInfo matrix;
  bool built_on_device = false;  ///< the matrix; it was not whole in host memory
  std::string operator_reason;   ///< why the matrix is stored or not, where there was a choice
  std::optional<FormatReport> format_choice;  ///< where spmv.format is auto
  BackendKind backend = BackendKind::cpu;
  std::string device;      ///< for people
  int ranks = 1;           ///< that the rows were distributed over
  std::string ranks_text;  ///< for people, where there are several
  /// Traffic of rank 0; and that of the solve alone.
  Communicator::Traffic traffic, solve_traffic;
  StageSeconds seconds;
  CheckpointFacts checkpoint;
  EngineFacts engine;
  MemoryPlan memory;
  std::optional<int> multiplicity;  ///< of the states asked for; none: all
  std::vector<std::string> notes;
};

/// Returns the value of `work`; the seconds that it took are added.
template <class Work>
auto timed(double& seconds, const Work& work) {
  struct Adder {
    double& seconds;
    Timer timer = {};
    ~Adder() { seconds += timer.seconds(); }
  };
  const Adder adder{seconds};
  return work();
}

void add_notes(RunFacts& facts, const std::vector<std::string>& notes);
/// One that is logged, too.
void add_note(RunFacts& facts, const Log& log, const std::string& note);

}  // namespace cisolve
