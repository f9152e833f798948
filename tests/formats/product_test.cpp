// Every storage format on every backend against the serial reference; the registry of formats.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/hybrid/hybrid.hpp"
#include "formats/reference.hpp"
#include "tests/support/matrices/product_shapes.hpp"
#include "tests/support/one_thread.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

struct Configuration {
  std::string format;
  FormatOptions options;
  std::string name;
};

void PrintTo(const Configuration& configuration, std::ostream* out) {
  *out << configuration.name;
}

std::vector<Configuration> configurations() {
  std::vector<Configuration> all;
  for (const Format& format : formats()) all.push_back({format.name, {}, format.name});
  using By = Boundary::By;
  all.push_back({"hybrid", {{By::count, 0}}, "hybrid_count_0"});
  all.push_back({"hybrid", {{By::count, 5}}, "hybrid_count_5"});
  all.push_back({"hybrid", {{By::column, 1}}, "hybrid_column_1"});
  all.push_back({"hybrid", {{By::column, 9}}, "hybrid_column_9"});
  FormatOptions deterministic;
  deterministic.deterministic = true;
  all.push_back({"csr_symmetric", deterministic, "csr_symmetric_deterministic"});
  return all;
}

class Product : public ::testing::TestWithParam<std::tuple<std::string, Configuration>> {
 protected:
  void SetUp() override {
    if (backend_name() == "cuda") return;
    const std::string reason =
        unavailable_reason(find_format(configuration().format), BackendKind::cpu);
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  const std::string& backend_name() const { return std::get<0>(GetParam()); }
  const Configuration& configuration() const { return std::get<1>(GetParam()); }

  const std::vector<Shape>& shapes() const {
    return find_format(configuration().format).symmetric ? symmetric_shapes() : general_shapes();
  }
  bool in_fixed_point() const {
    return configuration().options.deterministic && backend_name() == "cuda";
  }

  std::unique_ptr<LinearOperator> make(Backend& backend, const CsrMatrix& a) const {
    return operator_on(backend_name(), backend, configuration().format, a, configuration().options);
  }
  /// |y − reference| stays within the rounding of a sum of that many terms and, where the sums are
  /// in fixed point, that of a row of multiples of 2^-61 max_i Σ_j |a_ij| max_j |x_j|.
  void expect_close(const HostMatrix& y, const CsrMatrix& a, const HostMatrix& x,
                    const HostMatrix& expected, double alpha) const {
    const double row_sum =
        in_fixed_point() ? reference_magnitude(a, HostMatrix::Ones(a.columns, 1)).maxCoeff() : 0.0;
    const Eigen::RowVectorXd largest = x.cwiseAbs().colwise().maxCoeff();
    const HostMatrix scale = std::abs(alpha) * reference_magnitude(a, x);
    for (Index i = 0; i < a.rows; ++i) {
      const double terms = 4.0 + std::sqrt(static_cast<double>(a.row_length(i)));
      for (Eigen::Index j = 0; j < x.cols(); ++j) {
        const double entries = 1.0 + static_cast<double>(a.row_length(i));
        const double bound = std::numeric_limits<double>::epsilon() *
                                 (terms * scale(i, j) + 4.0 * std::abs(expected(i, j))) +
                             0x1p-62 * std::abs(alpha) * entries * row_sum * largest[j];
        ASSERT_LE(std::abs(y(i, j) - expected(i, j)), bound) << "row " << i << ", vector " << j;
      }
    }
  }
};

TEST_P(Product, equals_the_serial_reference_for_every_shape_and_block_width) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  for (const Shape& shape : shapes()) {
    const auto a = make(backend, shape.matrix);
    for (const int k : {1, 2, 3, 4, 5, 6, 7, 8, 13}) {
      SCOPED_TRACE(shape.name + ", k = " + std::to_string(k));
      const HostMatrix x = random_block(shape.matrix.columns, k, 11);
      const auto device_x = on(backend, x);
      auto y = on(backend, HostMatrix::Constant(shape.matrix.rows, k, std::nan("")));
      a->apply(1.0, device_x.view(), 0.0, y.view());
      expect_close(backend.download(y.view()), shape.matrix, x, reference_product(shape.matrix, x),
                   1.0);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Product, of_a_matrix_larger_than_caches_equals_the_serial_reference) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const HostMatrix dense = random_block(1300, 1300, 3);  // 20 MB in csr
  const CsrMatrix a = from_dense(dense + dense.transpose());
  const auto stored = make(backend, a);
  for (const int k : {1, 3}) {
    const HostMatrix x = random_block(a.columns, k, 11);
    const auto device_x = on(backend, x);
    auto y = on(backend, HostMatrix::Constant(a.rows, k, std::nan("")));
    stored->apply(1.0, device_x.view(), 0.0, y.view());
    expect_close(backend.download(y.view()), a, x, reference_product(a, x), 1.0);
  }
}

TEST_P(Product, of_a_matrix_times_a_power_of_two_is_the_product_times_that) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  for (const Shape& shape : shapes()) {
    const HostMatrix x = random_block(shape.matrix.columns, 3, 11);
    const auto device_x = on(backend, x);
    const auto product = [&](double factor) {
      CsrMatrix scaled = shape.matrix;
      for (double& value : scaled.values) value *= factor;
      auto y = on(backend, HostMatrix::Constant(shape.matrix.rows, 3, std::nan("")));
      make(backend, scaled)->apply(1.0, device_x.view(), 0.0, y.view());
      return HostMatrix(backend.download(y.view()) / factor);
    };
    const HostMatrix y = product(1.0);
    for (const double factor : {0x1p-50, 0x1p50}) {
      // Sums of csr_symmetric and others may be in any order on a device.
      if (backend_name() == "cuda" && !configuration().options.deterministic) {
        ASSERT_LE((product(factor) - y).norm(), 1e-13 * y.norm()) << shape.name;
      } else {
        ASSERT_EQ(product(factor), y) << shape.name;
      }
    }
  }
}

