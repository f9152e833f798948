#include "core/text/text_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/memory.hpp"

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
  const std::string words =
      path.string() + ": cannot be read: " + std::generic_category().message(error_number);
  if (error_number == ENOMEM || error_number == EMFILE || error_number == ENFILE) {
    throw ResourceError(words);
  }
  throw InputError(words);
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

constexpr std::size_t longest_line = std::size_t{1} << 24;
constexpr std::size_t unasked = std::size_t{1} << 26;  // bytes that any text may have

}  // namespace

/// Bytes that grow in place: the C library moves pages of large blocks, not their contents.
struct Inflated {
  std::unique_ptr<char, void (*)(void*)> bytes{nullptr, std::free};
  std::size_t size = 0, capacity = 0;

  void reserve(std::size_t least, const std::filesystem::path& path) {
    if (least <= capacity) return;
    const std::size_t wanted = least + least / 8;
    // Memory of this size must remain beside the text for the data made from it.
    if (wanted > unasked) require_host_memory(double(wanted), path.string() + ": unpacking it");
    char* const grown = static_cast<char*>(std::realloc(bytes.get(), wanted));
    if (grown == nullptr) throw ResourceError(path.string() + ": no memory to unpack it");
    bytes.release();
    bytes.reset(grown);
    capacity = wanted;
  }
  std::string_view text() const { return {bytes.get(), size}; }
};

namespace {

/// All bytes of a gzip stream, or of anything that cannot be mapped, such as a pipe.
Inflated inflate(Descriptor& descriptor, const std::filesystem::path& path,
                 const TextBound& bound) {
  const GzipStream owner = open_stream(descriptor, path);
  const gzFile stream = owner.get();
  constexpr unsigned piece = 1u << 20;
  gzbuffer(stream, piece);

  Inflated inflated;
  double most = unasked;
  for (int got = 1; got > 0; inflated.size += static_cast<std::size_t>(std::max(got, 0))) {
    if (bound && double(inflated.size) > most) {
      most = std::max(most, bound(inflated.text()));
      if (double(inflated.size) > most) {
        throw InputError(path.string() + ": unpacked it has more than " + format_bytes(most) +
                         ", more than its header announces");
      }
    }
    inflated.reserve(inflated.size + piece, path);
    got = gzread(stream, inflated.bytes.get() + inflated.size, piece);
  }
  // zlib tells of a truncated stream only here: the bytes before the cut were read without error.
  int status = Z_OK;
  const char* message = gzerror(stream, &status);
  if (status == Z_ERRNO) fail(path, errno);
  if (status == Z_BUF_ERROR) {
    throw InputError(path.string() + ": gzip file cut short after " +
                     std::to_string(inflated.size) + " inflated bytes");
  }
  if (status != Z_OK) {
    throw InputError(path.string() + ": damaged gzip file: " + std::string(message));
  }
  return inflated;
}

}  // namespace

struct TextFile::Storage {
  Inflated inflated;
  void* map = nullptr;
  std::size_t map_bytes = 0;

  ~Storage() {
    if (map != nullptr) ::munmap(map, map_bytes);
  }
};

TextFile::TextFile(const std::filesystem::path& path, const TextBound& bound)
    : storage_(std::make_unique<Storage>()) {
  struct stat status {};
  Descriptor descriptor = open_for_reading(path, status);
  if (!S_ISREG(status.st_mode) || starts_like_gzip(descriptor.number)) {
    storage_->inflated = inflate(descriptor, path, bound);
    text_ = storage_->inflated.text();
  } else if (status.st_size > 0) {
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* map = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor.number, 0);
    if (map == MAP_FAILED) fail(path, errno);
    storage_->map = map;
    storage_->map_bytes = bytes;
    text_ = {static_cast<const char*>(map), bytes};
  }
}

void require_lines(std::string_view text, const std::string& name) {
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > longest_line) {
      throw InputError(name + ":" + std::to_string(line) + ": found a line of more than " +
                       format_bytes(longest_line));
    }
    begin = end + 1;
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

TextFile::~TextFile() = default;

}  // namespace cisolve
