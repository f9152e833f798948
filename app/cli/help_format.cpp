#include "app/cli/help_format.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace cisolve {
namespace {

constexpr std::size_t line_width = 80, text_column = 28;

/// Letters, of UTF-8.
std::size_t width(const std::string& text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

/// A name with its description beside it, or below where it is long.
std::string entry(const std::string& name, const std::string& description) {
  const std::string left = "  " + name;
  if (description.empty()) return left + "\n";
  const bool beside = width(left) + 2 <= text_column;
  const std::string gap =
      beside ? std::string(text_column - width(left), ' ') : "\n" + std::string(text_column, ' ');
  return left + gap + wrapped(description, text_column, text_column) + "\n";
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t column) {
  std::istringstream words(text);
  std::string result, word;
  bool begins = true;
  while (words >> word) {
    if (!begins && column + 1 + width(word) > line_width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
      begins = true;
    }
    result += (begins ? "" : " ") + word;
    column += (begins ? 0 : 1) + width(word);
    begins = false;
  }
  return result;
}

std::string HelpFormat::make_usage(const CLI::App* command, std::string name) const {
  return CLI::Formatter::make_usage(command, std::move(name)) + "\n";
}

std::string HelpFormat::make_group(std::string group, bool is_positional,
                                   std::vector<const CLI::Option*> options) const {
  std::string text = group + ":\n";
  for (const CLI::Option* option : options) text += make_option(option, is_positional);
  return text + (is_positional ? "\n" : "");
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option),
               make_option_desc(option));
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  const bool takes_value = option->nonpositional() && option->get_type_size() != 0;
  const std::string value = takes_value ? option->get_type_name() : "";
  return value.empty() ? "" : " " + value;
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

std::string HelpFormat::make_description(const CLI::App* command) const {
  return wrapped(command->get_description(), 0) + "\n\n";
}

void add_examples(CLI::App& command, const std::vector<Example>& examples,
                  const std::string& more) {
  std::string text = examples.empty() ? "" : "Examples:\n";
  for (const Example& example : examples) {
    text += "  " + example.line + "\n      " + wrapped(example.meaning, 6, 6) + "\n";
  }
  if (!more.empty()) text += (text.empty() ? "" : "\n") + wrapped(more, 0);
  command.footer(text);
}

}  // namespace cisolve