/// The root mean square, over the vectors, of the norms of what a product is off by.
double mean_error(const HostMatrix& y, const HostMatrix& exact) {
  return (y - exact).norm() / std::sqrt(static_cast<double>(exact.cols()));
}

/// The largest error of a serial product, in the order of the columns and in three others. If one
/// row is nearly all of the matrix, a single sum counts, and in one order it may by luck err
/// several times less than in another.
double serial_error(const CsrMatrix& a, const HostMatrix& x, const HostMatrix& exact) {
  double largest = mean_error(reference_product(a, x), exact);
  std::mt19937 engine(23);
  for (int order = 0; order < 3; ++order) {
    CsrMatrix shuffled = a;
    std::vector<Offset> entries;
    for (Index i = 0; i < a.rows; ++i) {
      entries.resize(a.row_length(i));
      std::iota(entries.begin(), entries.end(), a.row_offsets[i]);
      std::ranges::shuffle(entries, engine);
      for (std::size_t e = 0; e < entries.size(); ++e) {
        shuffled.column_indices[a.row_offsets[i] + e] = a.column_indices[entries[e]];
        shuffled.values[a.row_offsets[i] + e] = a.values[entries[e]];
      }
    }
    largest = std::max(largest, mean_error(reference_product(shuffled, x), exact));
  }
  return largest;
}

TEST_P(Product, errs_at_most_four_times_as_much_as_the_serial_product) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  if (in_fixed_point()) GTEST_SKIP() << "fixed point keeps a bound of its own, tested above";
  for (const Shape& shape : shapes()) {
    const auto a = make(backend, shape.matrix);
    // Means over the same eight vectors on both sides, one by one and all at once.
    const HostMatrix x = random_block(shape.matrix.columns, 8, 17);
    const HostMatrix exact = extended_product(shape.matrix, x);
    const double serial = serial_error(shape.matrix, x, exact);
    // No kernel need be better than one rounding.
    const double rounding = 0.5 * std::numeric_limits<double>::epsilon() *
                            mean_error(HostMatrix::Zero(exact.rows(), 8), exact);
    for (const int k : {1, 8}) {
      HostMatrix product(shape.matrix.rows, 8);
      for (int first = 0; first < 8; first += k) {
        const auto device_x = on(backend, x.middleCols(first, k));
        MultiVector y(backend, shape.matrix.rows, k);
        a->apply(1.0, device_x.view(), 0.0, y.view());
        product.middleCols(first, k) = backend.download(y.view());
      }
      const double error = mean_error(product, exact);
      EXPECT_LE(error, 4.0 * std::max(serial, rounding)) << shape.name << ", k = " << k;
    }
  }
}

TEST_P(Product, takes_alpha_and_beta) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix& m = shapes()[4].matrix;
  const auto a = make(backend, m);
  for (const int k : {1, 2, 3, 4, 5, 6, 7, 8, 13}) {
    const HostMatrix x = random_block(m.columns, k, 3), y0 = random_block(m.rows, k, 4);
    const auto device_x = on(backend, x);
    for (const auto& [alpha, beta] : {std::pair{2.5, 1.0}, {-1.0, 0.5}, {0.0, -3.0}}) {
      auto y = on(backend, y0);
      a->apply(alpha, device_x.view(), beta, y.view());
      expect_close(backend.download(y.view()), m, x, alpha * reference_product(m, x) + beta * y0,
                   alpha);
    }
  }
}

TEST_P(Product, is_right_where_one_thread_makes_it) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const OneThread one_thread;
  const CsrMatrix& m = shapes()[4].matrix;
  const auto a = make(backend, m);
  for (const int k : {1, 2, 3, 4, 5, 6, 7, 8, 13}) {
    const HostMatrix x = random_block(m.columns, k, 3), y0 = random_block(m.rows, k, 4);
    const auto device_x = on(backend, x);
    auto y = on(backend, y0);
    a->apply(2.5, device_x.view(), -0.5, y.view());
    expect_close(backend.download(y.view()), m, x, 2.5 * reference_product(m, x) - 0.5 * y0, 2.5);
  }
}

