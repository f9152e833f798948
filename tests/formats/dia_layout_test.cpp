// Diagonals: the layout by hand, there and back, bytes, and products at the edges of the matrix.

#include <limits>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/dia/dia.hpp"
#include "formats/reference.hpp"
#include "tests/support/matrices/to_csr.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

CsrMatrix random_dia(Index rows, Index columns, int per_row, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<Index> any(0, columns - 1);
  return matrix_of_rows(rows, columns, [&](Index i) {
    std::vector<Index> row(i % 4 == 1 ? 0 : per_row);
    for (Index& j : row) j = any(engine);
    return row;
  });
}

/// Entries on the diagonals −bandwidth … bandwidth.
CsrMatrix band_matrix(Index rows, Index columns, Index bandwidth) {
  return matrix_of_rows(rows, columns, [&](Index i) {
    std::vector<Index> row;
    for (Index j = i - bandwidth; j <= i + bandwidth; ++j) {
      if (j >= 0 && j < columns) row.push_back(j);
    }
    return row;
  });
}

TEST(Dia, holds_occupied_diagonals_whole) {
  const CsrMatrix a = from_dense(HostMatrix{{1, 0, 2, 0}, {0, 3, 0, 0}, {4, 0, 0, 0}});
  const DiaMatrix dia = to_dia(a);
  EXPECT_EQ(dia.offsets, (Array<Index>{-2, 0, 2}));
  EXPECT_EQ(dia.values, (Array<double>{0, 0, 4, 1, 3, 0, 2, 0, 0}));
  EXPECT_EQ(dia.bytes(), 8u * 3 * 3 + 4 * 3);
}

TEST(Dia, reaches_both_corners) {
  const CsrMatrix a = from_dense(HostMatrix{{0, 0, 0, 5}, {0, 0, 0, 0}, {6, 0, 0, 0}});
  EXPECT_EQ(diagonal_offsets(a), (Array<Index>{-2, 3}));
}

TEST(Dia, comes_back_bit_for_bit) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {70, 70}, {20, 90}, {90, 7}}) {
    const CsrMatrix a = random_dia(rows, columns, 6, 3);
    const CsrMatrix back = to_csr(to_dia(a));
    EXPECT_EQ(back.rows, a.rows);
    EXPECT_EQ(back.columns, a.columns);
    EXPECT_EQ(back.row_offsets, a.row_offsets);
    EXPECT_EQ(back.column_indices, a.column_indices);
    EXPECT_EQ(back.values, a.values);
  }
}

TEST(Dia, drops_stored_zeros_on_the_way_back) {
  CsrMatrix a = from_dense(HostMatrix{{1, 2}, {3, 4}});
  a.values[1] = 0.0;
  EXPECT_EQ(to_dense(to_csr(to_dia(a))), to_dense(a));
  EXPECT_EQ(to_csr(to_dia(a)).nonzeros(), 3);
}

TEST(Dia, bytes_stop_at_the_largest_number_instead_of_wrapping) {
  const Index most = std::numeric_limits<Index>::max();
  EXPECT_EQ(DiaMatrix::bytes(1000, 3), 3u * 8004);
  EXPECT_EQ(DiaMatrix::bytes(most, 2u * most - 1), std::numeric_limits<std::size_t>::max());
}

TEST(Dia, refuses_a_matrix_whose_diagonals_do_not_fit) {
  // Each entry on a diagonal of its own, 8 bytes · rows for each: 16 TB of what takes 32 MB in csr.
  const Index rows = 1000000;
  const auto a = std::make_shared<const CsrMatrix>(matrix_of_rows(rows, 20 * rows, [](Index i) {
    return std::vector<Index>{20 * i, 20 * i + 7};
  }));
  const auto backend = make_cpu_backend();
  const std::size_t bytes = find_format("dia").bytes(*a, {});
  EXPECT_GT(bytes, std::size_t{1} << 43);
  EXPECT_THROW(make_operator("dia", a, *backend), ResourceError);
}

class DiaProduct : public ::testing::TestWithParam<std::string> {};

TEST_P(DiaProduct, reads_nothing_beyond_the_edges_of_band_matrices) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{5, 5}, {600, 600}, {300, 700}, {700, 300}}) {
    const CsrMatrix a = band_matrix(rows, columns, 4);
    const auto dia = operator_on(GetParam(), backend, "dia", a);
    EXPECT_EQ(dia->info().bytes, (8u * rows + 4) * 9);
    for (const int k : {1, 2, 8}) {
      // Rows of NaN around X: what is read beyond its edges shows.
      HostMatrix around = HostMatrix::Constant(columns + 20, k, std::nan(""));
      const HostMatrix x = random_block(columns, k, 4);
      around.middleRows(10, columns) = x;
      const auto device = on(backend, around);
      const ConstView whole = device.view();
      const ConstView inner{whole.data + Offset{10} * k, columns, k, whole.stride};
      auto y = on(backend, HostMatrix::Constant(rows, k, std::nan("")));
      dia->apply(1.0, inner, 0.0, y.view());
      const HostMatrix error = (backend.download(y.view()) - reference_product(a, x)).cwiseAbs();
      ASSERT_TRUE((error.array() <= 1e-14 * reference_magnitude(a, x).array()).all())
          << rows << " × " << columns << ", k = " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, DiaProduct, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
