#include "core/memory.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>

namespace cisolve {
namespace {

std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;  // "max" is no number: no limit
  return std::nullopt;
}

std::uint64_t group_headroom(const char* limit_path, const char* usage_path) {
  const auto limit = number_in(limit_path);
  const auto usage = number_in(usage_path);
  if (!limit || !usage) return std::numeric_limits<std::uint64_t>::max();
  return *limit > *usage ? *limit - *usage : 0;
}

std::uint64_t system_available() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  std::uint64_t kilobytes = 0;
  while (file >> key >> kilobytes) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    std::getline(file, unit);
  }
  return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

std::size_t available_host_memory() {
  return std::min({system_available(),
                   group_headroom("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
                   group_headroom("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                  "/sys/fs/cgroup/memory/memory.usage_in_bytes")});
}

std::string format_bytes(double bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < units.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
  return text;
}

}  // namespace cisolve
