#pragma once

#include <filesystem>
#include <string>

namespace cisolve {

/// The file that a setting of spmv.cache names: "auto" ($XDG_CACHE_HOME or ~/.cache), "none" or a
/// file; empty where there is none.
std::filesystem::path format_cache_file(const std::string& setting);

}  // namespace cisolve
