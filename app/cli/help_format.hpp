#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace cisolve {

/// Layout of `--help`: options in groups, descriptions beside them, 80 columns.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* command, std::string name) const override;
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* command) const override;
};

/// An example at the end of a command's help: lines of shell, and their purpose.
struct Example {
  std::string line, meaning;
};
void add_examples(CLI::App& command, const std::vector<Example>& examples,
                  const std::string& more = "");

/// The text in lines of at most 80 columns, all but the first indented; that one begins at
/// `column`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t column = 0);

}  // namespace cisolve
