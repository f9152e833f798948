#include "app/memory.hpp"

#include <spdlog/fmt/fmt.h>

#include <string>

#include "core/error.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

std::string text(std::size_t bytes) {
  return format_bytes(static_cast<double>(bytes));
}

}  // namespace

void announce_and_check(const MemoryNeed& need, const Backend& backend, std::ostream& out) {
  const bool on_device = backend.kind() == BackendKind::cuda;
  const std::size_t solver = need.operator_matrix + need.scratch + need.vectors;
  const std::size_t host = need.host_matrix + need.p_space + (on_device ? 0 : solver);
  const std::size_t host_available = available_host_memory();
  const std::size_t device_available = on_device ? backend.free_memory() : 0;

  std::string parts;
  const auto add = [&parts](const char* what, std::size_t bytes) {
    if (bytes > 0) parts += (parts.empty() ? "" : ", ") + std::string(what) + text(bytes);
  };
  add("host matrix ", need.host_matrix);
  add("operator about ", need.operator_matrix);
  add("scratch ", need.scratch);
  add("vectors ", need.vectors);
  add("start space ", need.p_space);
  std::string line = fmt::format("{}; to allocate: {}; available: {} host", need.size, parts,
                                 text(host_available));
  if (on_device) line += ", " + text(device_available) + " device";
  out << line << std::endl;

  if (host > host_available) {
    throw ResourceError("not enough host memory, " + text(host) + " needed: " + line);
  }
  if (on_device && solver > device_available) {
    throw ResourceError("not enough device memory, " + text(solver) + " needed: " + line);
  }
}

}  // namespace cisolve
