#include "app/ways/held_matrix.hpp"

#include <gtest/gtest.h>

#include "tests/support/support.hpp"

namespace cisolve {
namespace {

TEST(SomeRows, HaveAllOfThemInABlockOfFewerOrMoreColumns) {
  HostMatrix dense = HostMatrix::Random(4, 9);
  dense(1, 3) = dense(2, 8) = 0.0;
  const CsrMatrix rows = testing::from_dense(dense);
  for (const std::vector<Index>& wanted :
       {std::vector<Index>{3}, {0, 8}, {1, 2, 3, 4, 5, 8}, std::vector<Index>{}}) {
    const HostMatrix block = block_over(rows, wanted);
    ASSERT_EQ(block.rows(), 4);
    ASSERT_EQ(block.cols(), std::ssize(wanted));
    for (int j = 0; j < block.cols(); ++j) EXPECT_EQ(block.col(j), dense.col(wanted[j]));
  }
}

}  // namespace
}  // namespace cisolve
