// Products over the complex numbers and quaternions against products written out by elements.

#include <numeric>

#include "formats/array_sink.hpp"
#include "tests/support/matrices/field_matrices.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Names of formats that take any matrix, and the numbers of an element that they hold.
std::vector<std::tuple<std::string, int>> field_formats() {
  std::vector<std::tuple<std::string, int>> all;
  for (const Format& format : formats()) {
    for (const int d : {2, 4}) {
      if (format.components >= d && !format.symmetric) all.emplace_back(format.name, d);
    }
  }
  return all;
}

/// Rows and columns, empty rows, a row with all columns, and enough work for all threads.
std::vector<CsrMatrix> patterns() {
  std::mt19937 engine(3);
  const auto columns_of = [&](Index columns, int count) {
    std::vector<Index> row(count);
    for (Index& j : row) j = std::uniform_int_distribution<Index>(0, columns - 1)(engine);
    return row;
  };
  std::vector<CsrMatrix> all;
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {20, 50}, {60, 9}}) {
    all.push_back(matrix_of_rows(rows, columns, [&](Index) { return columns_of(columns, 5); }));
  }
  all.push_back(matrix_of_rows(300, 300, [&](Index i) {
    return columns_of(300, i % 3 == 0 ? 0 : static_cast<int>(i % 40));
  }));
  all.push_back(matrix_of_rows(5, 200, [&](Index i) {
    std::vector<Index> every(i == 2 ? 200 : 1);
    std::iota(every.begin(), every.end(), 0);
    return every;
  }));
  all.push_back(matrix_of_rows(9000, 9000, [&](Index) { return columns_of(9000, 12); }));
  return all;
}

class FieldProduct : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  std::string format() const { return std::get<0>(GetParam()); }
  int components() const { return std::get<1>(GetParam()); }
};

TEST_P(FieldProduct, IsThatOfTheElements) {
  const Threads three(3);
  for (const CsrMatrix& pattern : patterns()) {
    const CsrMatrix a = with_elements(pattern, components());
    for (const std::string name : {"cpu", "checked"}) {
      CISOLVE_BACKEND_OR_SKIP(backend, name);
      const auto product_of_a = operator_on(name, backend, format(), a);
      ASSERT_EQ(product_of_a->rows(), a.rows * components());
      ASSERT_EQ(product_of_a->columns(), a.columns * components());
      EXPECT_EQ(product_of_a->components(), components());
      EXPECT_EQ(product_of_a->info().nonzeros, a.nonzeros());
      for (const int k : {1, 2, 3, 4, 5, 6, 7, 8, 11}) {
        const HostMatrix x = random_block(product_of_a->columns(), k, 1);
        const HostMatrix expected = field_product(a, x);
        const double scale = 1e-14 * (1.0 + expected.cwiseAbs().maxCoeff());
        EXPECT_LE((product(backend, *product_of_a, x) - expected).cwiseAbs().maxCoeff(), scale)
            << name << ", " << a.rows << " rows, k = " << k;
      }
    }
  }
}

TEST_P(FieldProduct, IsTheSameOnAGpu) {
  if (find_format(format()).cuda_components < components()) {
    GTEST_SKIP() << format() << " holds real matrices on CUDA";
  }
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  for (const CsrMatrix& pattern : patterns()) {
    const CsrMatrix a = with_elements(pattern, components());
    const auto product_of_a = operator_on("cuda", backend, format(), a);
    for (const int k : {1, 2, 3, 4, 5, 6, 7, 8, 11}) {
      const HostMatrix x = random_block(product_of_a->columns(), k + 2, 1);
      const HostMatrix y = random_block(product_of_a->rows(), k + 3, 2);
      const auto of_x = on(backend, x);
      for (const int first : {1, 2}) {  // aligned to 16 bytes or not
        const HostMatrix part = x.middleCols(first, k), expected = field_product(a, part);
        const double scale = 1e-14 * (1.0 + expected.cwiseAbs().maxCoeff());
        EXPECT_LE((product(backend, *product_of_a, part) - expected).cwiseAbs().maxCoeff(), scale)
            << a.rows << " rows, k = " << k;
        auto of_y = on(backend, y);
        product_of_a->apply(-1.25, of_x.view().slice(first, k), 0.5, of_y.view().slice(2, k));
        const HostMatrix both = -1.25 * expected + 0.5 * y.middleCols(2, k);
        const HostMatrix found = backend.download(of_y.view());
        EXPECT_LE((found.middleCols(2, k) - both).cwiseAbs().maxCoeff(), 2.0 * scale)
            << a.rows << " rows, k = " << k << " from " << first;
        EXPECT_EQ(found.leftCols(2), y.leftCols(2));
      }
    }
  }
}

