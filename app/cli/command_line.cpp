#include "app/cli/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "app/cli/help_format.hpp"
#include "app/cli/other_words.hpp"
#include "app/config/nearest.hpp"
#include "app/report/report.hpp"
#include "app/run/run.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "backends/ranks/world.hpp"
#include "core/error.hpp"
#include "core/text/text.hpp"

namespace cisolve {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> long_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The first option that a command does not know or, if it knows all, the first such other
/// argument. Empty if there is none.
std::string unknown_argument(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining();
  const auto option =
      std::ranges::find_if(rest, [](const std::string& text) { return text.starts_with('-'); });
  if (option != rest.end()) {
    const std::string name = option->substr(0, option->find('='));
    const std::vector<std::string> options = long_options(command);
    const std::string elsewhere = here_it_is(name, options);
    return "unknown option " + name +
           (elsewhere.empty() ? did_you_mean(nearest(name, options)) : elsewhere);
  }
  return rest.empty() ? "" : "unexpected argument '" + rest.front() + "'";
}

/// Error message for the command line; it names the command whose --help tells more.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error, int argc,
                          const char* const* argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  const std::vector<std::string> names = command_names(app);
  const bool is_command = std::ranges::count(names, first) > 0;
  if (!is_command && !first.empty() && first.front() != '-') {
    const std::string meant = did_you_mean(nearest(first, names));
    return "there is no command '" + first + "'" + meant + (meant.empty() ? ";" : "") +
           " there are: " + joined(names);
  }
  std::string unknown = unknown_argument(app);
  if (is_command && unknown.empty()) unknown = unknown_argument(*app.get_subcommand(first));
  return (unknown.empty() ? error.what() : unknown) + " (cisolve " +
         (is_command ? first + " " : "") + "--help)";
}

/// Throws InputError for commands that have nothing to share out.
void require_command_of_ranks(const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  if (commands.empty()) return;  // --help
  const std::string name = commands.front()->get_name();
  if (name == "run" || name == "eigen" || name == "linear") return;
  throw InputError(name + ": found " + std::to_string(launched_ranks()) +
                   " ranks, expected one process; run, eigen and linear share their work out");
}

void describe(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormat>());
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.set_version_flag(
      "--version",
      std::string("cisolve ") + CISOLVE_VERSION + "\ninstruction set " + cpu_instruction_set(),
      "Print the version and exit");
  app.require_subcommand(1);
  add_examples(app,
               {{"cisolve eigen water.fcidump --states 4", "four states of full CI"},
                {"cisolve eigen --help", "all options of `eigen`"}},
               "Exit status: 0 done and converged, 1 bad input or usage, 2 not converged, 3 memory "
               "or device.");
}

}  // namespace

int command_line(int argc, const char* const* argv) {
  CLI::App app("Lowest eigenpairs of configuration interaction Hamiltonians, on CPU and GPU",
               "cisolve");
  describe(app);

  Action action;
  add_run_command(app, action);
  add_eigen_command(app, action);
  add_select_command(app, action);
  add_linear_command(app, action);
  add_info_command(app, action);
  add_convert_command(app, action);
  add_generate_command(app, action);
  add_formats_command(app, action);
  add_bench_command(app, action);
  add_completion_command(app, action);
  add_man_command(app, action);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    command->group("Commands");
    command->set_help_flag("-h,--help", "Print this help and exit");  // after the others
  }
  app.set_help_flag("-h,--help", "Print this help and exit");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // --help and --version come this way too, with 0
    if (error.get_exit_code() != 0) throw InputError(usage_message(app, error, argc, argv));
    app.exit(error);
    action = [] { return done; };
  }
  if (launched_ranks() > 1) require_command_of_ranks(app);
  const int status = action();
  require_written_stdout();
  return status;
}

}  // namespace cisolve
