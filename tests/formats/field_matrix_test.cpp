// Host matrices whose elements are complex numbers or quaternions.

#include <limits>

#include "formats/matrix/row_dominance.hpp"
#include "formats/matrix/symmetrize.hpp"
#include "formats/matrix/weighted_sum.hpp"
#include "tests/support/matrices/field_matrices.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

template <class Check>
std::string refusal(Check check) {
  try {
    check();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// 2 × 2 and Hermitian: 1, 2 + 3i; 2 − 3i, 4.
CsrMatrix small() {
  return {2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 0, 2, 3, 2, -3, 4, 0}, Storage::full, 2};
}

CsrMatrix random_pattern(Index n) {
  std::mt19937 engine(2);
  return symmetric_matrix_of_rows(n, [&](Index i) {
    std::vector<Index> row{i};
    for (int e = 0; e < 4; ++e)
      row.push_back(std::uniform_int_distribution<Index>(0, n - 1)(engine));
    return row;
  });
}

CsrMatrix random_hermitian(Index n, int d) {
  return hermitian_part(with_elements(random_pattern(n), d));
}

/// The real form of a whole matrix: its products with the unit vectors.
HostMatrix real_form(const CsrMatrix& a) {
  const Eigen::Index n = Eigen::Index{a.columns} * a.components;
  return field_product(a, HostMatrix::Identity(n, n));
}

TEST(FieldMatrix, ValidateNamesWhatIsWrongWithElements) {
  CsrMatrix a = small();
  validate(a, "m");
  a.values[3] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal([&] { validate(a, "m"); }),
            "m: row 1, column 2 is 2+infi, expected a finite number");
  a = small();
  a.values.pop_back();
  EXPECT_EQ(refusal([&] { validate(a, "m"); }),
            "m: row offsets end at 4, but there are 4 column indices and 7 values, expected 2 an "
            "element");
  a.components = 3;
  EXPECT_EQ(refusal([&] { validate(a, "m"); }), "m: elements of 3 numbers, expected 1, 2 or 4");
}

TEST(FieldMatrix, SortingCarriesAllNumbersOfAnElement) {
  for (const int d : {2, 4}) {
    const CsrMatrix sorted = with_elements(random_pattern(300), d);
    CsrMatrix a = sorted;
    for (Index i = 0; i < a.rows; ++i) {
      const Offset begin = a.row_offsets[i], end = a.row_offsets[i + 1];
      std::reverse(a.column_indices.begin() + begin, a.column_indices.begin() + end);
      for (Offset e = begin; e < end; ++e) {
        std::copy_n(sorted.values.begin() + (begin + end - 1 - e) * d, d, a.values.begin() + e * d);
      }
    }
    ASSERT_NE(a.values, sorted.values);
    sort_rows(a, "m");
    EXPECT_EQ(a.column_indices, sorted.column_indices);
    EXPECT_EQ(a.values, sorted.values);
  }
}

TEST(FieldMatrix, IsSymmetricWhereItIsHermitian) {
  for (const int d : {2, 4}) {
    const CsrMatrix a = random_hermitian(400, d);
    EXPECT_TRUE(is_symmetric(a));
    EXPECT_TRUE(is_exactly_symmetric(a));
    EXPECT_FALSE(is_symmetric(with_elements(random_pattern(400), d)));
    Offset e = a.row_offsets[3];
    if (a.column_indices[e] == 3) ++e;  // off the diagonal
    for (int c = 0; c < d; ++c) {
      CsrMatrix rounded = a;
      rounded.values[c + d * e] *= 1.0 + 1e-14;
      EXPECT_TRUE(is_symmetric(rounded)) << c;
      CsrMatrix other = a;
      other.values[c + d * e] += 0.1;
      EXPECT_FALSE(is_symmetric(other)) << c;
      EXPECT_FALSE(is_exactly_symmetric(other)) << c;
    }
  }
}

