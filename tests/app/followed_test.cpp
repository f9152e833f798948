// Matches of states with given vectors, which they continue.
#include "app/solve/outcome/followed.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace cisolve {
namespace {

TEST(Followed, PairsOfLargestOverlapAndNoStateTwice) {
  const HostMatrix states = HostMatrix::Identity(4, 3);
  HostMatrix given = HostMatrix::Zero(4, 3);
  given.col(0) << 0.6, 0.8, 0.0, 0.0;              // nearest to state 2, which vector 2 has more of
  given.col(1) << 0.0, -5.0, 0.0, 0.0;             // of any norm and sign
  given.col(2) << 0.0, 0.0, 0.3, std::sqrt(0.91);  // state 3 has less than a tenth of it
  const std::vector<Followed> found = follow(given, states);
  EXPECT_EQ(found[0].state, 0);
  EXPECT_NEAR(found[0].overlap, 0.6, 1e-15);
  EXPECT_NEAR(found[0].found, 1.0, 1e-15);
  EXPECT_EQ(found[1].state, 1);
  EXPECT_NEAR(found[1].overlap, 1.0, 1e-15);
  EXPECT_FALSE(found[2].state);
  EXPECT_NEAR(found[2].found, 0.09, 1e-15);
}

TEST(Followed, MoreVectorsThanStatesLeaveSomeWithout) {
  HostMatrix given = HostMatrix::Identity(3, 3);
  given.col(1).setZero();
  const std::vector<Followed> found = follow(given, HostMatrix::Identity(3, 1));
  EXPECT_EQ(found[0].state, 0);
  EXPECT_FALSE(found[1].state);
  EXPECT_EQ(found[1].found, 0.0);
  EXPECT_FALSE(found[2].state);
}

}  // namespace
}  // namespace cisolve
