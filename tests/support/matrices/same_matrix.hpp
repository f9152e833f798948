#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve::testing {

/// To the bit.
inline void expect_same(const CsrMatrix& x, const CsrMatrix& y) {
  ASSERT_TRUE(std::ranges::equal(x.row_offsets, y.row_offsets));
  ASSERT_TRUE(std::ranges::equal(x.column_indices, y.column_indices));
  ASSERT_TRUE(std::ranges::equal(x.values, y.values));
}

}  // namespace cisolve::testing