TEST_P(FieldProduct, IsTheSameByEveryKernelOfAGpu) {
  if (find_format(format()).cuda_components < components()) {
    GTEST_SKIP() << format() << " holds real matrices on CUDA";
  }
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const CsrMatrix a = with_elements(patterns()[3], components());
  const auto product_of_a = operator_on("cuda", backend, format(), a);
  ASSERT_FALSE(product_of_a->kernels().empty());
  for (const int k : {1, 2, 4}) {
    const HostMatrix x = random_block(product_of_a->columns(), k, 1);
    const HostMatrix expected = field_product(a, x);
    const double scale = 1e-14 * (1.0 + expected.cwiseAbs().maxCoeff());
    for (const KernelSettings& kernel : product_of_a->kernels()) {
      product_of_a->use(kernel);
      EXPECT_LE((product(backend, *product_of_a, x) - expected).cwiseAbs().maxCoeff(), scale)
          << k << " vectors, " << kernel.threads_per_row << " lanes, " << kernel.block_threads
          << " threads";
    }
  }
}

TEST_P(FieldProduct, AddsToWhatWasThereInWiderBlocks) {
  const CsrMatrix a = with_elements(patterns()[1], components());
  CISOLVE_BACKEND_OR_SKIP(backend, "cpu");
  const auto product_of_a = operator_on("cpu", backend, format(), a);
  const HostMatrix x = random_block(product_of_a->columns(), 12, 1);
  const HostMatrix y = random_block(product_of_a->rows(), 12, 2);
  for (const int k : {1, 2, 3, 4, 8, 9}) {
    for (const double beta : {0.0, 1.0, -0.5}) {
      const auto of_x = on(backend, x);
      auto of_y = on(backend, beta == 0.0 ? HostMatrix(y * NAN) : y);
      product_of_a->apply(-1.25, of_x.view().slice(2, k), beta, of_y.view().slice(1, k));
      const HostMatrix result = backend.download(of_y.view());
      HostMatrix expected = -1.25 * field_product(a, x.middleCols(2, k));
      if (beta != 0.0) expected += beta * y.middleCols(1, k);
      EXPECT_LE((result.middleCols(1, k) - expected).cwiseAbs().maxCoeff(), 1e-13);
      if (beta == 0.0) continue;
      EXPECT_EQ(result.leftCols(1), y.leftCols(1));
      EXPECT_EQ(result.rightCols(11 - k), y.rightCols(11 - k));
    }
  }
}

TEST_P(FieldProduct, HasTheRealPartsOfTheDiagonalOnceForEveryNumber) {
  const CsrMatrix a = with_elements(patterns()[3], components());
  CISOLVE_BACKEND_OR_SKIP(backend, "checked");
  const auto product_of_a = operator_on("checked", backend, format(), a);
  MultiVector d(backend, product_of_a->rows(), 1);
  product_of_a->diagonal(d.view());
  const HostMatrix found = backend.download(d.view());
  const std::vector<double> of_rows = diagonal(a);
  ASSERT_EQ(found.rows(), a.rows * components());
  int nonzero = 0;
  for (Eigen::Index i = 0; i < found.rows(); ++i) {
    ASSERT_EQ(found(i, 0), of_rows[i / components()]) << i;
    nonzero += found(i, 0) != 0.0;
  }
  EXPECT_GT(nonzero, 0);
}

TEST_P(FieldProduct, TakesTheBytesThatWereForetold) {
  const auto a = std::make_shared<const CsrMatrix>(with_elements(patterns()[3], components()));
  const auto backend = make_cpu_backend();
  EXPECT_EQ(make_operator(format(), a, *backend)->info().bytes,
            find_format(format()).bytes(*a, {}));
}

