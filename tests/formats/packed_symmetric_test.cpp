// The packed triangle beside what tests/formats/product_test.cpp asks of every format.
#include "formats/packed_symmetric/packed_symmetric.hpp"

#include <algorithm>
#include <cmath>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/csr_symmetric/csr_symmetric.hpp"
#include "formats/packed/plan.hpp"
#include "formats/reference.hpp"
#include "tests/support/matrices/matrix_files.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// ± one of 40 numbers where `codes`, so that the triangle is packed in codes; else all differ.
CsrMatrix matrix(Index rows, int per_row, bool codes) {
  CsrMatrix a = ci_like_matrix(rows, per_row, 5);
  if (codes) {
    for (double& value : a.values) value = std::copysign(std::ceil(40 * std::abs(value)), value);
  }
  return a;
}

HostMatrix product(Backend& backend, const LinearOperator& a, const HostMatrix& x, double alpha,
                   double beta, const HostMatrix& y) {
  auto result = on(backend, y);
  a.apply(alpha, on(backend, x).view(), beta, result.view());
  return backend.download(result.view());
}

class PackedSymmetric : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Backends, PackedSymmetric, ::testing::Values("cpu", "checked", "cuda"),
                         [](const auto& p) { return p.param; });

TEST_P(PackedSymmetric, ProductsOverPartsAndWindowsAreThoseOfTheWholeMatrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const Threads five(5);
  for (const bool codes : {true, false}) {
    const CsrMatrix a = matrix(7000, 12, codes);
    const auto whole = operator_on(GetParam(), backend, "packed_symmetric", a);
    const auto triangle =
        operator_on(GetParam(), backend, "packed_symmetric", upper_triangle(a, "a"));
    for (const int k : {1, 2, 5, 9}) {
      const HostMatrix x = random_block(a.columns, k, 3), y = random_block(a.rows, k, 4);
      const HostMatrix expected = -2.0 * reference_product(a, x) + 0.5 * y;
      for (const LinearOperator* made : {whole.get(), triangle.get()}) {
        const HostMatrix found = product(backend, *made, x, -2.0, 0.5, y);
        EXPECT_LE((found - expected).norm(), 1e-14 * expected.norm()) << codes << ", k = " << k;
      }
    }
    EXPECT_EQ(whole->info().nonzeros, a.nonzeros());
    EXPECT_EQ(triangle->info().nonzeros, a.nonzeros());
    const auto packed = operator_on(GetParam(), backend, "packed", a);
    EXPECT_LT(whole->info().bytes, 0.6 * packed->info().bytes) << whole->info().layout;
    EXPECT_EQ(whole->info().bytes, find_format("packed_symmetric").bytes(a, {}));
  }
}

/// A triangle whose rows have columns of four clusters, farther apart than an offset reaches: a
/// step takes a quarter of a slice's rows.
CsrMatrix far_triangle() {
  constexpr Index rows = 800'000, filled = 16'384, apart = 70'000;
  CsrMatrix upper{rows, rows, {0}, {}, {}, Storage::upper};
  for (Index i = 0; i < rows; ++i) {
    if (i < filled) {
      upper.column_indices.push_back(i);
      for (Index n = 0; n < 3; ++n) {
        upper.column_indices.push_back(20'000 + (4 * n + i % 4) * apart + i / 4);
      }
      for (const double value : {2.0, -0.5, 0.25, 0.75}) upper.values.push_back(value);
    }
    upper.row_offsets.push_back(static_cast<Offset>(upper.values.size()));
  }
  return upper;
}

TEST_P(PackedSymmetric, OfFarColumnsIsCsrSymmetricsProduct) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = far_triangle();
  const auto packed = operator_on(GetParam(), backend, "packed_symmetric", a);
  EXPECT_NE(packed->info().layout.find("coded_far"), std::string::npos) << packed->info().layout;
  const auto csr = operator_on(GetParam(), backend, "csr_symmetric", a);
  for (const int k : {1, 3}) {
    const HostMatrix x = random_block(a.columns, k, 3), y = random_block(a.rows, k, 4);
    const HostMatrix expected = product(backend, *csr, x, 1.0, 0.0, y);
    EXPECT_LE((product(backend, *packed, x, 1.0, 0.0, y) - expected).norm(),
              1e-14 * expected.norm());
  }
}

TEST_P(PackedSymmetric, MatricesThatAreNotSymmetricOrNotRealAreRefused) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1.0, 2.0, 3.0, 1.0}};
  try {
    operator_on(GetParam(), backend, "packed_symmetric", a);
    ADD_FAILURE() << "a matrix that is not symmetric was taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("format packed_symmetric"), std::string::npos);
  }
  CsrMatrix complex{1, 1, {0, 1}, {0}, {1.0, 0.0}};
  complex.components = 2;
  EXPECT_THROW(operator_on(GetParam(), backend, "packed_symmetric", complex), InputError);
}

TEST(PackedSymmetricParts, BeginAtWholeWindows) {
  const CsrMatrix upper = upper_triangle(matrix(9000, 5, true), "a");
  const SymmetricPartition parts = partition_rows(upper, 4, packed_window);
  EXPECT_EQ(parts.parts(), 4);
  EXPECT_EQ(parts.starts.back(), 9000);
  EXPECT_TRUE(std::ranges::is_sorted(parts.starts));
  for (int p = 0; p < parts.parts(); ++p) EXPECT_EQ(parts.starts[p] % packed_window, 0);
  EXPECT_GT(parts.starts[1], 0);
}

}  // namespace
}  // namespace cisolve
