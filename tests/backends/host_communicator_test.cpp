#include "backends/ranks/host_communicator.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "core/error.hpp"

namespace cisolve {
namespace {

/// Threads of this process see the memory as processes do.
void on_ranks(int size, const std::function<void(Communicator&)>& work) {
  const SharedMemory memory(HostCommunicator::bytes(size));
  std::vector<std::jthread> threads;
  for (int r = 0; r < size; ++r) {
    threads.emplace_back([&, r] {
      HostCommunicator ranks(memory, r, size, "threads of a test");
      work(ranks);
    });
  }
}

std::uint32_t number(int rank, std::size_t i, int round) {
  return static_cast<std::uint32_t>(rank * 7919 + static_cast<int>(i) * 31 + round);
}

/// Lengths of nothing, of little, and of more than a slot of any number of ranks holds.
std::vector<std::size_t> lengths(int size, int round) {
  const std::vector<std::size_t> some{0, 1, 5, 1'500'000, 16'384, 300'001};
  std::vector<std::size_t> of_ranks;
  for (int r = 0; r < size; ++r) of_ranks.push_back(some[(r + round) % some.size()]);
  return of_ranks;
}

TEST(HostCommunicator, GathersWhatItsRanksHaveByRank) {
  for (const int size : {1, 2, 3, 7}) {
    on_ranks(size, [&](Communicator& ranks) {
      for (int round = 0; round < 12; ++round) {
        std::vector<std::size_t> bytes;
        std::vector<std::uint32_t> mine, expected;
        for (int r = 0; r < size; ++r) {
          const std::size_t length = lengths(size, round)[r];
          bytes.push_back(length * sizeof(std::uint32_t));
          for (std::size_t i = 0; i < length; ++i) {
            expected.push_back(number(r, i, round));
            if (r == ranks.rank()) mine.push_back(expected.back());
          }
        }
        std::vector<std::uint32_t> all(expected.size());
        ranks.all_gather(mine.data(), all.data(), bytes);
        EXPECT_TRUE(all == expected) << size << " ranks, round " << round;
      }
    });
  }
}

TEST(HostCommunicator, BroadcastsOfAnyRankAnyLength) {
  on_ranks(3, [](Communicator& ranks) {
    for (const std::size_t length : {std::size_t{0}, std::size_t{3}, std::size_t{2'000'000}}) {
      for (int from = 0; from < 3; ++from) {
        std::vector<std::uint32_t> data(length, 0), expected(length);
        for (std::size_t i = 0; i < length; ++i) expected[i] = number(from, i, 0);
        if (ranks.rank() == from) data = expected;
        ranks.broadcast(data.data(), length * sizeof(std::uint32_t), from);
        EXPECT_TRUE(data == expected) << length << " of rank " << from;
      }
    }
  });
}

TEST(HostCommunicator, BarriersLetNoRankThroughBeforeAllHaveCome) {
  constexpr int rounds = 2000;
  std::atomic<int> come = 0;
  on_ranks(5, [&](Communicator& ranks) {
    for (int round = 1; round <= rounds; ++round) {
      ++come;
      ranks.barrier();
      EXPECT_GE(come, 5 * round);
    }
  });
  EXPECT_EQ(come, 5 * rounds);
}

TEST(SharedMemory, IsRefusedWithoutItsFile) {
  EXPECT_THROW(SharedMemory(-1, 4096), ResourceError);
}

}  // namespace
}  // namespace cisolve
