// Compressed sparse blocks: the layout, and products with block sizes of every kind.

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/csb/csb.hpp"
#include "formats/reference.hpp"
#include "tests/support/matrices/to_csr.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

CsrMatrix random_csb(Index rows, Index columns, int per_row, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<Index> any(0, columns - 1);
  return matrix_of_rows(rows, columns, [&](Index i) {
    std::vector<Index> row(i % 5 == 3 ? 0 : per_row);
    for (Index& j : row) j = any(engine);
    return row;
  });
}

TEST(CsbLayout, keeps_the_blocks_that_hold_entries_with_local_places) {
  const CsbMatrix csb =
      to_csb(from_dense(HostMatrix{{1, 0, 0, 2, 3}, {4, 5, 0, 0, 0}, {0, 0, 0, 0, 6}}), 2);
  EXPECT_EQ(csb.block_row_offsets, (Array<Offset>{0, 3, 4}));
  EXPECT_EQ(csb.block_columns, (Array<Index>{0, 1, 2, 2}));
  EXPECT_EQ(csb.block_offsets, (Array<Offset>{0, 3, 4, 5, 6}));
  EXPECT_EQ(csb.values, (Array<double>{1, 4, 5, 2, 3, 6}));
  EXPECT_EQ(csb.local_rows, (Array<std::uint16_t>{0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(csb.local_columns, (Array<std::uint16_t>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(csb.bytes(), 12u * 6 + 12 * 4 + 8 + 8 * 3);
}

TEST(CsbLayout, gives_the_matrix_back_bit_for_bit) {
  for (const Index size : {0, 1, 3, 32, 65536}) {
    const CsrMatrix a = random_csb(301, 170, 9, 3), back = to_csr(to_csb(a, size));
    EXPECT_EQ(back.row_offsets, a.row_offsets) << size;
    EXPECT_EQ(back.column_indices, a.column_indices) << size;
    EXPECT_EQ(back.values, a.values) << size;
  }
}

TEST(CsbLayout, chooses_the_power_of_two_nearest_to_the_root_of_the_larger_dimension) {
  CsrMatrix a;
  a.rows = 10;
  for (const auto& [columns, size] : {std::pair{10, 32}, {90 * 90, 64}, {100 * 100, 128}}) {
    a.columns = columns;
    EXPECT_EQ(csb_block_size(a, 0), size);
  }
}

TEST(CsbLayout, refuses_blocks_beyond_16_bits) {
  const CsrMatrix a = random_csb(3, 3, 1, 1);
  EXPECT_THROW(to_csb(a, 65537), InputError);
  EXPECT_THROW(to_csb(a, -1), InputError);
}

TEST(CsbProduct, equals_the_reference_for_every_block_size) {
  const CsrMatrix a = random_csb(403, 2500, 80, 5);
  const HostMatrix x = random_block(a.columns, 5, 2);
  for (const std::string name : {"cpu", "cuda"}) {
    const auto backend = make_backend(name);
    if (!backend) continue;
    for (const Index size : {1, 7, 64, 100, 512, 65536}) {
      FormatOptions options;
      options.block_size = size;
      const auto csb = operator_on(name, *backend, "csb", a, options);
      EXPECT_EQ(csb->info().bytes, find_format("csb").bytes(a, options));
      auto y = on(*backend, random_block(a.rows, 5, 9));
      csb->apply(1.0, on(*backend, x).view(), 0.0, y.view());
      const HostMatrix error = backend->download(y.view()) - reference_product(a, x);
      EXPECT_TRUE((error.array().abs() <= 1e-14 * reference_magnitude(a, x).array()).all())
          << name << ", block size " << size;
    }
  }
}

}  // namespace
}  // namespace cisolve
