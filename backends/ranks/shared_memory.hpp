#pragma once

#include <cstddef>
#include <memory>

namespace cisolve {

class Communicator;

/// Memory that several processes of a host see. Without a name, so that nothing is left of it
/// however they end, and no part of /dev/shm, which containers keep small. Copies are the same
/// memory, unmapped with the last of them.
class SharedMemory {
 public:
  /// None.
  SharedMemory() = default;
  /// New, all zero; processes that this one begins inherit `file`. Throws ResourceError.
  explicit SharedMemory(std::size_t bytes);
  /// What such a process has inherited. Throws ResourceError.
  SharedMemory(int file, std::size_t bytes);
  /// Rank 0's, on all ranks; none on all of them where they are not of one host, where it is not to
  /// be had, where they may not see each other's files, or where CISOLVE_HOST_MEMORY is off. Called
  /// by all ranks.
  static SharedMemory of(Communicator& ranks, std::size_t bytes);

  explicit operator bool() const { return data_ != nullptr; }
  std::byte* data() const { return data_.get(); }
  int file() const { return file_; }

 private:
  bool map(int file, std::size_t bytes);

  std::shared_ptr<std::byte> data_;
  int file_ = -1;
};

}  // namespace cisolve
