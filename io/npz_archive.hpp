#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/npy.hpp"

namespace cisolve {

/// By its name.
bool is_npz(const std::filesystem::path& path);

/// An array of an archive: its elements as they lie in memory, the caller's.
struct NpzArray {
  std::string name;  ///< "data"
  NpyHeader header;
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// Of numbers in one dimension.
template <class Container>
NpzArray npz_array(const std::string& name, const char* type, const Container& values) {
  return {name,
          {type, {static_cast<std::int64_t>(values.size())}},
          values.data(),
          values.size() * sizeof(values[0])};
}

/// A string.
inline NpzArray npz_text(const std::string& name, const std::string& text) {
  return {name, {"|S" + std::to_string(text.size()), {}}, text.data(), text.size()};
}

/// Writes NumPy's .npz, uncompressed (numpy.lib.format in a zip), to `path` itself. Throws
/// ResourceError, naming `name`, when it cannot be written.
void write_npz_arrays(const std::vector<NpzArray>& arrays, const std::filesystem::path& path,
                      const std::string& name);

}  // namespace cisolve
