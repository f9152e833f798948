#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.hpp"

namespace CLI {
class App;
}

namespace cisolve {

/// Flags of a subcommand that set keys of the configuration, and `--set key.path=value`. Flags are
/// applied in the order of the table, `--set` after them.
class ConfigFlags {
 public:
  struct Flag {
    const char* flag;  ///< "--states", or "INPUT" for a positional argument, which is required
    const char* key;   ///< "solver.states"
  };
  using Flags = std::vector<Flag>;
  /// Adds all of several groups of flags. Must outlive the parse.
  ConfigFlags(CLI::App& command, const std::vector<Flags>& groups);
  /// Throws InputError on unknown keys and bad values.
  void apply_to(RunConfig& config) const;

 private:
  void add(CLI::App& command, const Flag& flag);

  struct Given {
    Flag flag;
    std::vector<std::string> values;  ///< empty: not on the command line
  };
  std::deque<Given> given_;  // the parser keeps addresses of the values
  std::vector<std::string> sets_;
};

/// INPUT and the flags that choose determinants.
const ConfigFlags::Flags& input_flags();
/// Format, backend, threads and the report's files.
const ConfigFlags::Flags& machine_flags();

}  // namespace cisolve
