#include <CLI/CLI.hpp>

#include <memory>

#include "app/cli/command_line.hpp"
#include "app/cli/config_flags.hpp"
#include "app/cli/devices.hpp"
#include "app/cli/help_format.hpp"

namespace cisolve {

void add_eigen_command(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("eigen", "Compute the lowest eigenpairs of a Hamiltonian or matrix");
  const auto flags = std::make_shared<ConfigFlags>(
      command,
      std::vector<ConfigFlags::Group>{input_flags(),
                                      determinant_flags(),
                                      {"States",
                                       {{"--states", "solver.states", "--nroots"},
                                        {"--multiplicity", "solver.multiplicity"},
                                        {"--method", "solver.method"},
                                        {"--tolerance", "solver.tolerance"},
                                        {"--max-iterations", "solver.max_iterations"},
                                        {"--time-limit", "solver.time_limit"},
                                        {"--verify", "solver.verify"},
                                        {"--operator", "operator"}}},
                                      machine_flags(),
                                      {"Machine", {{"--deterministic", "spmv.deterministic"}}},
                                      state_output_flags(),
                                      {"Output and files", {{"--follow", "input.follow"}}}});
  add_examples(command, {{"cisolve eigen water.fcidump", "the ground state of full CI"},
                         {"cisolve eigen water.fcidump --states 4 --frozen 1 --json states.json",
                          "four states, the lowest orbital frozen, with a report for programs"},
                         {"cisolve eigen water.fcidump --space cisd --irrep B1 --multiplicity 3",
                          "the lowest triplet of an irrep among singles and doubles"},
                         {"cisolve eigen dimer.fcidump --multiplicity 1,3,5,7",
                          "the lowest state of each spin, and the exchange coupling between them"},
                         {"cisolve eigen matrix.npz --states 3 --units ev",
                          "three eigenpairs of a sparse SciPy matrix whose elements are in eV"}});
  run_on_devices(command, flags, Task::eigen, action);
}

}  // namespace cisolve
