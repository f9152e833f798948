#include "app/config/format_cache_file.hpp"

#include <cstdlib>

namespace cisolve {
namespace fs = std::filesystem;
namespace {

/// $XDG_CACHE_HOME/cisolve/formats.json, as the XDG Base Directory Specification has it; empty
/// where there is no home either.
fs::path default_file() {
  const auto folder = [](const char* variable) -> fs::path {
    const char* value = std::getenv(variable);
    return value != nullptr ? value : "";
  };
  const fs::path cache = folder("XDG_CACHE_HOME"), home = folder("HOME");
  if (cache.is_absolute()) return cache / "cisolve/formats.json";
  return home.is_absolute() ? home / ".cache/cisolve/formats.json" : fs::path();
}

}  // namespace

fs::path format_cache_file(const std::string& setting) {
  if (setting == "none") return {};
  return setting == "auto" ? default_file() : fs::path(setting);
}

}  // namespace cisolve
