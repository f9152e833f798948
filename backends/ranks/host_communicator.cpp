#include "backends/ranks/host_communicator.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/timer.hpp"

namespace cisolve {
namespace {

constexpr std::size_t set_bytes = std::size_t{1} << 22;  // its slots stay in most last caches
constexpr std::size_t line = 64;
constexpr std::size_t barrier_bytes = 4 * line;

std::size_t slot_bytes(int size) {
  return set_bytes / static_cast<std::size_t>(size) / line * line;
}

/// A piece to copy.
struct Piece {
  const std::byte* from;
  std::byte* to;
  std::size_t bytes;
};

/// One core alone reads what another has written at a few GB/s: where there is much, all threads
/// do.
void copy(const std::vector<Piece>& pieces) {
  constexpr std::size_t chunk = std::size_t{1} << 16;
  std::size_t all = 0, most = 0;
  for (const Piece& piece : pieces) {
    all += piece.bytes;
    most = std::max(most, piece.bytes);
  }
  if (all <= 4 * chunk) {
    for (const Piece& piece : pieces) std::memcpy(piece.to, piece.from, piece.bytes);
    return;
  }
  const auto chunks = static_cast<std::int64_t>((most + chunk - 1) / chunk);
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::int64_t j = 0; j < chunks; ++j) {
      const std::size_t begin = static_cast<std::size_t>(j) * chunk;
      const Piece& piece = pieces[i];
      if (begin >= piece.bytes) continue;
      std::memcpy(piece.to + begin, piece.from + begin, std::min(chunk, piece.bytes - begin));
    }
  }
}

}  // namespace

/// Who comes last lets the others go.
struct HostCommunicator::Barrier {
  alignas(line) std::atomic<std::uint32_t> arrived;
  alignas(line) std::atomic<std::uint32_t> turn;
  alignas(line) std::atomic<std::uint32_t> asleep;
};

std::size_t HostCommunicator::bytes(int size) {
  return barrier_bytes + 2 * slot_bytes(size) * static_cast<std::size_t>(size);
}

HostCommunicator::HostCommunicator(SharedMemory memory, int rank, int size, std::string description)
    : memory_(std::move(memory)), rank_(rank), size_(size), description_(std::move(description)) {
  static_assert(sizeof(Barrier) <= barrier_bytes);
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
}

/// One barrier is enough, as slots are taken from two sets by turns: who fills one again has been
/// through the barrier behind which the others had read it.
void HostCommunicator::do_all_gather(const void* mine, void* all,
                                     std::span<const std::size_t> bytes) {
  const std::size_t slot = slot_bytes(size_), most = std::ranges::max(bytes);
  const auto* const own = static_cast<const std::byte*>(mine);
  for (std::size_t done = 0; done < most; done += slot) {
    const auto count = [&](int r) {
      return bytes[r] > done ? std::min(slot, bytes[r] - done) : std::size_t{0};
    };
    std::byte* const slots =
        memory_.data() + barrier_bytes + (std::exchange(second_, !second_) ? slot * size_ : 0);
    if (count(rank_) > 0) copy({{own + done, slots + slot * rank_, count(rank_)}});
    do_barrier();
    std::vector<Piece> pieces;
    std::byte* to = static_cast<std::byte*>(all) + done;
    for (int r = 0; r < size_; to += bytes[r++]) {
      const std::byte* const from = r == rank_ ? own + done : slots + slot * r;
      if (count(r) > 0 && from != to) pieces.push_back({from, to, count(r)});
    }
    copy(pieces);
  }
}

void HostCommunicator::do_broadcast(void* data, std::size_t bytes, int from) {
  std::vector<std::size_t> all(size_, 0);
  all[from] = bytes;
  do_all_gather(data, data, all);
}

void HostCommunicator::do_barrier() {
  constexpr double spinning = 2e-4;  // seconds; then another rank or program may have the core
  auto& barrier = *reinterpret_cast<Barrier*>(memory_.data());
  const auto futex = [&](int what, std::uint32_t value) {
    ::syscall(SYS_futex, &barrier.turn, what, value, nullptr, nullptr, 0);
  };
  const std::uint32_t turn = barrier.turn;
  if (++barrier.arrived == static_cast<std::uint32_t>(size_)) {
    barrier.arrived = 0;
    ++barrier.turn;
    if (barrier.asleep > 0) futex(FUTEX_WAKE, INT_MAX);
    return;
  }
  const Timer timer;
  while (barrier.turn == turn && timer.seconds() < spinning) continue;
  ++barrier.asleep;
  while (barrier.turn == turn) futex(FUTEX_WAIT, turn);
  --barrier.asleep;
}

}  // namespace cisolve