TEST_P(Product, works_on_slices_of_wider_blocks_and_leaves_the_rest_alone) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix& m = shapes()[4].matrix;
  const auto a = make(backend, m);
  const HostMatrix x = random_block(m.columns, 17, 5), y0 = random_block(m.rows, 18, 6);
  const auto device_x = on(backend, x);
  for (const int k : {1, 2, 3, 4, 5, 6, 7, 8, 13}) {
    auto y = on(backend, y0);
    a->apply(1.0, device_x.view().slice(3, k), 0.0, y.slice(2, k));
    HostMatrix expected = y0;
    const HostMatrix part = x.middleCols(3, k);
    expected.middleCols(2, k) = reference_product(m, part);
    const HostMatrix got = backend.download(y.view());
    expect_close(got.middleCols(2, k), m, part, expected.middleCols(2, k), 1.0);
    EXPECT_EQ(got.leftCols(2), y0.leftCols(2));
    EXPECT_EQ(got.rightCols(16 - k), y0.rightCols(16 - k));
  }
}

TEST_P(Product, gives_the_diagonal_with_zeros_where_nothing_is_stored) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const HostMatrix dense{{1.5, 2.0, 0.0}, {2.0, 0.0, 3.0}, {0.0, 3.0, -2.5}};
  FormatOptions options = configuration().options;
  options.boundary.value = std::min(options.boundary.value, 3);
  const auto a =
      operator_on(backend_name(), backend, configuration().format, from_dense(dense), options);
  MultiVector d(backend, 3, 1);
  a->diagonal(d.view());
  EXPECT_EQ(backend.download(d.view()), (HostMatrix{{1.5}, {0.0}, {-2.5}}));
}

TEST_P(Product, counts_nonzeros_padding_and_the_bytes_predicted) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const OperatorInfo info = make(backend, shape.matrix)->info();
    EXPECT_EQ(info.format, configuration().format);
    EXPECT_EQ(info.nonzeros, shape.matrix.nonzeros());
    EXPECT_EQ(info.bytes, find_format(info.format).bytes(shape.matrix, configuration().options));
    if (info.format == "csr") {
      EXPECT_EQ(info.padding, 0);
    }
    if (info.format == "ell") {
      EXPECT_EQ(info.padding,
                shape.matrix.rows * row_statistics(shape.matrix).maximum - shape.matrix.nonzeros());
    }
    if (info.format == "hybrid") {
      EXPECT_EQ(info.padding, to_hybrid(shape.matrix, configuration().options.boundary).padding());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Product,
                         ::testing::Combine(::testing::ValuesIn(backend_names()),
                                            ::testing::ValuesIn(configurations())),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" +
                                  test_name(std::get<1>(test.param).name);
                         });

TEST(Registry, lists_csr_ell_and_hybrid) {
  for (const char* name : {"csr", "ell", "hybrid"}) {
    const Format& format = find_format(name);
    EXPECT_EQ(format.name, name);
    EXPECT_EQ(unavailable_reason(format, BackendKind::cpu), "");
  }
}

TEST(Registry, names_the_formats_there_are_when_asked_for_another) {
  try {
    find_format("cs");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("'cs'"), std::string::npos) << message;
    for (const Format& format : formats()) {
      EXPECT_NE(message.find(format.name), std::string::npos) << message;
    }
  }
}

TEST(Sizes, predicted_bytes_and_regions_do_not_wrap_beyond_two_to_the_31_entries) {
  // Rows, columns and row offsets alone, so that nothing large is allocated: 2.8e9 entries.
  const Index rows = 70000, length = 40000;
  CsrMatrix a{rows, rows, Array<Offset>(rows + std::size_t{1}), {}, {}};
  for (Index i = 0; i <= rows; ++i) a.row_offsets[i] = Offset{i} * length;
  const Offset entries = Offset{rows} * length;
  ASSERT_GT(entries, Offset{1} << 31);
  EXPECT_EQ(a.nonzeros(), entries);
  EXPECT_EQ(find_format("csr").bytes(a, {}), 12u * entries + 8u * (rows + 1u));
  FormatOptions options;
  options.boundary = {Boundary::By::count, 32000};
  EXPECT_EQ(find_format("hybrid").bytes(a, options), 12u * entries + 12u * rows + 8u);
  const Regions regions = part_regions(a, options.boundary);
  EXPECT_EQ(regions.reference.nonzeros(), Offset{rows} * 32000);
  EXPECT_EQ(regions.expansion.nonzeros(), Offset{rows} * 8000);
  EXPECT_EQ(regions.reference.row_offsets[rows], Offset{rows} * 32000);
  const RowStatistics lengths = row_statistics(a);
  EXPECT_EQ(lengths.mean, length);
  EXPECT_EQ(lengths.maximum, length);
}

}  // namespace
}  // namespace cisolve
