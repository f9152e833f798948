#include <CLI/CLI.hpp>

#include <memory>

#include "app/cli/command_line.hpp"
#include "app/cli/config_flags.hpp"
#include "app/run/run.hpp"

namespace cisolve {

void add_eigen_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("eigen", "Lowest eigenpairs of a Hamiltonian or matrix");
  const auto flags = std::make_shared<ConfigFlags>(
      command, std::vector<ConfigFlags::Flags>{input_flags(),
                                               machine_flags(),
                                               {{"--operator", "operator"},
                                                {"--deterministic", "spmv.deterministic"},
                                                {"--force", "output.force"},
                                                {"--states", "solver.states"},
                                                {"--multiplicity", "solver.multiplicity"},
                                                {"--method", "solver.method"},
                                                {"--tolerance", "solver.tolerance"},
                                                {"--verify", "solver.verify"},
                                                {"--determinants", "output.determinants"},
                                                {"--max-iterations", "solver.max_iterations"},
                                                {"--checkpoint", "checkpoint.file"},
                                                {"--restart", "solver.restart"}}});
  command.callback([flags, &action] {
    action = [flags] {
      RunConfig config;
      config.task = Task::eigen;
      flags->apply_to(config);
      return run(config);
    };
  });
}

}  // namespace cisolve
