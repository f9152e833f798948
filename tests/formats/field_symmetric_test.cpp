// The format of half a matrix over the complex numbers and quaternions: the other half by
// conjugation.

#include <random>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/csr_symmetric/csr_symmetric.hpp"
#include "tests/support/matrices/field_matrices.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Hermitian, rows of 0 to 2·longest entries, some without any.
CsrMatrix hermitian_matrix(Index n, int longest, int d) {
  std::mt19937 engine(7);
  const CsrMatrix pattern = symmetric_matrix_of_rows(n, [&](Index i) {
    std::vector<Index> row(i % 7 == 0 ? 0 : engine() % (longest + 1));
    for (Index& j : row) j = static_cast<Index>(engine() % n);
    return row;
  });
  return hermitian_part(with_elements(pattern, d));
}

CsrMatrix one_element(int d) {
  CsrMatrix a{1, 1, {0, 1}, {0}, {2.5}};
  a.components = d;
  a.values.resize(d, 0.0);
  return a;
}

FormatOptions deterministic() {
  FormatOptions options;
  options.deterministic = true;
  return options;
}

/// Largest error relative to the largest number.
double relative_error(const HostMatrix& found, const HostMatrix& expected) {
  return (found - expected).cwiseAbs().maxCoeff() / (1e-300 + expected.cwiseAbs().maxCoeff());
}

class FieldSymmetric : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  std::string backend_name() const { return std::get<0>(GetParam()); }
  int components() const { return std::get<1>(GetParam()); }
};

TEST_P(FieldSymmetric, ProductsAreThoseOfTheWholeMatrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const Threads three(3);
  for (const CsrMatrix& a : {one_element(components()), hermitian_matrix(90, 3, components()),
                             hermitian_matrix(700, 60, components())}) {
    for (const FormatOptions& options : {FormatOptions(), deterministic()}) {
      const auto half = operator_on(backend_name(), backend, "csr_symmetric", a, options);
      EXPECT_EQ(half->components(), components());
      EXPECT_EQ(half->rows(), a.rows * components());
      EXPECT_EQ(half->info().nonzeros, a.nonzeros());
      EXPECT_EQ(half->info().bytes, find_format("csr_symmetric").bytes(a, options));
      for (const int k : {1, 2, 3, 4, 5, 8, 11}) {
        SCOPED_TRACE(std::to_string(a.rows) + " rows, k = " + std::to_string(k));
        const HostMatrix x = random_block(half->columns(), k + 2, 1);
        const HostMatrix y0 = random_block(half->rows(), k + 3, 2);
        const HostMatrix expected = field_product(a, x.middleCols(1, k));
        EXPECT_LE(relative_error(product(backend, *half, x.middleCols(1, k)), expected), 1e-14);
        const auto of_x = on(backend, x);
        auto y = on(backend, y0);
        half->apply(-1.25, of_x.view().slice(1, k), 0.5, y.view().slice(2, k));
        const HostMatrix found = backend.download(y.view());
        const HostMatrix both = -1.25 * expected + 0.5 * y0.middleCols(2, k);
        EXPECT_LE(relative_error(found.middleCols(2, k), both), 1e-14);
        EXPECT_EQ(found.leftCols(2), y0.leftCols(2));
        EXPECT_EQ(found.rightCols(1), y0.rightCols(1));
      }
    }
  }
}

TEST_P(FieldSymmetric, TheTriangleAndTheWholeMatrixGiveTheSameBits) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = hermitian_matrix(400, 20, components());
  const auto whole = operator_on(backend_name(), backend, "csr_symmetric", a, deterministic());
  const auto triangle = operator_on(backend_name(), backend, "csr_symmetric",
                                    upper_triangle(a, "a"), deterministic());
  EXPECT_EQ(triangle->info().nonzeros, a.nonzeros());
  EXPECT_EQ(triangle->info().bytes, whole->info().bytes);
  EXPECT_LT(2 * triangle->info().bytes, 1.1 * CsrMatrix::bytes(400, a.nonzeros(), components()));
  for (const int k : {1, 3, 4}) {
    const HostMatrix x = random_block(whole->columns(), k, 1), y = product(backend, *whole, x);
    for (int repeat = 0; repeat < 5; ++repeat) {
      ASSERT_EQ(product(backend, *whole, x), y);
      ASSERT_EQ(product(backend, *triangle, x), y);
    }
  }
}

TEST_P(FieldSymmetric, FixedPointKeepsItsBoundWhateverTheSizeOfTheNumbers) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  for (const double matrix_scale : {1e-100, 1.0, 1e100}) {
    CsrMatrix a = hermitian_matrix(300, 20, components());
    for (double& value : a.values) value *= matrix_scale;
    const auto fixed = operator_on(backend_name(), backend, "csr_symmetric", a, deterministic());
    for (const double vector_scale : {1e-150, 1.0, 1e150}) {
      HostMatrix x = vector_scale * random_block(fixed->columns(), 2, 6);
      x.col(1) *= 1e-8;  // each vector has its own quantum
      const HostMatrix y = product(backend, *fixed, x), expected = field_product(a, x);
      for (int j = 0; j < 2; ++j) {
        EXPECT_LE(relative_error(y.col(j), expected.col(j)), 1e-14)
            << matrix_scale << " " << vector_scale << " " << j;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, FieldSymmetric,
                         ::testing::Combine(::testing::Values("cpu", "checked", "cuda"),
                                            ::testing::Values(2, 4)),
                         [](const auto& test) {
                           return std::get<0>(test.param) +
                                  (std::get<1>(test.param) == 2 ? "_complex" : "_quaternions");
                         });

TEST(FieldSymmetricFormat, BuffersHaveAllNumbersOfAnElement) {
  for (const int d : {2, 4}) {
    const CsrMatrix upper = upper_triangle(hermitian_matrix(500, 30, d), "a");
    const SymmetricPartition p = partition_rows(upper, 4);
    EXPECT_EQ(p.components, d);
    EXPECT_EQ(p.scratch_bytes(), 8u * p.width * d * p.buffer_offsets.back());
    CsrMatrix outline = upper;
    outline.column_indices = {};
    outline.values = {};
    const Threads four(4);
    EXPECT_EQ(find_format("csr_symmetric").scratch(outline, {}, BackendKind::cpu, 4),
              p.scratch_bytes());
  }
}

TEST(FieldSymmetricFormat, RowSumsBoundEveryNumberOfAProduct) {
  for (const int d : {2, 4}) {
    const CsrMatrix a = hermitian_matrix(50, 10, d);
    const double bound = largest_row_sum(upper_triangle(a, "a"));
    const HostMatrix form = field_product(a, HostMatrix::Identity(50 * d, 50 * d));
    EXPECT_NEAR(form.cwiseAbs().rowwise().sum().maxCoeff(), bound, 1e-13 * bound);
  }
}

TEST(FieldSymmetricFormat, RefusesWhatIsNotHermitian) {
  const auto backend = make_cpu_backend();
  CsrMatrix a{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 0, 2, 3, 2, 3, 4, 0}, Storage::full, 2};
  try {
    operator_on("cpu", *backend, "csr_symmetric", a);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("not Hermitian: row 1, column 2 is 2+3i"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace cisolve
