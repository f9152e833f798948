#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/memory/memory_plan.hpp"
#include "app/states/state_analysis.hpp"
#include "formats/choice/format_search.hpp"
#include "io/atomic_file.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/linear/linear_problem.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Flushes stdout. Throws ResourceError when it did not take all that was written: a full disk, a
/// closed pipe.
void require_written_stdout();

/// Where a command's results go: text for people to stdout, JSON to a file or to stdout; in that
/// case the text goes to stderr.
class Output {
 public:
  /// `json`: a file, "-" for stdout, empty for none. Throws InputError when the file's folder
  /// cannot be written, before any work is done.
  explicit Output(const std::string& json);
  std::ostream& text() const;
  /// Descriptor of the stream behind `text`.
  int descriptor() const;
  /// Writes the report, where one was asked for.
  void write(const Json& report);

 private:
  bool json_to_stdout_;
  std::unique_ptr<AtomicFile> file_;
};

/// Wall-clock seconds of a run's stages.
struct StageSeconds {
  double read = 0.0, build = 0.0, convert = 0.0, solve = 0.0, analysis = 0.0, total = 0.0;
};

/// What checkpoints did to a run.
struct CheckpointFacts {
  int written = 0;
  double seconds = 0.0;  ///< spent writing
  // Of the solve gone on from:
  int iterations = 0;
  std::int64_t operator_applications = 0, probe_applications = 0;
  double seconds_before = 0.0;
};

/// What a run worked with, whatever it solved.
struct RunFacts {
  Index rows = 0;
  OperatorInfo matrix;
  bool built_on_device = false;               ///< the matrix; it was not whole in host memory
  std::optional<FormatChoice> format_choice;  ///< where spmv.format is auto
  BackendKind backend = BackendKind::cpu;
  std::string device;  ///< for people
  StageSeconds seconds;
  CheckpointFacts checkpoint;
  MemoryPlan memory;
  std::optional<int> multiplicity;  ///< of the states asked for; none: all
  std::vector<std::string> notes;
};

/// The lowest eigenvalue, where a linear system is shifted from there.
struct GroundFacts {
  double energy = 0.0;
  double residual_norm = 0.0;
  std::int64_t operator_applications = 0;
  double seconds = 0.0;
};

Json eigen_json(const RunConfig& config, const RunFacts& facts, const EigenResult& result,
                const EigenAnalysis& analysis);
Json linear_json(const RunConfig& config, const RunFacts& facts, const LinearOptions& options,
                 const std::optional<GroundFacts>& ground, const LinearResult& result);
void print_eigen(std::ostream& out, const RunConfig& config, const RunFacts& facts,
                 const EigenResult& result, const EigenAnalysis& analysis);
void print_linear(std::ostream& out, const RunFacts& facts, const LinearOptions& options,
                  const std::optional<GroundFacts>& ground, const LinearResult& result);

}  // namespace cisolve
