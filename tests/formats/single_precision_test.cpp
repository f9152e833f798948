// Products with off-diagonal elements in single precision, and the change over to double.

#include <cmath>
#include <limits>
#include <numeric>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/reference.hpp"
#include "formats/shared/single_values.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

FormatOptions single_precision() {
  FormatOptions options;
  options.off_diagonal = Precision::float32;
  return options;
}

std::vector<std::string> formats_in_single_precision() {
  std::vector<std::string> names;
  for (const Format& format : formats()) {
    if (format.cpu_single != nullptr) names.push_back(format.name);
  }
  return names;
}

/// A with its off-diagonal elements rounded to single precision.
CsrMatrix rounded(CsrMatrix a) {
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      if (a.column_indices[e] != i) a.values[e] = static_cast<float>(a.values[e]);
    }
  }
  return a;
}

/// max_i Σ_j |a_ij − b_ij| of matrices with the same entries.
double largest_difference(const CsrMatrix& a, const CsrMatrix& b) {
  double largest = 0.0;
  for (Index i = 0; i < a.rows; ++i) {
    double sum = 0.0;
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      sum += std::abs(a.values[e] - b.values[e]);
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

std::vector<CsrMatrix> matrices() {
  std::mt19937 engine(5);
  const auto random_rows = [&](Index rows, Index columns, auto length) {
    std::uniform_int_distribution<Index> any(0, columns - 1);
    return matrix_of_rows(rows, columns, [&](Index i) {
      std::vector<Index> row(length(i));
      for (Index& j : row) j = any(engine);
      if (i % 3 == 0 && i < columns && !row.empty()) row[0] = i;
      return row;
    });
  };
  return {random_rows(257, 257, [](Index) { return 12; }),
          random_rows(100, 100, [](Index i) { return i % 4 == 0 ? 0 : 7; }),
          random_rows(20, 500, [](Index) { return 60; }),
          random_rows(500, 20, [](Index) { return 6; }),
          random_rows(70, 900, [](Index i) { return 100 + 3 * i; })};
}

class SinglePrecision : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  const std::string& backend_name() const { return std::get<0>(GetParam()); }
  const std::string& format() const { return std::get<1>(GetParam()); }
  std::unique_ptr<LinearOperator> make(Backend& backend, const CsrMatrix& a,
                                       Precision precision) const {
    FormatOptions options;
    options.off_diagonal = precision;
    return operator_on(backend_name(), backend, format(), a, options);
  }
};

TEST_P(SinglePrecision, products_are_those_with_the_rounded_matrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  for (const CsrMatrix& m : matrices()) {
    const auto a = make(backend, m, Precision::float32);
    const CsrMatrix stored = rounded(m);
    for (const int k : {1, 2, 3, 4, 5, 6, 7, 8, 13}) {
      SCOPED_TRACE(std::to_string(m.rows) + " rows, k = " + std::to_string(k));
      const HostMatrix x = random_block(m.columns, k, 11), y0 = random_block(m.rows, k, 12);
      // A slice of a wider block too: the product then packs it on a GPU.
      HostMatrix wide = HostMatrix::Zero(m.columns, k + 3);
      wide.middleCols(1, k) = x;
      const auto device_x = on(backend, wide);
      auto y = on(backend, y0);
      a->apply(-2.0, device_x.view().slice(1, k), 0.5, y.view());
      const HostMatrix expected = -2.0 * reference_product(stored, x) + 0.5 * y0;
      const HostMatrix scale = 2.0 * reference_magnitude(stored, x) + y0.cwiseAbs();
      const HostMatrix error = (backend.download(y.view()) - expected).cwiseAbs();
      for (Index i = 0; i < m.rows; ++i) {
        const double terms = 4.0 + std::sqrt(static_cast<double>(m.row_length(i)));
        ASSERT_LE((error.row(i) - 2.3e-16 * terms * scale.row(i)).maxCoeff(), 0.0) << "row " << i;
      }
    }
  }
}

TEST_P(SinglePrecision, errs_by_more_than_double_and_at_most_by_the_bound) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix m = ci_like_matrix(300, 12, 3);
  const auto a = make(backend, m, Precision::float32);
  EXPECT_NEAR(a->rounding_error(), largest_difference(m, rounded(m)), 1e-20);
  const HostMatrix x = random_block(m.columns, 4, 1);
  const HostMatrix exact = extended_product(m, x), y = product(backend, *a, x);
  for (int j = 0; j < 4; ++j) {
    const double error = (y.col(j) - exact.col(j)).norm();
    EXPECT_GT(error, 1e-10 * exact.col(j).norm());
    EXPECT_LE(error, a->rounding_error() * x.col(j).norm());
  }
}

