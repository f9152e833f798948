#pragma once

#include <memory>
#include <string>

#include "app/cli/command_line.hpp"
#include "app/cli/config_flags.hpp"

namespace cisolve {

/// The flag --devices of a command: "2", or "all" GPUs of this host.
std::shared_ptr<std::string> add_devices_flag(CLI::App& command);

/// Begins the program anew as a rank on each of these GPUs (run_as_ranks), and ends as they do;
/// returns where it is one of these ranks, and for one GPU, which needs none. Throws InputError
/// where there are not so many, or the program is a rank already; ResourceError where ranks cannot
/// be begun.
void begin_on_devices(const std::string& devices, const BackendConfig& backend);

/// Adds --devices, and lets the command run the task on them as its flags say.
void run_on_devices(CLI::App& command, const std::shared_ptr<ConfigFlags>& flags, Task task,
                    Action& action);

}  // namespace cisolve
