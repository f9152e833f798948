#pragma once

#include <string>

#include "backends/ranks/communicator.hpp"
#include "backends/ranks/shared_memory.hpp"

namespace cisolve {

/// Ranks of one host, by memory that all of them see: an exchange goes through slots there, which
/// their ranks fill and the others read.
class HostCommunicator final : public Communicator {
 public:
  /// Bytes of the memory that so many ranks need.
  static std::size_t bytes(int size);

  /// `memory`: all zero when the first rank comes.
  HostCommunicator(SharedMemory memory, int rank, int size, std::string description);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool has_common_memory() const override { return true; }
  std::string description() const override { return description_; }

 private:
  struct Barrier;

  void do_all_gather(const void* mine, void* all, std::span<const std::size_t> bytes) override;
  void do_broadcast(void* data, std::size_t bytes, int from) override;
  void do_barrier() override;

  SharedMemory memory_;
  int rank_, size_;
  std::string description_;
  bool second_ = false;  ///< of the two sets of slots, which is next
};

}  // namespace cisolve
