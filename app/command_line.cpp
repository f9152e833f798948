#include "app/command_line.hpp"

#include <CLI/CLI.hpp>

#include "app/report.hpp"
#include "app/run.hpp"

namespace cisolve {

int command_line(int argc, const char* const* argv) {
  CLI::App app("Lowest eigenpairs of configuration interaction Hamiltonians, on CPU and GPU",
               "cisolve");
  app.set_version_flag("--version", std::string("cisolve ") + CISOLVE_VERSION);
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
  add_formats_command(app, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // --help and --version come this way too, with 0
    if (app.exit(error) != 0) return bad_input;
    action = [] { return done; };
  }
  const int status = action();
  require_written_stdout();
  return status;
}

}  // namespace cisolve
