// The layout of jagged diagonals: a small one by hand, random ones to and back.

#include "core/dense/host_matrix.hpp"
#include "formats/jad/jad.hpp"
#include "tests/support/matrices/to_csr.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

TEST(Jad, stores_the_diagonals_of_the_rows_sorted_by_length) {
  const CsrMatrix a =
      from_dense(HostMatrix{{0, 1, 0, 0}, {2, 0, 3, 4}, {0, 0, 0, 0}, {5, 6, 0, 0}, {0, 0, 7, 8}});
  const JadMatrix m = to_jad(a);
  EXPECT_EQ(m.row_order, (Array<Index>{1, 3, 4, 0, 2}));
  EXPECT_EQ(m.diagonal_offsets, (Array<Offset>{0, 4, 7, 8}));
  EXPECT_EQ(m.values, (Array<double>{2, 5, 7, 1, 3, 6, 8, 4}));
  EXPECT_EQ(m.column_indices, (Array<Index>{0, 0, 2, 1, 2, 1, 3, 3}));
  for (Index s = 0; s < 5; ++s) EXPECT_EQ(m.row_length(s), (Array<Index>{3, 2, 2, 1, 0})[s]);
  EXPECT_EQ(m.bytes(), 12u * 8 + 8 * 4 + 4 * 5);
}

TEST(Jad, of_a_matrix_without_entries_has_no_diagonals) {
  const CsrMatrix a{3, 3, {0, 0, 0, 0}, {}, {}};
  const JadMatrix m = to_jad(a);
  EXPECT_EQ(m.diagonals(), 0);
  EXPECT_EQ(m.row_order, (Array<Index>{0, 1, 2}));
  EXPECT_EQ(to_csr(m).row_offsets, a.row_offsets);
}

TEST(Jad, comes_back_bit_for_bit) {
  std::mt19937 engine(5);
  for (const Index rows : {1, 7, 64, 65, 300}) {
    std::uniform_int_distribution<Index> column(0, 59), count(0, 20);
    CsrMatrix a = matrix_of_rows(rows, 60, [&](Index) {
      std::vector<Index> row(count(engine));
      for (Index& j : row) j = column(engine);
      return row;
    });
    if (!a.values.empty()) a.values[0] = 0.0;  // a stored zero is an entry
    const JadMatrix m = to_jad(a);
    EXPECT_EQ(m.bytes(), find_format("jad").bytes(a, {}));
    const CsrMatrix back = to_csr(m);
    EXPECT_EQ(back.columns, a.columns);
    EXPECT_EQ(back.row_offsets, a.row_offsets);
    EXPECT_EQ(back.column_indices, a.column_indices);
    EXPECT_EQ(back.values, a.values);
  }
}

}  // namespace
}  // namespace cisolve
