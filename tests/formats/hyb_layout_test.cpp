// HYB: the rules for its width against their definitions, the layout by hand, there and back.

#include "core/dense/host_matrix.hpp"
#include "formats/hyb/hyb.hpp"
#include "formats/reference.hpp"
#include "tests/support/matrices/to_csr.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;
using Width = FormatOptions::HybWidth;
using Order = EllMatrix::Order;

CsrMatrix random_hyb(Index rows, Index columns, int longest, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> length(0, longest);
  std::uniform_int_distribution<Index> any(0, columns - 1);
  return matrix_of_rows(rows, columns, [&](Index) {
    std::vector<Index> row(length(engine));
    for (Index& j : row) j = any(engine);
    return row;
  });
}

const std::vector<CsrMatrix>& matrices() {
  static const std::vector<CsrMatrix> all{random_hyb(1, 9, 9, 1),      random_hyb(50, 40, 0, 2),
                                          random_hyb(100, 300, 30, 3), random_hyb(257, 20, 60, 4),
                                          random_hyb(64, 64, 1, 5),    random_hyb(33, 1, 3, 6)};
  return all;
}

TEST(Hyb, parts_rows_at_the_width) {
  // Lengths 4, 2, 0, 1: two of four rows hold two entries, one more.
  const CsrMatrix a =
      from_dense(HostMatrix{{1, 2, 3, 4}, {0, 5, 0, 6}, {0, 0, 0, 0}, {0, 0, 7, 0}});
  const HybMatrix by_row = to_hyb(a, Order::by_row, Width::one_third);
  EXPECT_EQ(by_row.ell.width, 2);
  EXPECT_EQ(by_row.ell.values, (Array<double>{1, 2, 5, 6, 0, 0, 7, 0}));
  EXPECT_EQ(by_row.ell.column_indices, (Array<Index>{0, 1, 1, 3, 0, 0, 2, 2}));
  EXPECT_EQ(by_row.coo.row_indices, (Array<Index>{0, 0}));
  EXPECT_EQ(by_row.coo.column_indices, (Array<Index>{2, 3}));
  EXPECT_EQ(by_row.coo.values, (Array<double>{3, 4}));
  EXPECT_EQ(by_row.bytes(), 12u * 8 + 16 * 2);
  EXPECT_EQ(by_row.padding(a.nonzeros()), 3);
  const HybMatrix by_column = to_hyb(a, Order::by_column, Width::one_third);
  EXPECT_EQ(by_column.ell.values, (Array<double>{1, 5, 0, 7, 2, 6, 0, 0}));
}

TEST(Hyb, width_one_third_is_the_largest_that_a_third_of_the_rows_fill) {
  const auto rows_filling = [](const CsrMatrix& a, Index width) {
    Index count = 0;
    for (Index i = 0; i < a.rows; ++i) count += a.row_length(i) >= width;
    return count;
  };
  for (const CsrMatrix& a : matrices()) {
    const Index width = hyb_width(a, Width::one_third);
    EXPECT_GE(3 * rows_filling(a, width), a.rows);
    EXPECT_LT(3 * rows_filling(a, width + 1), a.rows);
  }
  // Exactly a third.
  EXPECT_EQ(hyb_width(from_dense(HostMatrix{{1, 1}, {1, 0}, {0, 0}}), Width::one_third), 2);
}

TEST(Hyb, width_histogram_has_the_fewest_bytes) {
  for (const CsrMatrix& a : matrices()) {
    Offset best = -1;
    Index best_width = 0;
    for (Index width = 0; width <= a.columns; ++width) {
      Offset bytes = Offset{12} * a.rows * width;
      for (Index i = 0; i < a.rows; ++i) bytes += 16 * std::max<Offset>(a.row_length(i) - width, 0);
      if (best < 0 || bytes < best) best_width = width, best = bytes;
    }
    EXPECT_EQ(hyb_width(a, Width::histogram), best_width);
    EXPECT_EQ(to_hyb(a, Order::by_row, Width::histogram).bytes(), static_cast<std::size_t>(best));
  }
}

TEST(Hyb, comes_back_bit_for_bit) {
  for (const CsrMatrix& a : matrices()) {
    for (const Order order : {Order::by_row, Order::by_column}) {
      for (const Width rule : {Width::one_third, Width::histogram}) {
        const CsrMatrix back = to_csr(to_hyb(a, order, rule));
        EXPECT_EQ(back.rows, a.rows);
        EXPECT_EQ(back.columns, a.columns);
        EXPECT_EQ(back.row_offsets, a.row_offsets);
        EXPECT_EQ(back.column_indices, a.column_indices);
        EXPECT_EQ(back.values, a.values);
      }
    }
  }
}

TEST(Hyb, brings_stored_zeros_back) {
  CsrMatrix a = from_dense(HostMatrix{{1, 2, 3}, {4, 5, 0}, {0, 0, 6}, {7, 0, 8}});
  a.values[0] = a.values[4] = a.values[5] = 0.0;
  const CsrMatrix back = to_csr(to_hyb(a, Order::by_row, Width::one_third));
  EXPECT_EQ(back.row_offsets, a.row_offsets);
  EXPECT_EQ(back.values, a.values);
}

class HybProduct : public ::testing::TestWithParam<std::string> {};

TEST_P(HybProduct, is_right_for_either_width_and_says_which) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix& a = matrices()[2];
  const HostMatrix x = random_block(a.columns, 5, 2);
  const auto device_x = on(backend, x);
  for (const Width rule : {Width::one_third, Width::histogram}) {
    FormatOptions options;
    options.hyb_width = rule;
    const auto hyb = operator_on(GetParam(), backend, "hyb", a, options);
    auto y = on(backend, HostMatrix::Constant(a.rows, 5, std::nan("")));
    hyb->apply(1.0, device_x.view(), 0.0, y.view());
    const HostMatrix error = (backend.download(y.view()) - reference_product(a, x)).cwiseAbs();
    EXPECT_TRUE((error.array() <= 1e-14 * reference_magnitude(a, x).array()).all());
    EXPECT_EQ(hyb->info().layout, "width " + std::to_string(hyb_width(a, rule)));
    EXPECT_EQ(hyb->info().bytes, find_format("hyb").bytes(a, options));
    EXPECT_EQ(hyb->info().padding, to_hyb(a, Order::by_row, rule).padding(a.nonzeros()));
  }
  EXPECT_NE(hyb_width(a, Width::one_third), hyb_width(a, Width::histogram));
}

INSTANTIATE_TEST_SUITE_P(Backends, HybProduct, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
