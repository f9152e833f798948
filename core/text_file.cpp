#include "core/text_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "core/array.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// Closes the descriptor at the end of its scope.
struct Descriptor {
  int number;
  explicit Descriptor(int opened) : number(opened) {}
  Descriptor(Descriptor&& other) noexcept : number(other.release()) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  int release() { return std::exchange(number, -1); }
};

[[noreturn]] void fail(const std::filesystem::path& path, int error_number) {
  throw InputError(path.string() +
                   ": cannot be read: " + std::generic_category().message(error_number));
}

/// Opens the file and says what it is. Throws InputError where it cannot, and for a folder.
Descriptor open_for_reading(const std::filesystem::path& path, struct stat& status) {
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.number < 0 || ::fstat(descriptor.number, &status) != 0) fail(path, errno);
  if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
  return descriptor;
}

bool starts_like_gzip(int descriptor) {
  unsigned char magic[2] = {};
  return ::pread(descriptor, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

using GzipStream = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

/// Takes the descriptor over. zlib hands bytes that are not gzip through as they are.
GzipStream open_stream(Descriptor& descriptor, const std::filesystem::path& path) {
  GzipStream stream(gzdopen(descriptor.number, "rb"), gzclose);
  if (stream == nullptr) throw ResourceError(path.string() + ": no memory to inflate it");
  descriptor.release();
  return stream;
}

/// All bytes of a gzip stream, or of anything that cannot be mapped, such as a pipe.
Array<char> inflate(Descriptor& descriptor, const std::filesystem::path& path) {
  const GzipStream owner = open_stream(descriptor, path);
  const gzFile stream = owner.get();
  constexpr unsigned piece = 1u << 20;
  gzbuffer(stream, piece);

  Array<char> bytes;
  std::size_t size = 0;
  for (int got = 1; got > 0; size += static_cast<std::size_t>(std::max(got, 0))) {
    if (bytes.size() < size + piece) bytes.resize(2 * size + piece);
    got = gzread(stream, bytes.data() + size, piece);
  }
  // zlib tells of a truncated stream only here: the bytes before the cut were read without error.
  int status = Z_OK;
  const char* message = gzerror(stream, &status);
  if (status == Z_ERRNO) fail(path, errno);
  if (status == Z_BUF_ERROR) {
    throw InputError(path.string() + ": gzip file cut short after " + std::to_string(size) +
                     " inflated bytes");
  }
  if (status != Z_OK) {
    throw InputError(path.string() + ": damaged gzip file: " + std::string(message));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

struct TextFile::Storage {
  Array<char> inflated;
  void* map = nullptr;
  std::size_t map_bytes = 0;

  ~Storage() {
    if (map != nullptr) ::munmap(map, map_bytes);
  }
};

TextFile::TextFile(const std::filesystem::path& path) : storage_(std::make_unique<Storage>()) {
  struct stat status {};
  Descriptor descriptor = open_for_reading(path, status);
  if (!S_ISREG(status.st_mode) || starts_like_gzip(descriptor.number)) {
    storage_->inflated = inflate(descriptor, path);
    text_ = {storage_->inflated.data(), storage_->inflated.size()};
  } else if (status.st_size > 0) {
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* map = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor.number, 0);
    if (map == MAP_FAILED) fail(path, errno);
    storage_->map = map;
    storage_->map_bytes = bytes;
    text_ = {static_cast<const char*>(map), bytes};
  }
}

std::string first_bytes(const std::filesystem::path& path, std::size_t count) {
  struct stat status {};
  Descriptor descriptor = open_for_reading(path, status);
  const GzipStream stream = open_stream(descriptor, path);
  std::string bytes(count, '\0');
  const int got = gzread(stream.get(), bytes.data(), static_cast<unsigned>(count));
  bytes.resize(static_cast<std::size_t>(std::max(got, 0)));
  return bytes;
}

TextFile::TextFile(TextFile&&) noexcept = default;
TextFile& TextFile::operator=(TextFile&&) noexcept = default;
TextFile::~TextFile() = default;

}  // namespace cisolve
