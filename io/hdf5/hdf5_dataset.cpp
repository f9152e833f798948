#include "io/hdf5/hdf5_dataset.hpp"

namespace cisolve {
Handle dataset_properties(Layout layout, hsize_t size, std::size_t bytes) {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  // Times of writing are left out, so that equal matrices make equal files.
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
