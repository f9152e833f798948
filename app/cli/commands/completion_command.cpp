#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "app/cli/command_line.hpp"
#include "app/cli/command_table.hpp"
#include "app/cli/help_format.hpp"
#include "app/config/config.hpp"
#include "app/run/run.hpp"
#include "core/text/text.hpp"

namespace cisolve {
namespace {

using Table = std::vector<CommandRow>;

/// "solver.states= spmv.format= …", for --set.
std::string keys() {
  return joined(fields(), " ", [](const Field& field) { return field.key + "="; });
}

std::string replaced(std::string text, const std::string& these, const std::string& by) {
  for (auto at = text.find_first_of(these); at != text.npos;
       at = text.find_first_of(these, at + by.size() + 1)) {
    text.insert(at, by);
  }
  return text;
}

/// Within single quotes of a shell.
std::string in_quotes(const std::string& text) {
  std::string inner;
  for (const char c : text) inner += c == '\'' ? "'\\''" : std::string(1, c);
  return "'" + inner + "'";
}

std::string bash_script(const Table& table) {
  std::string options, values;
  for (const CommandRow& command : table) {
    options += "    " + command.name + ") words=\"";
    for (const OptionRow& option : command.options) {
      if (!option.is_positional()) options += option.name + " ";
      const std::string pattern = "    " + command.name + ":" + option.name + ") ";
      if (!option.values.empty() && option.is_positional()) {
        options += joined(option.values, " ") + " ";
      } else if (!option.values.empty()) {
        values += pattern + "words=\"" + joined(option.values, " ") + "\" ;;\n";
      } else if (option.value == "NUMBER" || option.value == "LIST") {
        values += pattern + "return ;;\n";
      } else if (!option.value.empty() && option.value != "KEY=VALUE") {
        values += pattern + "compopt -o default; return ;;\n";
      }
    }
    options += "\" ;;\n";
  }
  return "# bash completion of cisolve: source <(cisolve completion bash)\n"
         "_cisolve() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W \"" +
         joined(table, " ", &CommandRow::name) +
         " --help --version\" -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"${COMP_WORDS[1]}:$prev\" in\n" +
         values + "    *:--set) compopt -o nospace; words=\"" + keys() +
         "\" ;;\n"
         "  esac\n"
         "  if [ -n \"$words\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"${COMP_WORDS[1]}\" in\n" +
         options +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  [ \"${#COMPREPLY[@]}\" -gt 0 ] || compopt -o default\n"
         "}\n"
         "complete -F _cisolve cisolve\n";
}

std::string zsh_argument(const OptionRow& option) {
  if (option.is_positional()) {
    return option.values.empty() ? "'*:" + option.name + ":_files'"
                                 : "'1:" + option.name + ":(" + joined(option.values, " ") + ")'";
  }
  std::string text = option.name + "[" + replaced(option.description, "[]:\\", "\\") + "]";
  if (option.value.empty()) return in_quotes(text);
  text += ":" + option.value + ":";
  if (!option.values.empty()) {
    text += "(" + joined(option.values, " ") + ")";
  } else if (option.value == "KEY=VALUE") {
    text += "(" + keys() + ")";
  } else if (option.value != "NUMBER" && option.value != "LIST") {
    text += "_files";
  }
  return in_quotes(option.value == "KEY=VALUE" ? "*" + text : text);
}

std::string zsh_script(const Table& table) {
  std::string text =
      "#compdef cisolve\n"
      "_cisolve() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands\n"
      "    commands=(\n";
  for (const CommandRow& command : table) {
    text += "      " + in_quotes(command.name + ":" + replaced(command.description, ":\\", "\\")) +
            "\n";
  }
  text +=
      "    )\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const CommandRow& command : table) {
    text += "    " + command.name + ")\n      _arguments";
    for (const OptionRow& option : command.options) {
      text += " \\\n        " + zsh_argument(option);
    }
    text += " ;;\n";
  }
  return text +
         "  esac\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _cisolve ]; then _cisolve \"$@\"; else compdef _cisolve "
         "cisolve; "
         "fi\n";
}

std::string fish_script(const Table& table) {
  std::string text = "# fish completion of cisolve: cisolve completion fish | source\n";
  const std::string all = "complete -c cisolve ";
  for (const CommandRow& command : table) {
    text += all + "-n __fish_use_subcommand -f -a " + command.name + " -d " +
            in_quotes(command.description) + "\n";
  }
  for (const CommandRow& command : table) {
    const std::string of =
        all + "-n " + in_quotes("__fish_seen_subcommand_from " + command.name) + " ";
    for (const OptionRow& option : command.options) {
      std::string values = joined(option.values, " ");
      if (option.value == "KEY=VALUE") values = keys();
      if (option.is_positional()) {
        if (!values.empty()) text += of + "-f -a " + in_quotes(values) + "\n";
        continue;
      }
      text += of + "-l " + option.name.substr(2) + " -d " + in_quotes(option.description);
      const bool is_file = option.value == "FILE" || option.value == "FOLDER";
      if (!option.value.empty()) text += is_file ? " -r" : " -x";
      if (!values.empty()) text += " -a " + in_quotes(values);
      text += "\n";
    }
  }
  return text;
}

}  // namespace

void add_completion_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("completion", "Print the completion script for a shell");
  const auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "bash, zsh or fish")
      ->group("Shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("")
      ->option_text("bash zsh fish");
  add_examples(command,
               {{"source <(cisolve completion bash)", "for this shell; in ~/.bashrc for all"},
                {"cisolve completion zsh > ~/.zfunc/_cisolve", "into a folder of $fpath"},
                {"cisolve completion fish | source", "for this shell"}});
  command.callback([shell, &app, &action] {
    action = [shell, &app] {
      const Table table = command_table(app);
      std::cout << (*shell == "bash"  ? bash_script(table)
                    : *shell == "zsh" ? zsh_script(table)
                                      : fish_script(table));
      return done;
    };
  });
}

}  // namespace cisolve