TEST_P(SinglePrecision, keeps_the_diagonal_in_double) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  HostMatrix dense = HostMatrix::Zero(100, 100);
  for (Index i = 0; i < 100; ++i) dense(i, i) = (i + 1.0) * (1.0 + 0x1p-40);
  dense(3, 3) = 1e300;
  dense(4, 4) = 0.0;
  const auto a = make(backend, from_dense(dense), Precision::float32);
  EXPECT_EQ(a->rounding_error(), 0.0);
  EXPECT_EQ(product(backend, *a, HostMatrix::Ones(100, 3)), dense * HostMatrix::Ones(100, 3));
  MultiVector d(backend, 100, 1);
  a->diagonal(d.view());
  EXPECT_EQ(backend.download(d.view()), HostMatrix(dense.diagonal()));
}

TEST_P(SinglePrecision, is_exact_where_single_precision_is) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  CsrMatrix m = ci_like_matrix(200, 8, 4);
  for (double& value : m.values) value = std::round(1024.0 * value);
  const HostMatrix x = (16.0 * random_block(m.columns, 5, 2)).array().round();
  const auto a = make(backend, m, Precision::float32);
  EXPECT_EQ(a->rounding_error(), 0.0);
  EXPECT_EQ(product(backend, *a, x), reference_product(m, x));
}

TEST_P(SinglePrecision, becomes_the_operator_in_double) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix m = ci_like_matrix(300, 12, 5);
  const auto a = make(backend, m, Precision::float32);
  const auto in_double = make(backend, m, Precision::float64);
  const HostMatrix x = random_block(m.columns, 5, 6);
  const HostMatrix expected = product(backend, *in_double, x);
  EXPECT_NE(product(backend, *a, x), expected);
  EXPECT_TRUE(a->to_double_precision());
  EXPECT_EQ(product(backend, *a, x), expected);
  EXPECT_EQ(a->rounding_error(), 0.0);
  EXPECT_FALSE(a->to_double_precision());
  EXPECT_FALSE(in_double->to_double_precision());
  EXPECT_EQ(a->info().bytes, in_double->info().bytes);
  EXPECT_EQ(a->info().layout, in_double->info().layout);
}

TEST_P(SinglePrecision, takes_two_thirds_of_the_bytes_and_says_so) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix m = matrices().back();
  const OperatorInfo single = make(backend, m, Precision::float32)->info();
  const OperatorInfo in_double = make(backend, m, Precision::float64)->info();
  EXPECT_EQ(single.bytes, find_format(format()).bytes(m, single_precision()));
  EXPECT_EQ(in_double.bytes - single.bytes, 4u * (m.nonzeros() + in_double.padding) - 8u * m.rows);
  EXPECT_EQ(single.nonzeros, in_double.nonzeros);
  EXPECT_EQ(single.padding, in_double.padding);
  EXPECT_NE(single.layout.find("off-diagonals float32"), std::string::npos) << single.layout;
  EXPECT_EQ(in_double.layout.find("float32"), std::string::npos) << in_double.layout;
}

INSTANTIATE_TEST_SUITE_P(Formats, SinglePrecision,
                         ::testing::Combine(::testing::ValuesIn(backend_names()),
                                            ::testing::ValuesIn(formats_in_single_precision())),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

/// The message with which that element in row 2, column 3 is refused; empty where it is taken.
std::string refusal_of(double element) {
  CsrMatrix m = from_dense(HostMatrix{{1, 2, 3}, {2, 5, 6}, {3, 6, 9}});
  m.values[m.row_offsets[1] + 2] = element;
  try {
    round_off_diagonals(m);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SingleValues, name_the_element_that_has_no_place_in_single_precision) {
  for (const double element : {3.5e38, -1e300, std::nan("")}) {
    const std::string message = refusal_of(element);
    EXPECT_NE(message.find("row 2, column 3"), std::string::npos) << element << ": " << message;
    EXPECT_NE(message.find("spmv.off_diagonal"), std::string::npos) << message;
  }
  EXPECT_NE(refusal_of(-1e300).find("-1e+300"), std::string::npos);
  EXPECT_EQ(refusal_of(3.4e38), "");
  EXPECT_EQ(refusal_of(1e-60), "");
}

TEST(SingleValues, count_elements_that_underflow_in_the_error) {
  const CsrMatrix m = from_dense(HostMatrix{{1e-60, 1e-60, -1e-61}, {0, 1e300, 0}});
  const SingleValues values = round_off_diagonals(m);
  EXPECT_EQ(values.values, (Array<float>{0, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(values.rounding_error, 1.1e-60);
}

TEST(SingleValues, are_refused_by_formats_in_double_only) {
  const auto backend = make_cpu_backend();
  const auto a = std::make_shared<const CsrMatrix>(ci_like_matrix(20, 3, 1));
  int refused = 0;
  for (const Format& format : formats()) {
    if (format.cpu == nullptr || format.cpu_single != nullptr) continue;
    ++refused;
    try {
      make_operator(format.name, a, *backend, single_precision());
      ADD_FAILURE() << format.name << " took it";
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("the format " + format.name), std::string::npos) << message;
      for (const char* name : {"csr", "hybrid", "sell_c_sigma"}) {
        EXPECT_NE(message.find(name), std::string::npos) << message;
      }
    }
  }
  EXPECT_GE(refused, 5);
}

}  // namespace
}  // namespace cisolve
