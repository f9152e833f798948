#pragma once

#include <cstddef>
#include <memory>

namespace cisolve {

class Communicator;

/// Memory that several processes of a host see. Without a name, so that nothing is left of it
/// however they end, and no part of /dev/shm, which containers keep small. Copies are the same
/// memory, and go with the last of them.
class SharedMemory {
 public:
  /// None.
  SharedMemory() = default;
  /// New, all zero. Throws ResourceError.
  explicit SharedMemory(std::size_t bytes);
  /// Memory of a file that this process has inherited; the file is closed. Throws ResourceError if
  /// it is no such memory.
  SharedMemory(int inherited, std::size_t bytes);
  /// Rank 0's, on all ranks; none on all of them where they are not of one host, where it is not to
  /// be had, or where they may not see each other's files. Called by all ranks.
  static SharedMemory of(Communicator& ranks, std::size_t bytes);

  explicit operator bool() const { return data_ != nullptr; }
  std::byte* data() const { return data_.get(); }
  /// Its file, which is closed where another program begins; −1: it has none any more.
  int file() const { return file_ ? *file_ : -1; }

 private:
  bool map(int file, std::size_t bytes);

  std::shared_ptr<std::byte> data_;
  std::shared_ptr<const int> file_;
};

}  // namespace cisolve
