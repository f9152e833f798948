// Symmetric matrices, and those that only seem so.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/generate.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using cisolve::testing::from_dense;
using cisolve::testing::random_symmetric;

std::string asymmetry(const CsrMatrix& a, double tolerance = 1e-12) {
  try {
    require_symmetric(a, "m", tolerance);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CsrSymmetry, ASymmetricMatrixIsSymmetric) {
  const CsrMatrix a = from_dense(random_symmetric(2500, 0.02));
  EXPECT_EQ(asymmetry(a, 0.0), "no error");
  EXPECT_TRUE(is_exactly_symmetric(a));
}

TEST(CsrSymmetry, TheFirstAsymmetricPairIsNamedWithBothValues) {
  HostMatrix a = random_symmetric(2500, 0.02);
  a(17, 2000) = 0.25;
  a(2000, 17) = 0.5;
  a(30, 40) = 1.0;
  a(40, 30) = 2.0;
  EXPECT_EQ(asymmetry(from_dense(a)),
            "m: not symmetric: row 18, column 2001 is 0.25, but row 2001, column 18 is 0.5; "
            "input.symmetrize takes (A + Aᵀ)/2 in its place");
  EXPECT_FALSE(is_exactly_symmetric(from_dense(a)));
}

TEST(CsrSymmetry, OneEntryThatDiffersIsFoundWhereverItIs) {
  CsrMatrix a = from_dense(random_symmetric(400, 0.1));
  for (Index i = 0; i < a.rows; i += 13) {
    for (const Offset p : {a.row_offsets[i], a.row_offsets[i + 1] - 1}) {
      if (a.column_indices[p] == i) continue;
      const double kept = std::exchange(a.values[p], 3.0);
      EXPECT_FALSE(is_symmetric(a)) << i;
      EXPECT_FALSE(is_exactly_symmetric(a)) << i;
      a.values[p] = kept;
    }
  }
  EXPECT_TRUE(is_symmetric(a));
}

TEST(CsrSymmetry, EntriesThatOnlyAddUpAreNotSymmetric) {
  // A matrix with as many ones in every row as in its column; and one with values whose sums agree.
  HostMatrix ring = HostMatrix::Identity(7, 7), swapped = HostMatrix::Zero(4, 4);
  for (int i = 0; i < 7; ++i) ring(i, (i + 1) % 7) = 1.0;
  swapped(0, 1) = swapped(3, 2) = 1.0;
  swapped(1, 0) = swapped(2, 3) = 2.0;
  for (const HostMatrix& a : {ring, swapped}) EXPECT_FALSE(is_symmetric(from_dense(a)));
}

TEST(CsrSymmetry, RegularMatricesThatAreNotSymmetricAreFound) {
  // Signs alone differ, in many places alike: of circulant matrices, of two neighbours in a row, of
  // a product of a symmetric and an antisymmetric matrix.
  for (Index n = 3; n < 60; ++n) {
    HostMatrix circulant = HostMatrix::Identity(n, n), turned(2 * n, 2 * n);
    for (Index i = 0; i < n; ++i) {
      circulant(i, (i + 1) % n) = 1.0;
      circulant((i + 1) % n, i) = -1.0;
    }
    EXPECT_FALSE(is_symmetric(from_dense(circulant))) << n;
    const HostMatrix symmetric = circulant.cwiseAbs();
    turned << HostMatrix::Zero(n, n), symmetric, -symmetric, HostMatrix::Zero(n, n);
    EXPECT_FALSE(is_symmetric(from_dense(turned))) << n;
    HostMatrix pair = HostMatrix::Identity(n, n);
    pair(0, n - 1) = pair(0, n - 2) = 1.0;
    pair(n - 1, 0) = pair(n - 2, 0) = -1.0;
    EXPECT_FALSE(is_symmetric(from_dense(pair))) << n;
  }
}

TEST(CsrSymmetry, AsymmetryAmongRowsOfRoundNumbersIsFound) {
  // Rows at the ends of blocks of 2^k rows, pairs of which differ in sign: hashes whose low bits
  // such places leave unmixed cancel in some of these sums.
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    const Index block = Index{1} << (6 + random() % 6), blocks = 8;
    CsrMatrix a{block * blocks, block * blocks, {0}, {}, {}};
    HostMatrix skew = HostMatrix::Zero(blocks, blocks);
    for (Index i = 0; i < blocks; ++i) {
      for (Index j = 0; j < i; ++j) {
        skew(i, j) = static_cast<double>(random() % 3) - 1.0;
        skew(j, i) = -skew(i, j);
      }
    }
    for (Index i = 0; i < a.rows; ++i) {
      for (Index j = 0; (i + 1) % block == 0 && j < blocks; ++j) {
        if (skew(i / block, j) == 0.0) continue;
        a.column_indices.push_back((j + 1) * block - 1);
        a.values.push_back(skew(i / block, j));
      }
      a.row_offsets.push_back(static_cast<Offset>(a.values.size()));
    }
    ASSERT_EQ(is_symmetric(a), a.values.empty()) << trial;
  }
  CsrMatrix a{108288, 108288, Array<Offset>(108289, 0), {}, {}};
  for (const auto& [row, column, value] : {std::tuple{27647, 87039, 0.5},
                                           {76031, 108287, 0.5},
                                           {87039, 27647, -0.5},
                                           {108287, 76031, -0.5}}) {
    a.column_indices.push_back(column);
    a.values.push_back(value);
    std::fill(a.row_offsets.begin() + row + 1, a.row_offsets.end(), Offset(a.values.size()));
  }
  EXPECT_FALSE(is_symmetric(a));
}

