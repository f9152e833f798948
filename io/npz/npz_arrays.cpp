#include "io/array_archive.hpp"

#include <zip.h>

#include <array>

#include "core/error.hpp"

namespace cisolve {
namespace {

/// False when libzip fails, which follows the pointers when the archive is closed.
bool add(zip_t* archive, const NamedArray& array, const std::string& header) {
  const auto fragment = [](const void* data, std::size_t bytes) {
    return zip_buffer_fragment_t{static_cast<zip_uint8_t*>(const_cast<void*>(data)),
                                 bytes};  // read only
  };
  const std::array fragments{fragment(header.data(), header.size()),
                             fragment(array.data, array.bytes)};
  zip_source_t* source = zip_source_buffer_fragment(archive, fragments.data(), fragments.size(), 0);
  if (source == nullptr) return false;
  const zip_int64_t index = zip_file_add(archive, (array.name + ".npy").c_str(), source, 0);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  return zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) == 0;
}

}  // namespace

void write_npz_arrays(const std::vector<NamedArray>& arrays, const std::filesystem::path& path,
                      const std::string& name) {
  std::vector<std::string> headers;
  headers.reserve(arrays.size());
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  bool good = archive != nullptr;
  for (const NamedArray& array : arrays) {
    headers.push_back(make_npy_header(array.header));
    good = good && add(archive, array, headers.back());
  }
  if (good && zip_close(archive) == 0) return;
  const std::string reason = archive != nullptr ? zip_strerror(archive) : "cannot be opened";
  if (archive != nullptr) zip_discard(archive);
  throw ResourceError(name + ": cannot be written: " + reason);
}

}  // namespace cisolve
