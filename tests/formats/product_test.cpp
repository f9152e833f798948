// Every storage format on every backend against the serial reference.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/host_matrix.hpp"
#include "core/parallel.hpp"
#include "formats/ell/ell.hpp"
#include "formats/hybrid/hybrid.hpp"
#include "formats/reference.hpp"
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

struct Shape {
  std::string name;
  CsrMatrix matrix;
};

std::vector<Index> random_columns(Index columns, int count, std::mt19937& engine) {
  std::uniform_int_distribution<Index> any(0, columns - 1);
  std::vector<Index> row(count);
  for (Index& j : row) j = any(engine);
  return row;
}

const std::vector<Shape>& general_shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> list;
    std::mt19937 engine(7);
    // Around the warp and the thread block; at least 9 columns, so every boundary fits.
    for (const Index n : {1, 31, 32, 33, 257}) {
      list.push_back({"n" + std::to_string(n), matrix_of_rows(n, std::max(n, 9), [&](Index) {
                        return random_columns(std::max(n, 9), 12, engine);
                      })});
    }
    list.push_back({"empty_rows", matrix_of_rows(100, 100, [&](Index i) {
                      return i % 3 == 0 ? std::vector<Index>{} : random_columns(100, 7, engine);
                    })});
    list.push_back(
        {"no_entries", matrix_of_rows(40, 40, [](Index) { return std::vector<Index>{}; })});
    list.push_back({"one_dense_row", matrix_of_rows(300, 300, [&](Index i) {
                      if (i != 150) return random_columns(300, 3, engine);
                      std::vector<Index> every(300);
                      std::iota(every.begin(), every.end(), 0);
                      return every;
                    })});
    list.push_back({"row_past_100000", matrix_of_rows(3, 120000, [&](Index i) {
                      if (i != 1) return random_columns(120000, 4, engine);
                      std::vector<Index> every(120000);
                      std::iota(every.begin(), every.end(), 0);
                      return every;
                    })});
    list.push_back(
        {"wide", matrix_of_rows(20, 500, [&](Index) { return random_columns(500, 60, engine); })});
    list.push_back(
        {"tall", matrix_of_rows(500, 20, [&](Index) { return random_columns(20, 6, engine); })});
    list.push_back({"long_rows", matrix_of_rows(70, 900, [&](Index i) {
                      return random_columns(900, 100 + 3 * i, engine);
                    })});
    return list;
  }();
  return all;
}

/// Sizes and rows as in `general_shapes`, for formats that store a symmetric matrix.
const std::vector<Shape>& symmetric_shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> list;
    std::mt19937 engine(8);
    for (const Index n : {1, 31, 32, 33, 257}) {
      list.push_back({"n" + std::to_string(n), symmetric_matrix_of_rows(n, [&](Index) {
                        return random_columns(n, 6, engine);
                      })});
    }
    list.push_back({"empty_rows", symmetric_matrix_of_rows(100, [&](Index i) {
                      std::vector<Index> row = random_columns(100, i % 3 == 0 ? 0 : 7, engine);
                      std::erase_if(row, [](Index j) { return j % 3 == 0; });
                      return row;
                    })});
    list.push_back(
        {"no_entries", symmetric_matrix_of_rows(40, [](Index) { return std::vector<Index>{}; })});
    list.push_back({"one_dense_row_and_column", symmetric_matrix_of_rows(300, [&](Index i) {
                      if (i != 150) return random_columns(300, 3, engine);
                      std::vector<Index> every(300);
                      std::iota(every.begin(), every.end(), 0);
                      return every;
                    })});
    // The first row is stored whole, the last one only as a column.
    for (const Index dense : {0, 119999}) {
      list.push_back({"row_past_100000_" + std::to_string(dense),
                      symmetric_matrix_of_rows(120000, [dense](Index i) {
                        return i % 1000 == 7 ? std::vector<Index>{dense, i, i - i % 5}
                                             : std::vector<Index>{dense};
                      })});
    }
    list.push_back({"long_rows", symmetric_matrix_of_rows(900, [&](Index i) {
                      return random_columns(900, i < 70 ? 100 + 3 * i : 2, engine);
                    })});
    return list;
  }();
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
      // On a device sums of csr_symmetric and others may be in any order.
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

