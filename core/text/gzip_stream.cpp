#include "core/text/gzip_stream.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/error.hpp"

namespace cisolve {
namespace {

constexpr unsigned bytes_at_once = 1u << 20;

}  // namespace

void fail_to_read(const std::filesystem::path& path, int error_number) {
  const std::string words =
      path.string() + ": cannot be read: " + std::generic_category().message(error_number);
  if (error_number == ENOMEM || error_number == EMFILE || error_number == ENFILE) {
    throw ResourceError(words);
  }
  throw InputError(words);
}

OpenedFile::OpenedFile(std::filesystem::path to_open)
    : path(std::move(to_open)), descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor.number < 0 || ::fstat(descriptor.number, &status) != 0) fail_to_read(path, errno);
  if (S_ISDIR(status.st_mode)) fail_to_read(path, EISDIR);
}

bool OpenedFile::starts_like_gzip() const {
  unsigned char magic[2] = {};
  return ::pread(descriptor.number, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

GzipStream::GzipStream(OpenedFile file)
    : path_(std::move(file.path)), stream_(gzdopen(file.descriptor.number, "rb"), gzclose) {
  if (stream_ == nullptr) throw ResourceError(path_.string() + ": no memory to inflate it");
  file.descriptor.release();
  gzbuffer(stream_.get(), bytes_at_once);
}

std::size_t GzipStream::read_what_there_is(char* to, std::size_t count) {
  std::size_t read = 0;
  while (read < count) {
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(bytes_at_once, count - read));
    const int got = gzread(stream_.get(), to + read, wanted);
    if (got <= 0) break;
    read += static_cast<std::size_t>(got);
  }
  bytes_ += read;
  return read;
}

std::size_t GzipStream::read(char* to, std::size_t count) {
  const std::size_t read = read_what_there_is(to, count);
  if (read < count) require_whole();
  return read;
}

void GzipStream::rewind() {
  gzclearerr(stream_.get());
  if (gzrewind(stream_.get()) != 0) fail_to_read(path_, errno);
  bytes_ = 0;
}

/// Damage shows at the end: the bytes before a cut are read without error.
void GzipStream::require_whole() {
  int status = Z_OK;
  const char* message = gzerror(stream_.get(), &status);
  if (status == Z_ERRNO) fail_to_read(path_, errno);
  if (status == Z_BUF_ERROR) {
    throw InputError(path_.string() + ": gzip file cut short after " + std::to_string(bytes_) +
                     " inflated bytes");
  }
  if (status != Z_OK) {
    throw InputError(path_.string() + ": damaged gzip file: " + std::string(message));
  }
}

}  // namespace cisolve
