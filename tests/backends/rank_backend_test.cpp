#include "backends/ranks/rank_backend.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "backends/ranks/row_partition.hpp"
#include "core/dense/host_matrix.hpp"
#include "tests/support/thread_ranks.hpp"

namespace cisolve {
namespace {

/// Between threads, whose memory all see; counts what it was used for.
class FakeExchange final : public DeviceExchange {
 public:
  FakeExchange(Communicator& ranks, std::string failure, int& gathered)
      : ranks_(ranks), failure_(std::move(failure)), gathered_(gathered) {}
  std::string failure() override { return failure_; }
  void all_gather(const void* mine, void* all, std::span<const std::size_t> bytes) override {
    ++gathered_;
    ranks_.all_gather(mine, all, bytes);
  }

 private:
  Communicator& ranks_;
  std::string failure_;
  int& gathered_;
};

/// Three ranks gather twice, with exchanges of which that of rank 1 says `failure`.
void expect_gathered(const std::string& failure, bool by_exchange) {
  testing::ThreadRanks(3).run([&](Communicator& ranks) {
    const int rank = ranks.rank();
    int gathered = 0;
    std::vector<std::string> warnings;
    const auto backend =
        make_rank_backend(make_cpu_backend(), ranks,
                          std::make_unique<FakeExchange>(ranks, rank == 1 ? failure : "", gathered),
                          [&](const std::string& why) { warnings.push_back(why); });
    const RowPartition parts{{0, 2, 3, 7}};
    MultiVector own(*backend, parts.count(rank), 2), whole(*backend, parts.rows(), 2);
    for (int time = 0; time < 2; ++time) {
      backend->fill(10.0 * time + rank, own.view());
      backend->gather(own.view(), parts, whole.view());
      const HostMatrix all = make_cpu_backend()->download(whole.view());
      for (Index i = 0; i < parts.rows(); ++i) {
        const int owner = i < 2 ? 0 : i < 3 ? 1 : 2;
        EXPECT_EQ(all(i, 0), 10.0 * time + owner);
        EXPECT_EQ(all(i, 1), 10.0 * time + owner);
      }
    }
    EXPECT_EQ(gathered, by_exchange ? 2 : 0);
    EXPECT_EQ(warnings.size(), by_exchange ? 0 : 1);
    if (!warnings.empty()) {
      EXPECT_EQ(warnings[0], rank == 1 ? failure : "another rank cannot join");
    }
  });
}

TEST(RankBackend, GathersByAnExchangeThatAllHave) {
  expect_gathered("", true);
}

TEST(RankBackend, GathersByTheHostWhereOneExchangeFails) {
  expect_gathered("no network", false);
}

}  // namespace
}  // namespace cisolve
