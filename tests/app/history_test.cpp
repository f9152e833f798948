// Iterations that are kept.
#include "app/solve/outcome/history.hpp"

#include <gtest/gtest.h>

namespace cisolve {
namespace {

EigenHistory history_of(int iterations, std::size_t states) {
  EigenHistory history;
  const std::vector<double> values(states, 1.0);
  for (int i = 1; i <= iterations; ++i) {
    EigenIteration iteration;
    iteration.iteration = i;
    iteration.energies = iteration.residual_norms = values;
    history.add(iteration);
  }
  return history;
}

TEST(EigenHistory, OfAShortSolveHasEveryIteration) {
  const EigenHistory history = history_of(40, 3);
  ASSERT_EQ(history.entries().size(), 40u);
  EXPECT_EQ(history.entries().front().iteration, 1);
  EXPECT_EQ(history.entries().back().energies.size(), 3u);
}

TEST(EigenHistory, OfALongOneStaysSmallAndEndsWithTheLast) {
  for (const int iterations : {511, 512, 513, 3000}) {
    const EigenHistory history = history_of(iterations, 3);
    EXPECT_LE(history.entries().size(), 512u);
    EXPECT_GE(history.entries().size(), 250u);
    EXPECT_EQ(history.entries().back().iteration, iterations);
  }
  EXPECT_LE(history_of(200, 10000).entries().size(), 32u);
}

TEST(EigenHistory, LeavesTheSearchForLowerStatesOut) {
  EigenHistory history;
  EigenIteration iteration;
  iteration.exclusion.emplace();
  history.add(iteration);
  EXPECT_TRUE(history.entries().empty());
}

}  // namespace
}  // namespace cisolve
