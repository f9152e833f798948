#include "app/cli/command_table.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

namespace cisolve {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  return list;
}

OptionRow row_of(const CLI::Option& option) {
  const bool positional = option.get_positional();
  OptionRow row;
  row.name = positional ? option.get_name(true, false) : "--" + option.get_lnames().front();
  if (!positional && option.get_type_size() != 0) row.value = option.get_type_name();
  row.values = words_of(option.get_option_text());
  row.description = option.get_description();
  return row;
}

}  // namespace

std::vector<CommandRow> command_table(const CLI::App& app) {
  std::vector<CommandRow> table;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandRow row{command->get_name(), command->get_description(), {}};
    for (const CLI::Option* option : command->get_options()) row.options.push_back(row_of(*option));
    table.push_back(std::move(row));
  }
  return table;
}

}  // namespace cisolve