TEST_P(FieldProduct, IsTheSameByEverySchedule) {
  const CsrMatrix a = with_elements(patterns().back(), components());
  CISOLVE_BACKEND_OR_SKIP(backend, "cpu");
  const auto product_of_a = operator_on("cpu", backend, format(), a);
  const HostMatrix x = random_block(product_of_a->columns(), 2, 1);
  const HostMatrix expected = product(backend, *product_of_a, x);
  const Threads three(3);
  ASSERT_FALSE(product_of_a->kernels().empty());
  for (const KernelSettings& kernel : product_of_a->kernels()) {
    const KernelSettings effective = product_of_a->effective_kernel(kernel, 2);
    EXPECT_EQ(effective.chunk % components(), 0);
    product_of_a->use(kernel);
    EXPECT_EQ(product(backend, *product_of_a, x), expected);
  }
}

TEST_P(FieldProduct, RefusesSinglePrecision) {
  const auto a = std::make_shared<const CsrMatrix>(with_elements(patterns()[1], components()));
  const auto backend = make_cpu_backend();
  FormatOptions options;
  options.off_diagonal = Precision::float32;
  EXPECT_THROW(make_operator(format(), a, *backend, options), InputError);
}

/// Sums of the arrays of elements that a format hands out, number by number.
class ElementSums final : public ArraySink {
 public:
  explicit ElementSums(int components) : sums(components, 0.0) {}
  void array(const std::string& name, ArrayView values,
             const std::vector<std::int64_t>& shape) override {
    const auto* const numbers = std::get_if<std::span<const double>>(&values);
    if (numbers == nullptr) return;
    ASSERT_FALSE(shape.empty()) << name;
    ASSERT_EQ(shape.back(), std::ssize(sums)) << name;
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    EXPECT_EQ(count, std::ssize(*numbers)) << name;
    for (std::size_t i = 0; i < numbers->size(); ++i) sums[i % sums.size()] += (*numbers)[i];
  }
  void scalar(const std::string&, std::int64_t) override {}

  std::vector<double> sums;
};

TEST_P(FieldProduct, HandsOutArraysWithTheNumbersOfAnElementAsTheLastDimension) {
  const CsrMatrix a = with_elements(patterns()[3], components());
  ElementSums found(components());
  dump_arrays(find_format(format()), a, {}, found);
  for (int c = 0; c < components(); ++c) {
    double sum = 0.0;
    for (Offset e = 0; e < a.nonzeros(); ++e) sum += a.values[e * components() + c];
    EXPECT_NEAR(found.sums[c], sum, 1e-10) << c;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FieldProduct, ::testing::ValuesIn(field_formats()),
                         [](const auto& test) {
                           return std::get<0>(test.param) +
                                  (std::get<1>(test.param) == 2 ? "_complex" : "_quaternions");
                         });

TEST(FieldFormats, OthersRefuseAndNameThoseThatCan) {
  CsrMatrix pattern = symmetric_matrix_of_rows(30, [](Index i) { return std::vector<Index>{i}; });
  const auto backend = make_cpu_backend();
  for (const int components : {2, 4}) {
    const auto a = std::make_shared<const CsrMatrix>(with_elements(pattern, components));
    for (const Format& format : formats()) {
      if (format.components >= components || format.cpu == nullptr) continue;
      try {
        make_operator(format.name, a, *backend);
        ADD_FAILURE() << format.name;
      } catch (const InputError& error) {
        const std::string expected =
            "format " + format.name + ": holds real " +
            (format.components == 2 ? "and complex matrices" : "matrices") + "; of " +
            (components == 2 ? "complex numbers" : "quaternions") + ": csr";
        EXPECT_TRUE(std::string(error.what()).starts_with(expected)) << error.what();
      }
    }
  }
}

TEST(FieldFormats, OthersRefuseOnAGpuAndNameThoseThatCan) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const CsrMatrix pattern =
      symmetric_matrix_of_rows(30, [](Index i) { return std::vector<Index>{i}; });
  const auto a = std::make_shared<const CsrMatrix>(with_elements(pattern, 2));
  for (const Format& format : formats()) {
    if (format.cuda_components > 1 || format.cuda == nullptr) continue;
    try {
      make_operator(format.name, a, backend);
      ADD_FAILURE() << format.name;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what())
                      .starts_with("format " + format.name +
                                   ": holds real matrices on CUDA; of complex numbers: csr"))
          << error.what();
    }
  }
}

}  // namespace
}  // namespace cisolve
