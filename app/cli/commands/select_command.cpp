#include <CLI/CLI.hpp>

#include <memory>

#include "app/cli/command_line.hpp"
#include "app/cli/config_flags.hpp"
#include "app/cli/devices.hpp"
#include "app/cli/help_format.hpp"

namespace cisolve {

void add_select_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand(
      "select", "Select the important determinants, and extrapolate to all (selected CI)");
  const auto flags = std::make_shared<ConfigFlags>(
      command, std::vector<ConfigFlags::Group>{input_flags(),
                                               {"How many",
                                                {{"--determinants", "selection.determinants"},
                                                 {"--epsilon", "selection.epsilon"},
                                                 {"--accuracy", "selection.accuracy"},
                                                 {"--deviation", "selection.deviation"},
                                                 {"--natural", "selection.natural"},
                                                 {"--natural-fcidump", "output.fcidump"}}},
                                               orbital_flags(),
                                               {"States",
                                                {{"--states", "solver.states", "--nroots"},
                                                 {"--tolerance", "solver.tolerance"},
                                                 {"--verify", "solver.verify"},
                                                 {"--seed", "solver.seed"}}},
                                               machine_flags(),
                                               state_output_flags()});
  add_examples(command, {{"cisolve select n2.fcidump", "until the energy is known to 1e-3 Hartree"},
                         {"cisolve select n2.fcidump --determinants 1000000 --states 3",
                          "three states over the million most important determinants"},
                         {"cisolve select n2.fcidump --determinants 1000000 --natural",
                          "of natural orbitals, which need fewer of them"},
                         {"cisolve select n2.fcidump --epsilon 1e-4",
                          "all determinants that matter by more than this"}});
  run_on_devices(command, flags, Task::select, action);
}

}  // namespace cisolve
