#include "io/array_archive.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zip.h>

#include <array>
#include <cerrno>

#include "core/error.hpp"

namespace cisolve {
namespace {

/// The file that an archive is written to. libzip's own way writes to a file beside it, of a name
/// that nobody else knows: a signal would leave it.
class Destination {
 public:
  explicit Destination(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    zip_error_init(&error_);
    if (file_ < 0) zip_error_set(&error_, ZIP_ER_OPEN, errno);
  }
  Destination(const Destination&) = delete;
  Destination& operator=(const Destination&) = delete;
  ~Destination() {
    if (file_ >= 0) ::close(file_);
    zip_error_fini(&error_);
  }
  std::string reason() { return zip_error_strerror(&error_); }

  /// Callback for zip_source_function_create, for a file that is written and never read.
  static zip_int64_t serve(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    return static_cast<Destination*>(state)->serve(data, length, command);
  }

 private:
  zip_int64_t serve(void* data, zip_uint64_t length, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;  // reading with it, as libzip asks
      case ZIP_SOURCE_BEGIN_WRITE:
        return file_ < 0 ? -1 : 0;
      case ZIP_SOURCE_STAT:
        zip_stat_init(static_cast<zip_stat_t*>(data));
        return sizeof(zip_stat_t);
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&error_, data, length);
      case ZIP_SOURCE_WRITE:
        return write(static_cast<const char*>(data), length);
      case ZIP_SOURCE_SEEK_WRITE:
        return seek(data, length);
      case ZIP_SOURCE_TELL_WRITE:
        return checked(::lseek(file_, 0, SEEK_CUR), ZIP_ER_TELL);
      default:
        return 0;
    }
  }
  zip_int64_t checked(off_t result, int kind) {
    if (result < 0) zip_error_set(&error_, kind, errno);
    return result;
  }
  zip_int64_t write(const char* data, zip_uint64_t length) {
    for (zip_uint64_t done = 0; done < length;) {
      const ssize_t some = ::write(file_, data + done, length - done);
      if (some < 0 && errno == EINTR) continue;
      if (some < 0) return checked(some, ZIP_ER_WRITE);
      done += static_cast<zip_uint64_t>(some);
    }
    return static_cast<zip_int64_t>(length);
  }
  zip_int64_t seek(void* data, zip_uint64_t length) {
    const auto* const to = ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, length, &error_);
    if (to == nullptr) return -1;
    const off_t reached = ::lseek(file_, static_cast<off_t>(to->offset), to->whence);
    return checked(reached, ZIP_ER_SEEK) < 0 ? -1 : 0;
  }

  int file_;
  zip_error_t error_{};
};

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
  Destination file(path);
  zip_source_t* const source = zip_source_function_create(Destination::serve, &file, nullptr);
  zip_t* archive = source == nullptr
                       ? nullptr
                       : zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  if (archive == nullptr) zip_source_free(source);
  bool good = archive != nullptr;
  for (const NamedArray& array : arrays) {
    headers.push_back(make_npy_header(array.header));
    good = good && add(archive, array, headers.back());
  }
  if (good && zip_close(archive) == 0) return;
  const std::string reason = archive != nullptr ? zip_strerror(archive) : file.reason();
  if (archive != nullptr) zip_discard(archive);
  throw ResourceError(name + ": cannot be written: " + reason);
}

}  // namespace cisolve
