#include "app/cli/command_line.hpp"

#include <CLI/CLI.hpp>

#include "app/report/report.hpp"
#include "app/run/run.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// What is wrong with the command line, and whose --help tells more.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error, int argc,
                          const char* const* argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  std::string names, command;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + sub->get_name();
    if (sub->get_name() == first) command = first + " ";
  }
  if (command.empty() && !first.empty() && first.front() != '-') {
    return "there is no command '" + first + "'; there are: " + names;
  }
  return std::string(error.what()) + " (cisolve " + command + "--help)";
}

}  // namespace

int command_line(int argc, const char* const* argv) {
  CLI::App app("Lowest eigenpairs of configuration interaction Hamiltonians, on CPU and GPU",
               "cisolve");
  app.set_version_flag("--version", std::string("cisolve ") + CISOLVE_VERSION +
                                        "\ninstruction set " + cpu_instruction_set());
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done and converged, 1 bad input or usage, 2 not converged, "
      "3 memory or device.");

  Action action;
  add_run_command(app, action);
  add_eigen_command(app, action);
  add_linear_command(app, action);
  add_info_command(app, action);
  add_convert_command(app, action);
  add_generate_command(app, action);
  add_formats_command(app, action);
  add_bench_command(app, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // --help and --version come this way too, with 0
    if (error.get_exit_code() != 0) throw InputError(usage_message(app, error, argc, argv));
    app.exit(error);
    action = [] { return done; };
  }
  const int status = action();
  require_written_stdout();
  return status;
}

}  // namespace cisolve
