// The layouts of ell and of hybrid.

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/ell/ell.hpp"
#include "formats/hybrid/hybrid.hpp"
#include "tests/support/matrices/product_shapes.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

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
