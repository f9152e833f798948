// Distribution of a packed matrix's slices over the blocks of a GPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include "formats/packed/batches.hpp"

namespace cisolve {
namespace {

constexpr int teams = 32, blocks = 10;

/// Slices of that much work each.
template <class Work>
Array<Offset> work_before(Index slices, Work work) {
  Array<Offset> before{0};
  for (Index s = 0; s < slices; ++s) before.push_back(before.back() + work(s));
  return before;
}

struct Batch {
  Index count;
  Offset work, longest;
};

std::vector<Batch> batches_of(const Array<Offset>& before) {
  const Array<Index> first = batches_of_slices(before, teams, blocks);
  EXPECT_EQ(first.front(), 0);
  EXPECT_EQ(first.back(), static_cast<Index>(before.size()) - 1);
  std::vector<Batch> all;
  for (std::size_t b = 0; b + 1 < first.size(); ++b) {
    Offset longest = 0;
    for (Index s = first[b]; s < first[b + 1]; ++s) {
      longest = std::max(longest, before[s + 1] - before[s]);
    }
    all.push_back({first[b + 1] - first[b], before[first[b + 1]] - before[first[b]], longest});
  }
  return all;
}

TEST(Batches, are_powers_of_two_of_slices_that_are_about_equally_long) {
  std::mt19937 engine(1);
  const auto uneven = [&](Index s) { return Offset{1} + engine() % (s % 300 < 20 ? 900 : 90); };
  for (const Batch& batch : batches_of(work_before(20000, uneven))) {
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(batch.count)));
    EXPECT_LE(5 * batch.count * batch.longest, 6 * batch.work);
  }
}

TEST(Batches, become_smaller_towards_the_end) {
  const std::vector<Batch> all = batches_of(work_before(6000, [](Index) { return Offset{100}; }));
  EXPECT_EQ(all.front().count, 16);  // 1600 of at most 72 · 32 groups
  EXPECT_EQ(all.back().count, 4);    // of about 16 · 32
  for (std::size_t b = 1; b < all.size(); ++b) EXPECT_LE(all[b].count, all[b - 1].count);
}

TEST(Batches, give_every_block_one_where_there_is_little_work) {
  for (const Offset work : {20, 40, 150}) {
    const std::vector<Batch> all = batches_of(work_before(40, [&](Index) { return work; }));
    EXPECT_GE(all.size(), static_cast<std::size_t>(blocks)) << work;
    for (const Batch& batch : all) EXPECT_LE(batch.work, 40 * work / blocks) << work;
  }
}

TEST(Batches, have_a_slice_where_it_is_longer_than_a_batch_should_be) {
  for (const Batch& batch : batches_of(work_before(50, [](Index) { return Offset{100000}; }))) {
    EXPECT_EQ(batch.count, 1);
  }
}

TEST(Batches, have_many_slices_where_those_are_short) {
  EXPECT_EQ(batches_of(work_before(100000, [](Index) { return Offset{2}; })).front().count, 1024);
}

TEST(Batches, of_no_slices_are_none) {
  EXPECT_EQ(batches_of_slices(Array<Offset>{0}, teams, blocks), Array<Index>{0});
}

}  // namespace
}  // namespace cisolve
