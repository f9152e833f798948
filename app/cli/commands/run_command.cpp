#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "app/cli/command_line.hpp"
#include "app/cli/config_flags.hpp"
#include "app/cli/devices.hpp"
#include "app/cli/help_format.hpp"
#include "app/files/expected_file.hpp"
#include "app/run/run.hpp"
#include "core/error.hpp"

namespace cisolve {

void add_run_command(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("run", "Run eigen, linear or select with settings from a YAML file");
  const auto file = std::make_shared<std::string>();
  const auto show_keys = std::make_shared<bool>(false);
  command.add_option("CONFIG.yaml", *file, "The run file");
  command.add_flag("--keys", *show_keys, "List and explain all keys of run files, and exit");
  const auto flags = std::make_shared<ConfigFlags>(command, std::vector<ConfigFlags::Group>{});
  const auto devices = add_devices_flag(command);
  add_examples(command, {{"cisolve run water.yaml", "what the file says"},
                         {"cisolve run water.yaml --set solver.states=4 --set output.json=-",
                          "the same with four states and the report on stdout"}});
  command.callback([=, &action] {
    action = [=]() -> int {
      if (*show_keys) {
        std::cout << describe_fields();
        return done;
      }
      if (file->empty()) throw InputError("run: expected a run file, CONFIG.yaml");
      require_run_file(*file);
      RunConfig config = read_config(*file);
      flags->apply_to(config);
      begin_on_devices(*devices, config.backend);
      return run(config);
    };
  });
}

}  // namespace cisolve
