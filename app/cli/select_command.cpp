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
                                                 {"--deviation", "selection.deviation"}}},
                                               {"Determinants",
                                                {{"--electrons", "input.electrons"},
                                                 {"--ms2", "input.ms2"},
                                                 {"--irrep", "input.irrep"},
                                                 {"--point-group", "input.point_group"},
                                                 {"--orbsym", "input.orbsym"},
                                                 {"--orbital-kind", "input.orbital_kind"},
                                                 {"--frozen", "input.frozen"},
                                                 {"--freeze", "input.freeze"},
                                                 {"--active", "input.active"}}},
                                               {"States",
                                                {{"--states", "solver.states", "--nroots"},
                                                 {"--tolerance", "solver.tolerance"},
                                                 {"--verify", "solver.verify"},
                                                 {"--seed", "solver.seed"}}},
                                               machine_flags(),
                                               {"Output and files",
                                                {{"--json", "output.json"},
                                                 {"--html", "output.html"},
                                                 {"--vectors", "output.vectors"},
                                                 {"--determinants-out", "output.determinants"},
                                                 {"--rdm1", "output.rdm1"},
                                                 {"--rdm2", "output.rdm2"},
                                                 {"--molden", "output.molden"},
                                                 {"--orbitals", "input.orbitals"},
                                                 {"--dipole", "input.dipole"},
                                                 {"--leading", "output.leading"},
                                                 {"--checkpoint", "checkpoint.file"},
                                                 {"--restart", "solver.restart"},
                                                 {"--force", "output.force"}}}});
  add_examples(command, {{"cisolve select n2.fcidump", "until the energy is known to 1e-3 Hartree"},
                         {"cisolve select n2.fcidump --determinants 1000000 --states 3",
                          "three states over the million most important determinants"},
                         {"cisolve select n2.fcidump --epsilon 1e-4",
                          "all determinants that matter by more than this"}});
  run_on_devices(command, flags, Task::select, action);
}

}  // namespace cisolve
