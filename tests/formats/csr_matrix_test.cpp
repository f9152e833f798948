#include "formats/matrix/csr_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using cisolve::testing::from_dense;
using cisolve::testing::random_symmetric;

/// 4 × 4: an empty row, a full one, a zero on the diagonal.
CsrMatrix example() {
  HostMatrix a(4, 4);
  a << 1, 0, 2, 0,  //
      0, 0, 0, 0,   //
      3, 4, 5, 6,   //
      0, 7, 0, 0;
  return from_dense(a);
}

template <class Check>
std::string error_of(Check check) {
  try {
    check();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string fault(const CsrMatrix& a) {
  return error_of([&] { validate(a, "m"); });
}

TEST(CsrMatrix, BytesAreThoseOfTheThreeArrays) {
  EXPECT_EQ(CsrMatrix::bytes(4, 7), 5 * 8 + 7 * 12u);
  EXPECT_EQ(CsrMatrix::bytes(1, Offset{1} << 33), 16 + (std::size_t{12} << 33));
}

TEST(CsrMatrix, RowStatisticsOfAnExampleCountedByHand) {
  const RowStatistics s = row_statistics(example());
  EXPECT_EQ(s.minimum, 0);
  EXPECT_EQ(s.maximum, 4);
  EXPECT_EQ(s.mean, 7 / 4.0);
  EXPECT_EQ(s.longest_row, 2);
}

TEST(CsrMatrix, TheLongestRowIsTheFirstOfThem) {
  EXPECT_EQ(row_statistics(from_dense(HostMatrix::Identity(5000, 5000))).longest_row, 0);
}

TEST(CsrMatrix, ValidateTakesConsistentArrays) {
  EXPECT_EQ(fault(example()), "no error");
  EXPECT_EQ(fault(from_dense(HostMatrix::Zero(3, 2))), "no error");
}

TEST(CsrMatrix, ValidateNamesTheFirstOffence) {
  CsrMatrix a = example();
  a.column_indices[5] = 4;
  EXPECT_EQ(fault(a), "m: row 3, column 5 lies outside the 4 × 4 matrix");
  a.column_indices[0] = -1;
  EXPECT_EQ(fault(a), "m: row 1, column 0 lies outside the 4 × 4 matrix");
}

TEST(CsrMatrix, ValidateRefusesWhatBreaksTheOrderOfColumns) {
  CsrMatrix a = example();
  a.column_indices[3] = 0;
  EXPECT_EQ(fault(a), "m: row 3, column 1 is given twice");
  a.column_indices[2] = 2;
  EXPECT_EQ(fault(a), "m: row 3, column 1 follows column 3, expected ascending columns");
}

TEST(CsrMatrix, ValidateRefusesValuesThatAreNotFinite) {
  CsrMatrix a = example();
  a.values[6] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fault(a), "m: row 4, column 2 is nan, expected a finite number");
  a.values[1] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(fault(a), "m: row 1, column 3 is -inf, expected a finite number");
}

TEST(CsrMatrix, ValidateRefusesInconsistentOffsets) {
  CsrMatrix a = example();
  a.row_offsets[0] = 1;
  EXPECT_EQ(fault(a), "m: the first row offset is 1, expected 0");
  a = example();
  a.row_offsets[1] = 3;
  EXPECT_EQ(fault(a), "m: row offsets descend after row 2: 3, then 2");
  a = example();
  a.row_offsets[2] = std::numeric_limits<Offset>::min();
  EXPECT_NE(fault(a).find("row offsets descend after row 2"), std::string::npos);
  a = example();
  a.row_offsets[4] = 8;
  EXPECT_EQ(fault(a), "m: row offsets end at 8, but there are 7 column indices and 7 values");
  a = example();
  a.row_offsets.pop_back();
  EXPECT_EQ(fault(a), "m: 4 row offsets, expected rows + 1 = 5");
  EXPECT_EQ(fault(CsrMatrix{}), "m: the matrix is 0 × 0, expected at least one row and column");
}

TEST(CsrMatrix, SortRowsOrdersColumnsAndCarriesTheirValues) {
  const CsrMatrix sorted = from_dense(random_symmetric(700, 0.1));
  CsrMatrix a = sorted;
  std::mt19937_64 random(1);
  for (Index i = 0; i < a.rows; i += 2) {  // every other row is shuffled
    const Offset begin = a.row_offsets[i];
    for (Offset k = a.row_length(i) - 1; k > 0; --k) {
      const Offset other = std::uniform_int_distribution<Offset>(0, k)(random);
      std::swap(a.column_indices[begin + k], a.column_indices[begin + other]);
      std::swap(a.values[begin + k], a.values[begin + other]);
    }
  }
  ASSERT_NE(a.column_indices, sorted.column_indices);
  sort_rows(a, "m");
  EXPECT_EQ(a.column_indices, sorted.column_indices);
  EXPECT_EQ(a.values, sorted.values);
}

TEST(CsrMatrix, SortRowsRefusesInconsistentOffsets) {
  CsrMatrix a = example();
  a.row_offsets[1] = 100;
  EXPECT_THROW(sort_rows(a, "m"), InputError);
}

TEST(CsrMatrix, ValidateSeesEveryPlaceOfALongRow) {
  const CsrMatrix right = from_dense(HostMatrix::Ones(2, 100));
  EXPECT_EQ(fault(right), "no error");
  for (int e = 0; e < 100; ++e) {
    CsrMatrix a = right;
    a.values[100 + e] = e % 2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                   : std::numeric_limits<double>::infinity();
    EXPECT_NE(fault(a).find("row 2, column " + std::to_string(e + 1) + " is"), std::string::npos);
    a = right;
    a.column_indices[100 + e] = e == 99 ? 100 : e + 1;
    EXPECT_NE(fault(a), "no error") << e;
    a.column_indices[100 + e] = e - 1;
    EXPECT_NE(fault(a), "no error") << e;
  }
}

TEST(CsrMatrix, DiagonalIsZeroWhereNothingIsStored) {
  EXPECT_EQ(diagonal(example()), (std::vector<double>{1, 0, 5, 0}));
  const HostMatrix dense = random_symmetric(3000, 0.01);
  const std::vector<double> d = diagonal(from_dense(dense));
  for (Index i = 0; i < 3000; ++i) ASSERT_EQ(d[i], dense(i, i));
}

TEST(CsrMatrix, PrincipalSubmatrixKeepsTheOrderOfItsRows) {
  const std::vector<Index> rows{3, 0, 2};
  HostMatrix expected(3, 3);
  expected << 0, 0, 0,  //
      0, 1, 2,          //
      6, 3, 5;
  EXPECT_EQ(principal_submatrix(example(), rows), expected);
  EXPECT_EQ(principal_submatrix(example(), {}).size(), 0);
}

TEST(CsrMatrix, PrincipalSubmatrixOfARandomMatrixIsThatOfTheDenseOne) {
  const HostMatrix dense = random_symmetric(900, 0.05);
  std::vector<Index> rows(300);
  std::mt19937_64 random(2);
  std::set<Index> taken;
  while (taken.size() < rows.size()) taken.insert(static_cast<Index>(random() % 900));
  std::copy(taken.begin(), taken.end(), rows.begin());
  std::shuffle(rows.begin(), rows.end(), random);
  EXPECT_EQ(principal_submatrix(from_dense(dense), rows), HostMatrix(dense(rows, rows)));
  EXPECT_EQ(principal_submatrix(upper_triangle(from_dense(dense), "m"), rows),
            HostMatrix(dense(rows, rows)));
}

TEST(CsrMatrix, TheUpperTriangleHoldsTheDiagonalAndWhatIsAboveIt) {
  const CsrMatrix a = from_dense(HostMatrix{{1, 2, 0}, {2, 0, 3}, {0, 3, 4}});
  const CsrMatrix upper = upper_triangle(a, "m");
  EXPECT_EQ(upper.storage, Storage::upper);
  EXPECT_EQ(upper.row_offsets, (Array<Offset>{0, 2, 3, 4}));
  EXPECT_EQ(upper.column_indices, (Array<Index>{0, 1, 2, 2}));
  EXPECT_EQ(upper.values, (Array<double>{1, 2, 3, 4}));
  EXPECT_EQ(full_nonzeros(upper), a.nonzeros());
  EXPECT_EQ(full_nonzeros(a), a.nonzeros());
  EXPECT_EQ(diagonal(upper), diagonal(a));
  validate(upper, "m");
}

TEST(CsrMatrix, TheUpperTriangleOfAnAsymmetricMatrixIsRefused) {
  HostMatrix dense = random_symmetric(50, 0.2);
  dense(3, 5) = 1.0;
  dense(5, 3) = 2.0;
  try {
    upper_triangle(from_dense(dense), "m");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "m: not symmetric: row 4, column 6 is 1, but row 6, column 4 is 2; "
              "input.symmetrize takes (A + Aᵀ)/2 in its place");
  }
}

TEST(CsrMatrix, AnUpperTriangleIsRefusedWhereTheWholeMatrixIsNeededAndBelowItsDiagonal) {
  CsrMatrix upper = upper_triangle(from_dense(random_symmetric(20, 0.3)), "m");
  EXPECT_THROW(require_full(upper, "somebody"), InputError);
  EXPECT_TRUE(is_symmetric(upper));
  EXPECT_THROW(is_exactly_symmetric(upper), InputError);
  const CsrMatrix lower{2, 2, {0, 1, 3}, {0, 0, 1}, {1, 2, 3}, Storage::upper};
  EXPECT_THROW(validate(lower, "m"), InputError);
}

}  // namespace
}  // namespace cisolve