/// The error of a serial product, the largest that it has in the order of the columns and in three
/// others: where a row is nearly all of the matrix one sum counts, and in a single order that one
/// may err several times less, by luck, than in another.
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
  const double before = std::exchange(least_shared_work, std::numeric_limits<double>::infinity());
  const CsrMatrix& m = shapes()[4].matrix;
  const auto a = make(backend, m);
  for (const int k : {1, 2, 3, 4, 5, 6, 7, 8, 13}) {
    const HostMatrix x = random_block(m.columns, k, 3), y0 = random_block(m.rows, k, 4);
    const auto device_x = on(backend, x);
    auto y = on(backend, y0);
    a->apply(2.5, device_x.view(), -0.5, y.view());
    expect_close(backend.download(y.view()), m, x, 2.5 * reference_product(m, x) - 0.5 * y0, 2.5);
  }
  least_shared_work = before;
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

TEST(Hybrid, by_count_takes_the_first_entries_of_each_row) {
  const CsrMatrix a =
      from_dense(HostMatrix{{1, 2, 3, 4}, {0, 5, 0, 6}, {0, 0, 0, 0}, {0, 7, 8, 9}});
  const HybridMatrix h = to_hybrid(a, {Boundary::By::count, 2});
  EXPECT_EQ(h.boundary, 2);
  EXPECT_EQ(h.reference_values, (Array<double>{1, 2, 5, 6, 0, 0, 7, 8}));
  EXPECT_EQ(h.reference_columns, (Array<Index>{0, 1, 1, 3, 0, 0, 1, 2}));
  EXPECT_EQ(h.reference_counts, (Array<Index>{2, 2, 0, 2}));
  EXPECT_EQ(h.expansion_offsets, (Array<Offset>{0, 2, 2, 2, 3}));
  EXPECT_EQ(h.expansion_values, (Array<double>{3, 4, 9}));
  EXPECT_EQ(h.padding(), 2);
  // 12·rows + 8 of counts and offsets, 12 an entry.
  EXPECT_EQ(h.bytes(), 12u * 4 + 8 + 12 * (8 + 3));
}

TEST(Hybrid, by_column_takes_the_entries_left_of_the_column) {
  const CsrMatrix a =
      from_dense(HostMatrix{{1, 2, 3, 4}, {0, 5, 0, 6}, {0, 0, 0, 0}, {0, 7, 8, 9}});
  const HybridMatrix h = to_hybrid(a, {Boundary::By::column, 2});
  EXPECT_EQ(h.boundary, 2);
  EXPECT_EQ(h.reference_values, (Array<double>{1, 2, 5, 0, 0, 0, 7, 0}));
  EXPECT_EQ(h.reference_columns, (Array<Index>{0, 1, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(h.expansion_values, (Array<double>{3, 4, 6, 8, 9}));
}

TEST(Hybrid, refuses_a_boundary_outside_the_columns) {
  const CsrMatrix a = from_dense(HostMatrix{{1, 2}, {3, 4}});
  EXPECT_THROW(to_hybrid(a, {Boundary::By::column, 3}), InputError);
  EXPECT_THROW(to_hybrid(a, {Boundary::By::count, -1}), InputError);
}

TEST(Hybrid, chooses_a_boundary_that_pads_less_than_two_percent) {
  const CsrMatrix& a = general_shapes().back().matrix;
  const Boundary boundary = resolve_boundary(a, {});
  EXPECT_EQ(boundary.by, Boundary::By::count);
  EXPECT_EQ(boundary.value % 32, 0);
  EXPECT_GT(boundary.value, 0);
  const HybridMatrix h = to_hybrid(a, boundary);
  EXPECT_LE(static_cast<double>(h.padding()), 0.02 * static_cast<double>(a.nonzeros()));
  const HybridMatrix wider = to_hybrid(a, {Boundary::By::count, boundary.value + 32});
  EXPECT_GT(static_cast<double>(wider.padding()), 0.02 * static_cast<double>(a.nonzeros()));
}

TEST(Ell, pads_rows_to_the_longest_in_either_order) {
  const CsrMatrix a = from_dense(HostMatrix{{1, 2, 0}, {0, 0, 0}, {0, 0, 3}});
  const EllMatrix by_row = to_ell(a, EllMatrix::Order::by_row);
  EXPECT_EQ(by_row.width, 2);
  EXPECT_EQ(by_row.values, (Array<double>{1, 2, 0, 0, 3, 0}));
  EXPECT_EQ(by_row.column_indices, (Array<Index>{0, 1, 0, 0, 2, 2}));
  const EllMatrix by_column = to_ell(a, EllMatrix::Order::by_column);
  EXPECT_EQ(by_column.values, (Array<double>{1, 0, 3, 2, 0, 0}));
  EXPECT_EQ(by_column.bytes(), 12u * 6);
}

}  // namespace
}  // namespace cisolve