TEST(FieldMatrix, AsymmetryIsNamedWithBothElements) {
  CsrMatrix a = small();
  a.values[5] = 3;
  EXPECT_EQ(refusal([&] { require_symmetric(a, "m"); }),
            "m: not Hermitian: row 1, column 2 is 2+3i, but row 2, column 1 is 2+3i");
  EXPECT_EQ(refusal([] {
              require_symmetric({1, 2, {0, 1}, {1}, {1, -2, 3, 4}, Storage::full, 4}, "m");
            }),
            "m: the matrix is 1 × 2, expected a square, Hermitian one");
}

TEST(FieldMatrix, AnImaginaryPartOnTheDiagonalIsAnError) {
  CsrMatrix a = small();
  a.values[7] = -0.5;
  const std::string expected =
      "m: not Hermitian: row 2, column 2 is 4-0.5i, expected a real number on the diagonal";
  EXPECT_EQ(refusal([&] { require_symmetric(a, "m"); }), expected);
  EXPECT_FALSE(is_exactly_symmetric(a));
  const CsrMatrix upper{2, 2, {0, 2, 3}, {0, 1, 1}, {1, 0, 2, 3, 4, -0.5}, Storage::upper, 2};
  EXPECT_EQ(refusal([&] { require_symmetric(upper, "m"); }), expected);
  a.values[7] = 1e-15;
  EXPECT_TRUE(is_symmetric(a));
  EXPECT_FALSE(is_exactly_symmetric(a));
}

TEST(FieldMatrix, AMirrorThatIsMissingCountsAsZero) {
  const CsrMatrix a{2, 2, {0, 2, 3}, {0, 1, 1}, {1, 0, 0, 3, 4, 0}, Storage::full, 2};
  EXPECT_EQ(refusal([&] { require_symmetric(a, "m"); }),
            "m: not Hermitian: row 1, column 2 is 0+3i, but row 2, column 1 is 0+0i");
}

TEST(FieldMatrix, TrianglesRowsAndPartsAreThoseOfTheElements) {
  for (const int d : {2, 4}) {
    const CsrMatrix a = random_hermitian(60, d);
    const HostMatrix whole = real_form(a);
    const CsrMatrix upper = upper_triangle(a, "m");
    validate(upper, "m");
    EXPECT_EQ(upper.components, d);
    EXPECT_EQ(full_nonzeros(upper), a.nonzeros());
    EXPECT_EQ(diagonal(a), diagonal(upper));
    const std::vector<Index> wanted{31, 2, 59, 17};
    const CsrMatrix some = selected_rows(a, wanted);
    validate(some, "m");
    const HostMatrix of_some = real_form(some);
    const HostMatrix part = principal_submatrix(a, wanted);
    ASSERT_EQ(part.rows(), 4 * d);
    EXPECT_EQ(principal_submatrix(upper, wanted), part);
    EXPECT_EQ(part.transpose(), part);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(of_some.middleRows(i * d, d), whole.middleRows(wanted[i] * d, d));
      EXPECT_EQ(diagonal(a)[wanted[i]], whole(wanted[i] * d, wanted[i] * d));
      for (int j = 0; j < 4; ++j) {
        EXPECT_EQ(part.block(i * d, j * d, d, d), whole.block(wanted[i] * d, wanted[j] * d, d, d));
      }
    }
  }
}

TEST(FieldMatrix, FunctionsOfRealMatricesRefuse) {
  const CsrMatrix a = small();
  const HostMatrix x = HostMatrix::Ones(2, 1);
  const std::vector<std::string> refusals{
      refusal([&] { diagonal_blocks(a, 1); }), refusal([&] { symmetrized(a, "m"); }),
      refusal([&] { weighted_sum(1, a, 1, a); }), refusal([&] { RowSums{a}; }),
      refusal([&] { reference_product(a, x); })};
  for (const std::string& words : refusals) {
    EXPECT_NE(words.find(": the elements are complex, expected real ones"), std::string::npos)
        << words;
  }
}

}  // namespace
}  // namespace cisolve
