#include "io/hdf5/hdf5_file.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {

std::recursive_mutex& hdf5_in_use() {
  static std::recursive_mutex mutex;
  return mutex;
}

Handle complex_type() {
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * sizeof(double)), H5Tclose);
  H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "i", sizeof(double), H5T_NATIVE_DOUBLE);
  return type;
}

void close_hdf5_early() {
  H5dont_atexit();
}

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() {
  if (owns_) H5Eset_auto2(H5E_DEFAULT, print_, data_);
}

std::string library_message(const std::filesystem::path& path, const std::string& name) {
  std::string message;
  const H5E_walk2_t take_first = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    *static_cast<std::string*>(out) = error->desc != nullptr ? error->desc : "";
    return 1;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &message);
  std::replace(message.begin(), message.end(), '\n', ' ');
  for (std::size_t at = 0;
       !path.empty() && (at = message.find(path.native(), at)) != std::string::npos;) {
    message.replace(at, path.native().size(), name);
    at += name.size();
  }
  return " (HDF5: " + (message.empty() ? "no reason given" : message) + ")";
}

void OutputFile::require(bool good) const {
  if (good) return;
  // HDF5's words are of the temporary file.
  const std::string obstacle = obstacle_to(path);
  throw ResourceError(name + ": cannot be written" +
                      (obstacle.empty() ? library_message(path, name) : obstacle));
}

OutputFile create_hdf5(const std::filesystem::path& path, const std::string& name) {
  close_hdf5_early();
  OutputFile file{std::unique_lock(hdf5_in_use()),
                  QuietErrors(),
                  path,
                  name,
                  {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose}};
  file.require(file.id >= 0);
  return file;
}

void write_attribute(const OutputFile& file, const char* name, hid_t type, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle id(H5Acreate2(file.id, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  file.require(id >= 0 && H5Awrite(id, type, value) >= 0);
}

void write_attribute(const OutputFile& file, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(text.size(), 1));
  write_attribute(file, name, type, text.c_str());
}

}  // namespace cisolve
