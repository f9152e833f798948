#include <CLI/CLI.hpp>

#include <iostream>

#include "app/cli/command_line.hpp"
#include "app/cli/command_table.hpp"
#include "app/cli/help_format.hpp"
#include "app/config/config.hpp"
#include "app/run/run.hpp"

namespace cisolve {
namespace {

/// Text of a page: nothing in it is a request or an escape of roff.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string bold(const std::string& text) {
  return "\\fB" + plain(text) + "\\fR";
}

/// A name, and below it, indented, what it means.
std::string item(const std::string& head, const std::string& text) {
  return ".TP\n" + head + "\n" + plain(text) + "\n";
}

std::string commands(const CLI::App& app) {
  std::string text = ".SH COMMANDS\n";
  for (const CommandRow& command : command_table(app)) {
    std::string synopsis = "cisolve " + command.name + " [OPTIONS]", options;
    for (const OptionRow& option : command.options) {
      if (option.is_positional()) synopsis += " " + option.name;
      const std::string value = option.value.empty() ? "" : " \\fI" + plain(option.value) + "\\fR";
      options += item(bold(option.name) + value, option.description);
    }
    text += ".SS " + bold(synopsis) + "\n" + plain(command.description) + "\n" + options;
  }
  return text;
}

std::string key_items() {
  std::string text =
      ".SH CONFIGURATION KEYS\n"
      "Of YAML run files (groups and names: solver.states is states in the group solver) and of\n"
      ".BR \\-\\-set .\n";
  for (const Field& field : fields()) {
    std::string notes = field.type;
    if (!field.allowed.empty()) notes += ": " + field.allowed;
    if (const std::string value = default_text(field); !value.empty()) {
      notes += "; default " + value;
    }
    text += item(bold(field.key) + " (" + plain(notes) + ")", field.doc);
  }
  return text;
}

std::string page(const CLI::App& app) {
  return std::string(".TH CISOLVE 1 \"\" \"cisolve ") + CISOLVE_VERSION +
         "\"\n"
         ".SH NAME\n"
         "cisolve \\- lowest eigenpairs of configuration interaction Hamiltonians\n"
         ".SH SYNOPSIS\n" +
         bold("cisolve") +
         " \\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...\n"
         ".SH DESCRIPTION\n" +
         plain(app.get_description()) +
         "; and linear systems with them. INPUT is an FCIDUMP or TREXIO file, an interaction of "
         "nucleons (.snt), a sparse matrix "
         "(.mtx, "
         ".mtx.gz, .h5, .hdf5, .npz, .npy), or generate:KIND,key=value,... for one that is "
         "made.\n" +
         commands(app) + key_items() + ".SH EXIT STATUS\n" + item("0", "done and converged") +
         item("1", "bad input or usage") +
         item("2", "not converged: the result is written all the same, and marked") +
         item("3", "memory or device");
}

}  // namespace

void add_man_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("man", "Print the manual page, for man(1)");
  add_examples(command, {{"cisolve man | man -l -", "shows it"}});
  command.callback([&app, &action] {
    action = [&app] {
      std::cout << page(app);
      return done;
    };
  });
}

}  // namespace cisolve
