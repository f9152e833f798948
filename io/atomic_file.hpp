#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace cisolve {

/// Place of a file of that name, also one that is still to be written: absolute, symbolic links
/// followed, those to files that do not exist yet too.
std::filesystem::path place_of(const std::filesystem::path& name);

/// A file that appears whole or not at all: write to `temporary()`, in the same folder, then
/// `commit()` renames it; without commit the destructor removes it. The constructor throws
/// InputError when the folder is missing or not writable, or the target is no regular file (a
/// folder, a device, a pipe), before any work is done for it, and leaves the folder as it is. A
/// symbolic link is followed, also one to what is not there yet. The temporary file's name is
/// cisolve-TARGET-HOST-PROCESS-RANDOM.tmp, the first two as hashes: what a process that was killed
/// left of the same target goes when another one of that host makes its own.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// The file to write to; made on the first call. Throws ResourceError when it cannot be.
  const std::filesystem::path& temporary();
  /// Throws ResourceError when the file cannot be put in its place.
  void commit();
  /// The text as the whole file, committed. Throws ResourceError when it cannot be written.
  void write(std::string_view text);
  /// Removes the temporary file, to make room.
  void discard() noexcept;

 private:
  std::filesystem::path target_, temporary_;
};

/// The file of that name; none of an empty one.
std::unique_ptr<AtomicFile> output_file(const std::filesystem::path& name);

/// Why more cannot be written to a file, which it spoils: "" or ": No space left on device".
std::string obstacle_to(const std::filesystem::path& path);

/// Removes the temporary files there are; also in the handler of a signal, as the next two.
void remove_temporaries() noexcept;

/// True if a file is being written.
bool has_temporaries() noexcept;

/// Ends the program as the signal would, without leaving half-written files.
void end_by_signal(int signal) noexcept;

}  // namespace cisolve
