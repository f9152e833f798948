#pragma once

#include <hdf5.h>

#include <cstdint>
#include <type_traits>

#include "io/hdf5/hdf5_file.hpp"

namespace cisolve {

/// Writing one-dimensional arrays to HDF5 files.

/// HDF5's name for the machine's T.
template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, double>) {
    return H5T_NATIVE_DOUBLE;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return H5T_NATIVE_INT64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return H5T_NATIVE_INT32;
  } else {
    static_assert(std::is_same_v<T, std::uint16_t>);
    return H5T_NATIVE_UINT16;
  }
}

/// Layout of a dataset of so many elements of `bytes` each: contiguous, or in chunks of about 8 MiB
/// with Fletcher's checksum, which HDF5 verifies when it reads.
enum class Layout { contiguous, checksummed };
Handle dataset_properties(Layout layout, hsize_t size, std::size_t bytes);

/// In the machine's own type.
template <class Values>
void write_dataset(const OutputFile& file, const char* name, const Values& values,
                   Layout layout = Layout::contiguous) {
  using T = typename Values::value_type;
  const hsize_t size = values.size();
  const Handle properties = dataset_properties(layout, size, sizeof(T));
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const hid_t type = native_type<T>();
  const Handle id(H5Dcreate2(file.id, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                  H5Dclose);
  file.require(id >= 0 && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
}

}  // namespace cisolve
