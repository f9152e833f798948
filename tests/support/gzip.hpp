#pragma once

#include <zlib.h>

#include <filesystem>
#include <string>

namespace cisolve {

/// Writes the text as a gzip file, with little effort to make it short; returns its path.
inline std::filesystem::path write_gzip(const std::filesystem::path& path,
                                        const std::string& text) {
  const gzFile file = gzopen(path.c_str(), "wb1");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

}  // namespace cisolve
