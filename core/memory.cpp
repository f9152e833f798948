#include "core/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "core/timer.hpp"

namespace cisolve {
namespace {

std::optional<std::uint64_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;  // "max" is no number: no limit
  return std::nullopt;
}

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The folder of this process's control group below `root`, from the line "0::PATH" (version 2) or
/// "N:memory:PATH" (version 1) of /proc/self/cgroup. Within a container that folder may not be
/// visible; the root is then used.
std::filesystem::path group_folder(const std::string& controller, const std::string& root) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos || line.substr(first + 1, second - first - 1) != controller) {
      continue;
    }
    std::error_code error;
    const std::string group = line.substr(second + 1);
    if (group == "/") return root;
    std::filesystem::path folder = root + group;
    if (std::filesystem::exists(folder, error)) return folder;
  }
  return root;
}

/// The number after `key` in a file of "key number" lines; 0 where there is none.
std::uint64_t number_after(const std::filesystem::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value) {
    if (name == key) return value;
  }
  return 0;
}

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// The names by which a version of control groups tells a group's memory.
struct GroupFiles {
  std::string controller;
  std::filesystem::path root;
  const char *limit, *usage, *cache_key;
};

/// Memory left by one control group. Its usage includes cached files; those not lately read are
/// subtracted, because they give way. Version 1 writes a limit above the machine's memory for none;
/// its usage is not read, which takes the kernel long.
std::uint64_t group_headroom(const std::filesystem::path& folder, const GroupFiles& files) {
  const auto limit = number_in(folder / files.limit);
  if (!limit || *limit >= physical_memory()) return unlimited;
  const auto usage = number_in(folder / files.usage);
  if (!usage) return unlimited;
  const std::uint64_t used =
      *usage - std::min(*usage, number_after(folder / "memory.stat", files.cache_key));
  return *limit > used ? *limit - used : 0;
}

/// The folders of the process's group and those above it, as far as their memory may be limited.
std::vector<std::filesystem::path> group_folders(const GroupFiles& files) {
  std::vector<std::filesystem::path> folders;
  for (auto folder = group_folder(files.controller, files.root.string());;
       folder = folder.parent_path()) {
    std::error_code error;
    if (std::filesystem::exists(folder / files.limit, error)) folders.push_back(folder);
    if (folder == files.root || !folder.has_relative_path()) return folders;
  }
}

/// The least that the groups of one version leave, the process's own and those above it.
std::uint64_t groups_headroom(const std::vector<std::filesystem::path>& folders,
                              const GroupFiles& files) {
  std::uint64_t least = unlimited;
  for (const std::filesystem::path& folder : folders) {
    least = std::min(least, group_headroom(folder, files));
  }
  return least;
}

/// The least that all leave. Which they are is looked up once: that takes longer than the rest.
std::uint64_t groups_headroom() {
  static const GroupFiles second{"", "/sys/fs/cgroup", "memory.max", "memory.current",
                                 "inactive_file"};
  static const GroupFiles first{"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                "memory.usage_in_bytes", "total_inactive_file"};
  static const auto of_second = group_folders(second), of_first = group_folders(first);
  return std::min(groups_headroom(of_second, second), groups_headroom(of_first, first));
}

std::uint64_t system_available() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  std::uint64_t kilobytes = 0;
  while (file >> key >> kilobytes) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    std::getline(file, unit);
  }
  return unlimited;
}

/// Address space left by `ulimit -v`, which queueing systems set.
std::uint64_t address_space_headroom() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const auto pages = number_in("/proc/self/statm");
  const std::uint64_t used = pages.value_or(0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

std::size_t available_host_memory() {
  // The kernel's files take some tenths of a millisecond, and a small solve asks several times.
  constexpr double lasts = 0.005;  // seconds
  thread_local Timer read;
  thread_local std::optional<std::uint64_t> of_machine;
  if (!of_machine || read.seconds() > lasts) {
    of_machine = std::min(system_available(), groups_headroom());
    read = Timer();
  }
  return std::min(*of_machine, address_space_headroom());
}

void require_host_memory(double bytes, const std::string& what) {
  const auto available = static_cast<double>(available_host_memory());
  if (bytes <= available) return;
  throw ResourceError(what + ": " + format_bytes(bytes) + " needed, " + format_bytes(available) +
                      " available");
}

void prefer_huge_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t page = std::size_t{1} << 21;
  if (bytes < 4 * page) return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  // A hint: where it is refused, pages are small.
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
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
