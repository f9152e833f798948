#pragma once

#include <zlib.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace cisolve {

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

/// Throws InputError, or ResourceError where the system has no more of something, in the system's
/// words for `error_number`.
[[noreturn]] void fail_to_read(const std::filesystem::path& path, int error_number);

/// A file, open for reading.
struct OpenedFile {
  std::filesystem::path path;
  Descriptor descriptor;
  struct stat status {};

  /// Throws InputError where it cannot be opened, and for a folder.
  explicit OpenedFile(std::filesystem::path path);
  /// False of a pipe, which can be read once.
  bool is_regular() const { return S_ISREG(status.st_mode); }
  /// True if a regular file begins as gzip does.
  bool starts_like_gzip() const;
};

/// The bytes of a gzip file, inflated, or of any other as they are.
class GzipStream {
 public:
  explicit GzipStream(OpenedFile file);

  /// Reads up to `count` bytes, fewer only at the end. Throws InputError where the file is cut
  /// short or damaged.
  std::size_t read(char* to, std::size_t count);
  /// Reads what there is of `count` bytes, whatever follows.
  std::size_t read_what_there_is(char* to, std::size_t count);
  /// Goes back to the first byte; not of a pipe.
  void rewind();

 private:
  void require_whole();

  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> stream_;
  std::size_t bytes_ = 0;  ///< read so far
};

}  // namespace cisolve
