// Layouts of the sliced ELLPACK family: small ones by hand, random ones to and back.

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/shared/bands.hpp"
#include "formats/shared/row_order.hpp"
#include "formats/shared/sliced_ell.hpp"
#include "tests/support/matrices/to_csr.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

// Rows of 1, 3, 0, 2 and 2 entries.
CsrMatrix five_rows() {
  return from_dense(
      HostMatrix{{0, 1, 0, 0}, {2, 0, 3, 4}, {0, 0, 0, 0}, {5, 6, 0, 0}, {0, 0, 7, 8}});
}

TEST(SlicedEll, pads_each_slice_to_its_own_longest_row_and_stores_it_by_column) {
  const SlicedEllMatrix m = to_sliced_ell(five_rows(), {"sell", 2, 0, false});
  EXPECT_EQ(m.slice_offsets, (Array<Offset>{0, 6, 10, 12}));
  EXPECT_EQ(m.values, (Array<double>{1, 2, 0, 3, 0, 4, 0, 5, 0, 6, 7, 8}));
  EXPECT_EQ(m.column_indices, (Array<Index>{1, 0, 1, 2, 1, 3, 0, 0, 0, 1, 2, 3}));
  EXPECT_TRUE(m.row_lengths.empty());
  EXPECT_TRUE(m.row_order.empty());
  EXPECT_EQ(m.bytes(), 8u * 4 + 12 * 12);
}

TEST(SlicedEll, keeps_the_row_lengths_where_asked) {
  const SlicedEllMatrix m = to_sliced_ell(five_rows(), {"sellr", 2, 0, true});
  EXPECT_EQ(m.row_lengths, (Array<Index>{1, 3, 0, 2, 2}));
  EXPECT_EQ(m.bytes(), 8u * 4 + 12 * 12 + 4 * 5);
}

TEST(SlicedEll, of_one_slice_is_ellpack_by_column) {
  const SlicedEllMatrix m = to_sliced_ell(five_rows(), {"ellr", 5, 0, true});
  EXPECT_EQ(m.slice_offsets, (Array<Offset>{0, 15}));
  EXPECT_EQ(m.values, (Array<double>{1, 2, 0, 5, 7, 0, 3, 0, 6, 8, 0, 4, 0, 0, 0}));
  EXPECT_EQ(m.column_indices, (Array<Index>{1, 0, 0, 0, 2, 1, 2, 0, 1, 3, 1, 3, 0, 1, 3}));
}

TEST(SlicedEll, sorts_rows_by_length_within_windows) {
  // Windows of four: rows 1, 3, 0, 2 and then 4.
  const SlicedEllMatrix m = to_sliced_ell(five_rows(), {"sell_c_sigma", 2, 4, false});
  EXPECT_EQ(m.row_order, (Array<Index>{1, 3, 0, 2, 4}));
  EXPECT_EQ(m.slice_offsets, (Array<Offset>{0, 6, 8, 10}));
  EXPECT_EQ(m.values, (Array<double>{2, 5, 3, 6, 4, 0, 1, 0, 7, 8}));
  EXPECT_EQ(m.column_indices, (Array<Index>{0, 0, 2, 1, 3, 1, 1, 0, 2, 3}));
  EXPECT_EQ(m.bytes(), 8u * 4 + 12 * 10 + 4 * 5);
}

TEST(RowOrder, keeps_rows_of_one_length_in_order) {
  EXPECT_EQ(rows_by_length(five_rows().row_offsets, 5), (Array<Index>{1, 3, 4, 0, 2}));
  EXPECT_EQ(rows_by_length(five_rows().row_offsets, 1), (Array<Index>{0, 1, 2, 3, 4}));
}

