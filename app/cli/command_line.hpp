#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace cisolve {

/// Parses the arguments and does what they say; returns the exit status. Throws InputError and
/// ResourceError from the work itself.
int command_line(int argc, const char* const* argv);

/// Work of a subcommand after the whole line has been parsed; returns the exit status.
using Action = std::function<int()>;

// Each adds its subcommand to the parser; one file per subcommand.
void add_run_command(CLI::App& app, Action& action);
void add_eigen_command(CLI::App& app, Action& action);
void add_select_command(CLI::App& app, Action& action);
void add_linear_command(CLI::App& app, Action& action);
void add_info_command(CLI::App& app, Action& action);
void add_convert_command(CLI::App& app, Action& action);
void add_generate_command(CLI::App& app, Action& action);
void add_formats_command(CLI::App& app, Action& action);
void add_bench_command(CLI::App& app, Action& action);
void add_completion_command(CLI::App& app, Action& action);
void add_man_command(CLI::App& app, Action& action);

}  // namespace cisolve
