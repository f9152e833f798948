#include <CLI/CLI.hpp>

#include <memory>

#include "app/cli/command_line.hpp"
#include "app/cli/config_flags.hpp"
#include "app/cli/devices.hpp"
#include "app/cli/help_format.hpp"

namespace cisolve {

void add_linear_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("linear", "Solve (A - shift) x = b");
  const auto flags = std::make_shared<ConfigFlags>(
      command,
      std::vector<ConfigFlags::Group>{input_flags(),
                                      determinant_flags(),
                                      {"System",
                                       {{"--rhs", "linear.rhs"},
                                        {"--x0", "linear.x0"},
                                        {"--shift", "linear.shift"},
                                        {"--shift-from-ground", "linear.shift_from_ground"}}},
                                      {"Method",
                                       {{"--method", "linear.method"},
                                        {"--omega", "linear.omega"},
                                        {"--forecast", "linear.forecast"},
                                        {"--tolerance", "linear.tolerance"},
                                        {"--max-iterations", "linear.max_iterations"},
                                        {"--time-limit", "linear.time_limit"},
                                        {"--operator", "operator"}}},
                                      machine_flags(),
                                      {"Machine", {{"--deterministic", "spmv.deterministic"}}},
                                      {"Output and files",
                                       {{"--json", "output.json"},
                                        {"--html", "output.html"},
                                        {"--vectors", "output.vectors"},
                                        {"--force", "output.force"}}}});
  add_examples(command,
               {{"cisolve linear matrix.mtx --rhs b.npy --vectors x.npy",
                 "x for the columns of b, by the method with the fewest products forecast"},
                {"cisolve linear water.fcidump --space cisd --shift-from-ground -0.5",
                 "half a Hartree below the ground state, which is computed first"}});
  run_on_devices(command, flags, Task::linear, action);
}

}  // namespace cisolve