TEST(Bands, cover_every_row_once_and_stay_within_slices) {
  for (const Index rows : {1, 31, 32, 33, 100, 257}) {
    for (const Index slice_height : {1, 3, 32, 48, 257, 1024}) {
      const Bands<32> bands{rows, slice_height};
      Index next = 0;
      for (Index b = 0; b < bands.count(); ++b) {
        const Band band = bands[b];
        ASSERT_LE(band.count, 32);
        if (band.count == 0) continue;
        ASSERT_EQ(band.first, next);
        ASSERT_EQ(band.first / slice_height, band.slice);
        ASSERT_EQ((band.first + band.count - 1) / slice_height, band.slice);
        next += band.count;
      }
      EXPECT_EQ(next, rows) << "slices of " << slice_height;
    }
  }
}

TEST(SlicedEll, comes_back_bit_for_bit) {
  std::mt19937 engine(3);
  for (const Index rows : {1, 7, 33, 200}) {
    std::uniform_int_distribution<Index> column(0, 59), count(0, 20);
    const CsrMatrix a = matrix_of_rows(rows, 60, [&](Index) {
      std::vector<Index> row(count(engine));
      for (Index& j : row) j = column(engine);
      return row;
    });
    for (const Index height : {1, 2, 5, 32, 1024}) {
      for (const Index window : {0, 1, 10, 1000}) {
        for (const bool lengths : {false, true}) {
          SCOPED_TRACE(::testing::Message() << rows << " rows, " << height << ", " << window);
          const SlicedEllLayout layout{"test", height, window, lengths};
          const SlicedEllMatrix m = to_sliced_ell(a, layout);
          EXPECT_EQ(m.bytes(), sliced_ell_bytes(a, layout));
          const CsrMatrix back = to_csr(m);
          EXPECT_EQ(back.rows, a.rows);
          EXPECT_EQ(back.columns, a.columns);
          EXPECT_EQ(back.row_offsets, a.row_offsets);
          EXPECT_EQ(back.column_indices, a.column_indices);
          EXPECT_EQ(back.values, a.values);
        }
      }
    }
  }
}

TEST(SlicedEll, tells_a_stored_zero_in_the_first_column_from_an_empty_row_by_its_length) {
  CsrMatrix a{2, 2, {0, 1, 1}, {0}, {0.0}};
  EXPECT_EQ(to_csr(to_sliced_ell(a, {"sellr", 2, 0, true})).row_offsets, a.row_offsets);
  EXPECT_EQ(to_csr(to_sliced_ell(a, {"sell", 2, 0, false})).nonzeros(), 0);
}

TEST(SlicedEll, refuses_slices_and_windows_out_of_range) {
  const auto backend = make_cpu_backend();
  const auto a = std::make_shared<const CsrMatrix>(five_rows());
  for (const Index height : {0, -1, 1025}) {
    FormatOptions options;
    options.slice_height = height;
    for (const char* format : {"sell", "sellr", "sell_c_sigma"}) {
      EXPECT_THROW(make_operator(format, a, *backend, options), InputError) << format << height;
    }
    EXPECT_NO_THROW(make_operator("ellr", a, *backend, options));
  }
  FormatOptions options;
  options.sort_window = 0;
  EXPECT_THROW(make_operator("sell_c_sigma", a, *backend, options), InputError);
}

TEST(SlicedEll, multiplies_whatever_its_slice_height_and_window) {
  const auto backend = make_cpu_backend();
  const CsrMatrix a = ci_like_matrix(150, 6, 2);
  for (const Index height : {1, 3, 31, 33, 64, 1024}) {
    for (const Index window : {1, 7, 40, 4096}) {
      FormatOptions options;
      options.slice_height = height;
      options.sort_window = window;
      for (const char* format : {"sell", "sellr", "sell_c_sigma"}) {
        const auto op =
            make_operator(format, std::make_shared<const CsrMatrix>(a), *backend, options);
        for (const int k : {1, 3}) {
          const HostMatrix x = random_block(a.columns, k, 5);
          const auto device_x = on(*backend, x);
          auto y = on(*backend, random_block(a.rows, k, 6));
          op->apply(1.0, device_x.view(), 0.0, y.view());
          const HostMatrix expected = to_dense(a) * x;
          EXPECT_LT((backend->download(y.view()) - expected).cwiseAbs().maxCoeff(), 1e-13)
              << format << ", C = " << height << ", sigma = " << window;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cisolve
