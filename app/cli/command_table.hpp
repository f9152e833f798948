#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cisolve {

/// An option of a command, as its parser has it; completions and the manual page are made from it.
struct OptionRow {
  std::string name;                 ///< "--states"; "INPUT" where it is positional
  std::string value;                ///< what it takes: "NUMBER", "FILE"; empty of a switch
  std::vector<std::string> values;  ///< all there are, which a parser's option has with blanks
                                    ///< between; empty: any
  std::string description;

  bool is_positional() const { return !name.starts_with('-'); }
};
struct CommandRow {
  std::string name, description;
  std::vector<OptionRow> options;
};

std::vector<CommandRow> command_table(const CLI::App& app);

}  // namespace cisolve
