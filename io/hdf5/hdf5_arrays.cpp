#include <hdf5.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/array_archive.hpp"
#include "io/hdf5/hdf5_file.hpp"

namespace cisolve {
namespace {

/// HDF5's type for one of NumPy's, as the machine has it.
Handle element_type(const NpyHeader& header) {
  const std::string& type = header.type;
  if (type == "<f8") return {H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose};
  if (type == "<i8") return {H5Tcopy(H5T_NATIVE_INT64), H5Tclose};
  if (type == "<u8") return {H5Tcopy(H5T_NATIVE_UINT64), H5Tclose};
  if (type == "<c16") return complex_type();
  if (!type.starts_with("|S")) throw std::logic_error("no type of HDF5 for " + type);
  Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(text, std::max(1, std::stoi(type.substr(2))));
  H5Tset_strpad(text, H5T_STR_NULLPAD);
  return text;
}

void write(const OutputFile& file, const NamedArray& array) {
  const std::vector<hsize_t> shape(array.header.shape.begin(), array.header.shape.end());
  const Handle space(shape.empty()
                         ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                     H5Sclose);
  const Handle type = element_type(array.header);
  const Handle id(
      H5Dcreate2(file.id, array.name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  file.require(id >= 0);
  if (array.bytes == 0) return;
  file.require(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.data) >= 0);
}

}  // namespace

void write_hdf5_arrays(const std::vector<NamedArray>& arrays, const std::string& format,
                       const std::filesystem::path& path, const std::string& name) {
  const OutputFile file = create_hdf5(path, name);
  write_attribute(file, "format", format);
  for (const NamedArray& array : arrays) write(file, array);
  file.require(H5Fflush(file.id, H5F_SCOPE_GLOBAL) >= 0);  // closing can no longer fail
}

}  // namespace cisolve
