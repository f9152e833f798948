// CSR5: the layout, and products with tiles of every height.

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/csr5/csr5.hpp"
#include "formats/reference.hpp"
#include "tests/support/matrices/to_csr.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Empty rows, short ones, and one over many tiles.
CsrMatrix random_csr5(Index rows, Index columns, int longest, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<Index> any(0, columns - 1);
  std::uniform_int_distribution<int> length(0, longest);
  return matrix_of_rows(rows, columns, [&](Index i) {
    std::vector<Index> row(i == rows / 2 ? 5 * columns : i % 7 == 0 ? 0 : length(engine));
    for (Index& j : row) j = any(engine);
    return row;
  });
}

TEST(Csr5Layout, stores_tiles_transposed_with_a_bit_for_every_row_start) {
  // Rows of 3, 0, 62 and 2 entries: with σ = 2 one tile of 64, and a tail of 3.
  const Index lengths[] = {3, 0, 62, 2};
  const CsrMatrix a = matrix_of_rows(4, 62, [&](Index i) {
    std::vector<Index> row(lengths[i]);
    for (Index j = 0; j < lengths[i]; ++j) row[j] = j;
    return row;
  });
  const Csr5Matrix m = to_csr5(a, 2);
  EXPECT_EQ(m.tiles(), 1);
  EXPECT_EQ(m.nonempty_rows, (Array<Index>{0, 2, 3}));
  EXPECT_EQ(m.tile_rows, (Array<Index>{0, 2}));
  EXPECT_EQ(m.row_starts[0], 1u);
  EXPECT_EQ(m.row_starts[1], 2u);
  EXPECT_EQ(m.row_starts[2], 0u);
  EXPECT_EQ(m.y_offsets[0], 0);
  EXPECT_EQ(m.y_offsets[1], 1);
  EXPECT_EQ(m.y_offsets[31], 2);
  EXPECT_EQ(m.tail_offsets, (Array<Offset>{64, 65, 67}));
  EXPECT_EQ(m.values[0], a.values[0]);
  EXPECT_EQ(m.values[1], a.values[2]);
  EXPECT_EQ(m.values[32], a.values[1]);
  EXPECT_EQ(m.values[66], a.values[66]);
  EXPECT_EQ(m.bytes(), 12u * 67 + 4 * 3 + 4 * 2 + 320 + 8 * 3);
}

TEST(Csr5Layout, gives_the_matrix_back_bit_for_bit) {
  for (const Index height : {0, 1, 5, 32, 64}) {
    for (const Index rows : {1, 40, 501}) {
      const CsrMatrix a = random_csr5(rows, 120, 25, rows), back = to_csr(to_csr5(a, height));
      EXPECT_EQ(back.row_offsets, a.row_offsets) << height << ", " << rows;
      EXPECT_EQ(back.column_indices, a.column_indices) << height << ", " << rows;
      EXPECT_EQ(back.values, a.values) << height << ", " << rows;
    }
  }
}

TEST(Csr5Layout, refuses_tiles_taller_than_a_word) {
  const CsrMatrix a = random_csr5(3, 3, 1, 1);
  EXPECT_THROW(to_csr5(a, 65), InputError);
  EXPECT_THROW(to_csr5(a, -1), InputError);
}

TEST(Csr5Product, equals_the_reference_for_every_tile_height) {
  const CsrMatrix a = random_csr5(701, 1500, 30, 5);
  const HostMatrix x = random_block(a.columns, 5, 2);
  for (const std::string name : {"cpu", "cuda"}) {
    const auto backend = make_backend(name);
    if (!backend) continue;
    for (const Index height : {1, 2, 3, 4, 7, 16, 33, 64}) {
      FormatOptions options;
      options.tile_height = height;
      const auto csr5 = operator_on(name, *backend, "csr5", a, options);
      EXPECT_EQ(csr5->info().bytes, find_format("csr5").bytes(a, options));
      auto y = on(*backend, random_block(a.rows, 5, 9));
      csr5->apply(1.0, on(*backend, x).view(), 0.0, y.view());
      const HostMatrix error = backend->download(y.view()) - reference_product(a, x);
      EXPECT_TRUE((error.array().abs() <= 1e-14 * reference_magnitude(a, x).array()).all())
          << name << ", tile height " << height;
    }
  }
}

}  // namespace
}  // namespace cisolve
