#include "io/array_archive.hpp"

#include "core/text/text.hpp"

namespace cisolve {

bool is_npz(const std::filesystem::path& path) {
  return to_lower(path.extension().string()) == ".npz";
}

bool is_hdf5(const std::filesystem::path& path) {
  const std::string ending = to_lower(path.extension().string());
  return ending == ".h5" || ending == ".hdf5";
}

bool is_archive(const std::filesystem::path& path) {
  return is_npz(path) || is_hdf5(path);
}

void write_arrays(const std::vector<NamedArray>& arrays, const std::string& format,
                  const std::filesystem::path& path, const std::string& name) {
  if (is_hdf5(name)) {
    write_hdf5_arrays(arrays, format, path, name);
  } else {
    write_npz_arrays(arrays, path, name);
  }
}

}  // namespace cisolve