TEST(CsrSymmetry, ValuesThatDifferInOneBitAreNotTheSame) {
  for (const double value : {1.0, 3000000.0, -0.7}) {
    for (int bit = 0; bit < 52; ++bit) {
      const auto other =
          std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << bit));
      const CsrMatrix a = from_dense(HostMatrix{{1.0, value}, {other, 1.0}});
      EXPECT_FALSE(is_symmetric(a, 0.0)) << value << ", bit " << bit;
    }
  }
}

TEST(CsrSymmetry, AnEntryWithoutItsMirrorIsAsymmetricInEitherTriangle) {
  HostMatrix upper = HostMatrix::Identity(3, 3), lower = HostMatrix::Identity(3, 3);
  upper(0, 2) = 0.5;
  lower(2, 0) = 0.5;
  EXPECT_EQ(asymmetry(from_dense(upper)),
            "m: not symmetric: row 1, column 3 is 0.5, but row 3, column 1 is 0; "
            "input.symmetrize takes (A + Aᵀ)/2 in its place");
  EXPECT_EQ(asymmetry(from_dense(lower)),
            "m: not symmetric: row 3, column 1 is 0.5, but row 1, column 3 is 0; "
            "input.symmetrize takes (A + Aᵀ)/2 in its place");
  EXPECT_FALSE(is_exactly_symmetric(from_dense(upper)));
  EXPECT_FALSE(is_exactly_symmetric(from_dense(lower)));
}

TEST(CsrSymmetry, TheToleranceOfSymmetryIsRelativeAboveOne) {
  HostMatrix a = HostMatrix::Identity(2, 2);
  a(0, 1) = 1000.0;
  a(1, 0) = 1000.0 + 5e-10;
  EXPECT_EQ(asymmetry(from_dense(a)), "no error");
  EXPECT_FALSE(is_exactly_symmetric(from_dense(a)));
  EXPECT_NE(asymmetry(from_dense(a), 1e-14), "no error");
  a(0, 1) = 1e-3;
  a(1, 0) = 1e-3 + 5e-12;
  EXPECT_NE(asymmetry(from_dense(a)), "no error");
}

