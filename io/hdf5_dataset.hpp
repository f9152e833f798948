#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "core/array.hpp"
#include "io/hdf5_file.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {

/// One-dimensional arrays in HDF5 files.

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

/// A dataset whose type and extent are known, and nothing read yet.
struct Dataset {
  const char* name;
  Handle id;
  std::size_t size;
};

/// Throws InputError where it is not there, or of another class (integers, floating-point numbers)
/// or shape.
Dataset open_dataset(const InputFile& file, const char* name, H5T_class_t expected);

/// Throws InputError unless its numbers are of the width and sign of `type`, in any byte order.
void require_type(const InputFile& file, const Dataset& dataset, hid_t type);

/// All elements, converted by HDF5 to T; integers that do not fit become the nearest that does.
template <class T>
Array<T> read_dataset(const InputFile& file, const Dataset& dataset) {
  Array<T> values = allocate<T>(dataset.size, dataset.name, file.name);
  if (H5Dread(dataset.id, native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    file.fail("dataset '" + std::string(dataset.name) + "' cannot be read" + library_message());
  }
  return values;
}

/// How a dataset of so many elements of `bytes` each is laid out: contiguous, or in chunks of about
/// 8 MiB with Fletcher's checksum, which HDF5 verifies when it reads.
enum class Layout { contiguous, checksummed };
Handle dataset_properties(Layout layout, hsize_t size, std::size_t bytes);

/// In the machine's own type.
template <class T>
void write_dataset(const OutputFile& file, const char* name, const Array<T>& values,
                   Layout layout = Layout::contiguous) {
  const hsize_t size = values.size();
  const Handle properties = dataset_properties(layout, size, sizeof(T));
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const hid_t type = native_type<T>();
  const Handle id(H5Dcreate2(file.id, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                  H5Dclose);
  file.require(id >= 0 && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
}

}  // namespace cisolve
