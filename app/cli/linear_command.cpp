#include <CLI/CLI.hpp>

#include <memory>

#include "app/cli/command_line.hpp"
#include "app/cli/config_flags.hpp"
#include "app/run/run.hpp"

namespace cisolve {

void add_linear_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("linear", "Solve (A - shift) x = b");
  const auto flags = std::make_shared<ConfigFlags>(
      command, std::vector<ConfigFlags::Flags>{input_flags(),
                                               machine_flags(),
                                               {{"--deterministic", "spmv.deterministic"},
                                                {"--force", "output.force"},
                                                {"--rhs", "linear.rhs"},
                                                {"--x0", "linear.x0"},
                                                {"--shift", "linear.shift"},
                                                {"--shift-from-ground", "linear.shift_from_ground"},
                                                {"--method", "linear.method"},
                                                {"--omega", "linear.omega"},
                                                {"--tolerance", "linear.tolerance"},
                                                {"--max-iterations", "linear.max_iterations"}}});
  command.callback([flags, &action] {
    action = [flags] {
      RunConfig config;
      config.task = Task::linear;
      flags->apply_to(config);
      return run(config);
    };
  });
}

}  // namespace cisolve