TEST(CsrSymmetry, SymmetryAllowsForRounding) {
  const auto symmetric = [](double a, double b) {
    return is_symmetric(from_dense(HostMatrix{{1, a}, {b, 1}}));
  };
  EXPECT_TRUE(symmetric(2.0, 2.0));
  EXPECT_TRUE(symmetric(2.0, 2.0 + 1e-13));
  EXPECT_FALSE(symmetric(2.0, 2.0 + 1e-11));
  EXPECT_FALSE(symmetric(2.0, 0.0));
}

TEST(CsrSymmetry, ALargeDiagonalHidesNoAsymmetry) {
  HostMatrix a = 1e9 * HostMatrix::Identity(3, 3);
  a(0, 1) = 1.0;
  a(1, 0) = 1.0 + 1e-6;
  EXPECT_TRUE(is_symmetric(from_dense(a)));  // rounding of 1e9
  a(1, 0) = 1.0 + 1e-3;
  EXPECT_FALSE(is_symmetric(from_dense(a)));
}

TEST(CsrSymmetry, ARectangularMatrixIsNotSymmetric) {
  EXPECT_FALSE(is_symmetric(from_dense(HostMatrix::Ones(2, 3))));
  EXPECT_NE(asymmetry(from_dense(HostMatrix::Ones(2, 3))).find("2 × 3"), std::string::npos);
  EXPECT_FALSE(is_exactly_symmetric(from_dense(HostMatrix::Ones(2, 3))));
}

TEST(CsrSymmetry, ExactSymmetryHoldsStoredZerosAndTheirSignsApart) {
  CsrMatrix a{2, 2, {0, 1, 2}, {1, 0}, {0.0, 0.0}};
  EXPECT_TRUE(is_exactly_symmetric(a));
  a.values[1] = -0.0;
  EXPECT_FALSE(is_exactly_symmetric(a));
  EXPECT_EQ(asymmetry(a, 0.0), "no error");
  a = CsrMatrix{2, 2, {0, 1, 1}, {1}, {0.0}};
  EXPECT_FALSE(is_exactly_symmetric(a));
  EXPECT_EQ(asymmetry(a, 0.0), "no error");
}

TEST(CsrSymmetry, AValidatedMatrixIsKnownToBeItsTransposeWhereItIs) {
  // Long rows and empty ones, in pieces of which many entries begin and end within a row.
  for (const Index rows : {1, 300, 4000}) {
    CsrMatrix a = validated(generate_random(rows, std::min<Index>(rows, 50), 7, true), "m");
    EXPECT_TRUE(a.mirrored) << rows;
    if (rows == 1) continue;
    const Index row = rows / 2;
    const auto columns = a.column_indices.begin() + a.row_offsets[row];
    const Offset place = a.row_offsets[row] + (*columns == row ? 1 : 0);
    a.values[place] = std::nextafter(a.values[place], 2.0);
    EXPECT_FALSE(validated(a, "m").mirrored) << rows;
    a.values[place] = 0.0;  // as if it were not there
    EXPECT_FALSE(validated(a, "m").mirrored) << rows;
  }
  EXPECT_FALSE(validated(from_dense(HostMatrix{{1.0, 2.0, 3.0}}), "m").mirrored);
  EXPECT_TRUE(validated(from_dense(HostMatrix{{1.0, 0.0}, {0.0, 2.0}}), "m").mirrored);
  CsrMatrix upper = upper_triangle(from_dense(HostMatrix{{1.0, 2.0}, {2.0, 1.0}}), "m");
  EXPECT_FALSE(validated(std::move(upper), "m").mirrored);
  CsrMatrix complex{1, 1, {0, 1}, {0}, {1.0, 0.0}, Storage::full, 2};
  EXPECT_FALSE(validated(std::move(complex), "m").mirrored);
}

}  // namespace
}  // namespace cisolve
