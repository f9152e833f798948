#include "app/cli/devices.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "app/cli/ranks_of_host.hpp"
#include "app/run/run.hpp"
#include "backends/backend.hpp"
#include "backends/cuda/entry.hpp"
#include "backends/ranks/world.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

int devices_there() {
  if (const std::string reason = cuda_unavailable_reason(); !reason.empty()) {
    throw ResourceError("--devices: " + reason);
  }
  return cuda_device_count();
}

[[noreturn]] void refuse(const std::string& found) {
  throw InputError("--devices: found '" + found + "', expected all or a number from 1 to " +
                   std::to_string(devices_there()) + ", the GPUs of this host");
}

/// All that the host has where it is no number.
std::optional<int> number_of(const std::string& devices) {
  int count = 0;
  const char* const end = devices.data() + devices.size();
  if (std::from_chars(devices.data(), end, count).ptr == end && count > 0) return count;
  if (devices == "all") return std::nullopt;
  refuse(devices);
}

/// Counting devices starts CUDA, which takes time. A few ranks count them themselves, since each
/// starts CUDA anyway.
void require_there(int count) {
  if (count > devices_there()) refuse(std::to_string(count));
}

/// This process's own command line.
std::vector<std::string> own_arguments() {
  std::ostringstream text;
  text << std::ifstream("/proc/self/cmdline").rdbuf();
  std::istringstream list(text.str());
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(list, argument, '\0');) arguments.push_back(argument);
  arguments.at(0) = "/proc/self/exe";
  char path[4096];
  const auto length = ::readlink("/proc/self/exe", path, sizeof path);
  if (length > 0) arguments[0].assign(path, static_cast<std::size_t>(length));
  return arguments;
}

}  // namespace

std::shared_ptr<std::string> add_devices_flag(CLI::App& command) {
  auto devices = std::make_shared<std::string>();
  command
      .add_option("--devices", *devices,
                  "GPUs of this host that share the work, a rank on each: a number or all "
                  "(default 1)")
      ->type_name("NUMBER")
      ->group("Machine");
  return devices;
}

void begin_on_devices(const std::string& devices, const BackendConfig& backend) {
  if (devices.empty()) return;
  if (begun_on_this_host()) return require_there(launched_ranks());
  if (launched_ranks() > 1) {
    throw InputError("--devices: this is a rank of " + std::to_string(launched_ranks()) +
                     " already; the launcher says how many");
  }
  if (backend.name == Device::cpu) {
    throw InputError("--devices: backend.name is cpu; mpirun starts ranks there");
  }
  const std::optional<int> asked = number_of(devices);
  const int count = asked ? *asked : devices_there();
  constexpr int few = 8;  // ranks that may be started for nothing
  if (count == 1 || count > few) require_there(count);
  if (count == 1) return;
  int status = 0;
  try {
    status = run_as_ranks(count, own_arguments());
  } catch (const ResourceError& error) {
    throw ResourceError(std::string("--devices: ") + error.what());
  }
  std::exit(status);
}

void run_on_devices(CLI::App& command, const std::shared_ptr<ConfigFlags>& flags, Task task,
                    Action& action) {
  const auto devices = add_devices_flag(command);
  command.callback([=, &action] {
    action = [=] {
      RunConfig config;
      config.task = task;
      flags->apply_to(config);
      begin_on_devices(*devices, config.backend);
      return run(config);
    };
  });
}

}  // namespace cisolve
