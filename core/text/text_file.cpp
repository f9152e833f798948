#include "core/text/text_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/text/gzip_stream.hpp"

namespace cisolve {
/// Bytes that grow in place: the C library moves pages of large blocks, not their contents.
struct Inflated {
  std::unique_ptr<char, void (*)(void*)> bytes{nullptr, std::free};
  std::size_t size = 0, capacity = 0;

  void reserve(std::size_t least, const std::filesystem::path& path) {
    if (least <= capacity) return;
    const std::size_t wanted = least + least / 8;
    // Memory of this size must remain beside the text for the data made from it.
    if (wanted > text_of_any_length)
      require_host_memory(double(wanted), path.string() + ": unpacking it");
    char* const grown = static_cast<char*>(std::realloc(bytes.get(), wanted));
    if (grown == nullptr) throw ResourceError(path.string() + ": no memory to unpack it");
    bytes.release();
    bytes.reset(grown);
    capacity = wanted;
  }
  std::string_view text() const { return {bytes.get(), size}; }
};

namespace {

/// All bytes of a gzip file, or of anything that cannot be mapped, such as a pipe.
Inflated inflate(OpenedFile file, const TextBound& bound) {
  const std::filesystem::path path = file.path;
  GzipStream stream(std::move(file));
  constexpr std::size_t piece = std::size_t{1} << 20;
  Inflated inflated;
  double most = text_of_any_length;
  for (std::size_t got = piece; got == piece; inflated.size += got) {
    if (bound && double(inflated.size) > most) {
      most = std::max(most, bound(inflated.text()));
      if (double(inflated.size) > most) fail_beyond_bound(path, most);
    }
    inflated.reserve(inflated.size + piece, path);
    got = stream.read(inflated.bytes.get() + inflated.size, piece);
  }
  return inflated;
}

}  // namespace

void fail_beyond_bound(const std::filesystem::path& path, double most) {
  throw InputError(path.string() + ": unpacked it has more than " + format_bytes(most) +
                   ", more than its header announces");
}

struct TextFile::Storage {
  Inflated inflated;
  void* map = nullptr;
  std::size_t map_bytes = 0;

  ~Storage() {
    if (map != nullptr) ::munmap(map, map_bytes);
  }
};

TextFile::TextFile(const std::filesystem::path& path, const TextBound& bound)
    : TextFile(OpenedFile(path), bound) {}

TextFile::TextFile(OpenedFile file, const TextBound& bound)
    : storage_(std::make_unique<Storage>()) {
  if (!file.is_regular() || file.starts_like_gzip()) {
    storage_->inflated = inflate(std::move(file), bound);
    text_ = storage_->inflated.text();
  } else if (file.status.st_size > 0) {
    const auto bytes = static_cast<std::size_t>(file.status.st_size);
    void* map = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.descriptor.number, 0);
    if (map == MAP_FAILED) fail_to_read(file.path, errno);
    storage_->map = map;
    storage_->map_bytes = bytes;
    text_ = {static_cast<const char*>(map), bytes};
  }
}

void fail_long_line(const std::string& name, std::size_t line) {
  throw InputError(name + ":" + std::to_string(line) + ": found a line of more than " +
                   format_bytes(longest_line));
}

void require_lines(std::string_view text, const std::string& name) {
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > longest_line) fail_long_line(name, line);
    begin = end + 1;
  }
}

std::string first_bytes(const std::filesystem::path& path, std::size_t count) {
  GzipStream stream{OpenedFile(path)};
  std::string bytes(count, '\0');
  bytes.resize(stream.read_what_there_is(bytes.data(), count));
  return bytes;
}

TextFile::~TextFile() = default;

}  // namespace cisolve
