#pragma once

#include <deque>
#include <string>
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
    const char* alias = nullptr;  ///< "--nroots": what other programs call exactly that
  };
  using Flags = std::vector<Flag>;
  /// As the help shows them.
  struct Group {
    const char* heading;
    Flags flags;
  };
  /// Must outlive the parse.
  ConfigFlags(CLI::App& command, const std::vector<Group>& groups);
  /// Messages name the command's flags from then on (in_typed_words), but keys that were `--set`.
  /// Throws InputError on unknown keys and bad values.
  void apply_to(RunConfig& config) const;

 private:
  void add(CLI::App& command, const Flag& flag, const char* heading, const std::string& help);

  struct Given {
    Flag flag;
    std::vector<std::string> values;  ///< empty: not on the command line
  };
  std::deque<Given> given_;  // the parser keeps addresses of the values
  std::vector<std::string> sets_;
};

/// INPUT and what it is taken for.
const ConfigFlags::Group& input_flags();
/// Flags of electrons, symmetry and orbitals, which determinants are made of.
const ConfigFlags::Group& orbital_flags();
/// Flags of orbitals, and those that choose among the determinants.
const ConfigFlags::Group& determinant_flags();
/// Reports and files with states.
const ConfigFlags::Group& state_output_flags();
/// Format, backend and threads.
const ConfigFlags::Group& machine_flags();

/// All values that there are, of names; empty: any.
std::vector<std::string> values_of(const Field& field);
/// "NUMBER", "FILE": what a flag of that type takes, in the help.
std::string value_name(const Field& field);

}  // namespace cisolve
