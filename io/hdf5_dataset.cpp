#include "io/hdf5_dataset.hpp"

namespace cisolve {
namespace {

std::string quoted(const char* name) {
  return "dataset '" + std::string(name) + "'";
}

/// "unsigned integers of 16 bits"
std::string description(hid_t type) {
  const std::string bits = " of " + std::to_string(8 * H5Tget_size(type)) + " bits";
  if (H5Tget_class(type) == H5T_FLOAT) return "floating-point numbers" + bits;
  return (H5Tget_sign(type) == H5T_SGN_NONE ? "unsigned integers" : "signed integers") + bits;
}

}  // namespace

Dataset open_dataset(const InputFile& file, const char* name, H5T_class_t expected) {
  Handle id(H5Dopen2(file.id, name, H5P_DEFAULT), H5Dclose);
  if (id < 0) file.fail(quoted(name) + " is missing");
  const Handle type(H5Dget_type(id), H5Tclose);
  const Handle space(H5Dget_space(id), H5Sclose);
  if (H5Tget_class(type) != expected) {
    file.fail(quoted(name) + " is of another type, expected " +
              (expected == H5T_INTEGER ? "integers" : "floating-point numbers"));
  }
  hsize_t size = 0;
  if (H5Sget_simple_extent_ndims(space) != 1 ||
      H5Sget_simple_extent_dims(space, &size, nullptr) < 0) {
    file.fail(quoted(name) + " is not one-dimensional");
  }
  if (size > 0 && H5Dget_storage_size(id) == 0) file.fail(quoted(name) + " holds no data");
  return {name, std::move(id), size};
}

void require_type(const InputFile& file, const Dataset& dataset, hid_t type) {
  const Handle stored(H5Dget_type(dataset.id), H5Tclose);
  if (description(stored) == description(type)) return;
  file.fail(quoted(dataset.name) + " holds " + description(stored) + ", expected " +
            description(type));
}

Handle dataset_properties(Layout layout, hsize_t size, std::size_t bytes) {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  // Without the time of writing, so that the same matrix makes the same file.
  H5Pset_obj_track_times(properties, false);
  if (layout == Layout::contiguous || size == 0) return properties;
  const hsize_t largest_chunk = (hsize_t{8} << 20) / bytes;
  const hsize_t chunks = (size + largest_chunk - 1) / largest_chunk;
  const hsize_t chunk = (size + chunks - 1) / chunks;
  H5Pset_chunk(properties, 1, &chunk);
  H5Pset_fletcher32(properties);
  return properties;
}

}  // namespace cisolve
