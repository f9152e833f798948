// The typical size of a matrix's rows: it goes with the matrix, not with a shift or an outlier.
#include "app/solve/eigen/matrix_scale.hpp"

#include <cmath>
#include <limits>

#include "core/dense/host_matrix.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

double scale_of_csr(const CsrMatrix& a) {
  const auto backend = make_backend("cpu");
  return scale_of(Units::none, *operator_on("cpu", *backend, "csr", a), *backend);
}

HostMatrix laplacian(int n) {
  HostMatrix a = 2.0 * HostMatrix::Identity(n, n);
  for (int i = 0; i + 1 < n; ++i) a(i, i + 1) = a(i + 1, i) = -1.0;
  return a;
}

TEST(MatrixScale, GoesWithTheMatrix) {
  const HostMatrix a = to_dense(ci_like_matrix(200, 6, 1));
  const double scale = scale_of_csr(from_dense(a));
  EXPECT_GT(scale, 1e-2);
  EXPECT_LT(scale, 1e2);
  for (const int s : {-500, -60, -1, 1, 60, 500}) {
    EXPECT_EQ(scale_of_csr(from_dense(std::ldexp(1.0, s) * a)), std::ldexp(scale, s)) << s;
  }
}

TEST(MatrixScale, IsAPowerOfTwo) {
  int exponent = 0;
  EXPECT_EQ(std::frexp(scale_of_csr(from_dense(1e-18 * laplacian(100))), &exponent), 0.5);
  EXPECT_NEAR(exponent - 1, -60, 1);  // 2⁻⁶⁰ = 0.9e-18
}

/// Two equal neighbours of opposite signs leave rounding where signs alone are random.
TEST(MatrixScale, OfAChainIsItsHopping) {
  for (const int n : {100, 200, 501}) {
    HostMatrix a = HostMatrix::Zero(n, n);
    for (int i = 0; i + 1 < n; ++i) a(i, i + 1) = a(i + 1, i) = i % 2 != 0 ? 0.3 : 0.1 + 0.2;
    const double scale = scale_of_csr(from_dense(a));
    EXPECT_GT(scale, 0.05) << n;
    EXPECT_LT(scale, 1.0) << n;
  }
}

TEST(MatrixScale, IsThatOfTheMatrixWithoutAShift) {
  const HostMatrix a = laplacian(300), one = HostMatrix::Identity(300, 300);
  EXPECT_EQ(scale_of_csr(from_dense(a + 1e6 * one)), scale_of_csr(from_dense(a)));
  EXPECT_EQ(scale_of_csr(from_dense(a - 2.0 * one)), scale_of_csr(from_dense(a)));
}

TEST(MatrixScale, OfAFewHugeOrTinyRowsIsThatOfTheOthers) {
  const HostMatrix a = laplacian(300);
  for (const double element : {1e17, -1e17, 1e-30, 0.0}) {
    HostMatrix b = a;
    for (const int i : {0, 100, 299}) b(i, i) = element;
    EXPECT_EQ(scale_of_csr(from_dense(b)), scale_of_csr(from_dense(a))) << element;
  }
}

TEST(MatrixScale, OfAMultipleOfTheIdentityIsTheMultiple) {
  EXPECT_EQ(scale_of_csr(from_dense(-8e-20 * HostMatrix::Identity(9, 9))), std::exp2(-64));
  EXPECT_EQ(scale_of_csr(from_dense(HostMatrix::Zero(9, 9))), 1.0);
  // Differences of rounding between equal elements are no size.
  HostMatrix a = HostMatrix::Identity(9, 9);
  a(3, 3) = std::nextafter(1.0, 2.0);
  EXPECT_EQ(scale_of_csr(from_dense(a)), 1.0);
}

TEST(MatrixScale, LeavesItsMillionthAboveRounding) {
  HostMatrix a = 2.0 * HostMatrix::Identity(400, 400);
  for (int i = 0; i < 400; ++i) a(i, i) += 1e-9 * std::sin(i);
  EXPECT_GE(1e-6 * scale_of_csr(from_dense(a)), 32.0 * std::numeric_limits<double>::epsilon());
}

/// A millionth of its size, the tolerance, would be more than its eigenvalues.
TEST(MatrixScale, RefusesElementsTooSmallForAUnit) {
  EXPECT_TRUE(std::isfinite(1.0 / scale_of_csr(from_dense(1e-300 * laplacian(60)))));
  EXPECT_THROW(scale_of_csr(from_dense(1e-312 * laplacian(60))), InputError);
}

TEST(MatrixScale, OfEnergiesIsAHartree) {
  const auto backend = make_backend("cpu");
  const auto a = operator_on("cpu", *backend, "csr", from_dense(1e-18 * laplacian(9)));
  EXPECT_EQ(scale_of(Units::hartree, *a, *backend), 1.0);
  EXPECT_EQ(scale_of(Units::electronvolt, *a, *backend), 16.0);
  EXPECT_EQ(scale_of(Units::wavenumber, *a, *backend), 131072.0);
}

}  // namespace
}  // namespace cisolve
