// Coordinates: the layout by hand, there and back, and the product where rows and shares of work
// do not end together.

#include <omp.h>

#include "core/dense/host_matrix.hpp"
#include "formats/coo/coo.hpp"
#include "formats/reference.hpp"
#include "tests/support/matrices/to_csr.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Row i holds the first lengths[i] columns.
CsrMatrix matrix_of_lengths(const std::vector<Index>& lengths) {
  const Index columns = std::ranges::max(lengths) + 1;
  return matrix_of_rows(static_cast<Index>(lengths.size()), columns, [&](Index i) {
    std::vector<Index> row(lengths[i]);
    for (Index j = 0; j < lengths[i]; ++j) row[j] = j;
    return row;
  });
}

/// Lengths around a warp (32), a chunk of the CUDA kernel (512) and a piece of the CPU's (8192).
const std::vector<std::vector<Index>>& row_lengths() {
  static const std::vector<std::vector<Index>> all = [] {
    std::vector<std::vector<Index>> list{
        {512, 512, 512, 1, 511},       // rows that end where chunks do
        {1, 512, 1536, 510, 1, 0, 3},  // a row over several chunks, from inside one into another
        {0, 0, 5, 0, 2048, 0, 0, 32, 31},  // empty rows, a row that starts inside a chunk
        {20000, 1, 8192, 0, 8191, 1, 3},   // rows longer than a piece
        {511, 2, 511, 33, 31, 1, 0}};
    std::mt19937 engine(5);
    std::geometric_distribution<Index> any(0.03);
    list.emplace_back(3000);
    for (Index& length : list.back()) length = any(engine);
    return list;
  }();
  return all;
}

TEST(Coo, holds_a_triplet_for_every_entry_by_row) {
  const CsrMatrix a = from_dense(HostMatrix{{1, 0, 2}, {0, 0, 0}, {0, 3, 0}});
  const CooMatrix coo = to_coo(a);
  EXPECT_EQ(coo.row_indices, (Array<Index>{0, 0, 2}));
  EXPECT_EQ(coo.column_indices, (Array<Index>{0, 2, 1}));
  EXPECT_EQ(coo.values, (Array<double>{1, 2, 3}));
  EXPECT_EQ(coo.bytes(), 16u * 3);
}

TEST(Coo, leaves_out_the_first_entries_of_every_row_when_asked) {
  const CsrMatrix a = from_dense(HostMatrix{{1, 2, 3}, {4, 0, 0}, {0, 5, 6}});
  const CooMatrix coo = to_coo(a, 1);
  EXPECT_EQ(coo.row_indices, (Array<Index>{0, 0, 2}));
  EXPECT_EQ(coo.column_indices, (Array<Index>{1, 2, 2}));
  EXPECT_EQ(coo.values, (Array<double>{2, 3, 6}));
}

TEST(Coo, comes_back_bit_for_bit) {
  for (const auto& lengths : row_lengths()) {
    const CsrMatrix a = matrix_of_lengths(lengths);
    const CsrMatrix back = to_csr(to_coo(a));
    EXPECT_EQ(back.rows, a.rows);
    EXPECT_EQ(back.columns, a.columns);
    EXPECT_EQ(back.row_offsets, a.row_offsets);
    EXPECT_EQ(back.column_indices, a.column_indices);
    EXPECT_EQ(back.values, a.values);
  }
}

class CooProduct : public ::testing::TestWithParam<std::string> {};

TEST_P(CooProduct, is_right_wherever_rows_and_shares_of_work_end) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (std::size_t shape = 0; shape < row_lengths().size(); ++shape) {
    const CsrMatrix a = matrix_of_lengths(row_lengths()[shape]);
    const auto coo = operator_on(GetParam(), backend, "coo", a);
    for (const int k : {1, 2, 3, 8, 11}) {
      SCOPED_TRACE("lengths " + std::to_string(shape) + ", k = " + std::to_string(k));
      const HostMatrix x = random_block(a.columns, k, 2), y0 = random_block(a.rows, k, 3);
      const auto device_x = on(backend, x);
      auto y = on(backend, y0);
      coo->apply(2.0, device_x.view(), -0.5, y.view());
      const HostMatrix expected = 2.0 * reference_product(a, x) - 0.5 * y0;
      const HostMatrix scale = reference_magnitude(a, x) + y0.cwiseAbs();
      const HostMatrix error = (backend.download(y.view()) - expected).cwiseAbs();
      ASSERT_TRUE((error.array() <= 1e-13 * scale.array()).all());
    }
  }
}

TEST_P(CooProduct, has_the_same_bits_on_every_run) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = matrix_of_lengths(row_lengths().back());
  const auto coo = operator_on(GetParam(), backend, "coo", a);
  const auto x = on(backend, random_block(a.columns, 4, 2));
  auto first = on(backend, HostMatrix::Zero(a.rows, 4));
  coo->apply(1.0, x.view(), 0.0, first.view());
  for (int run = 0; run < 20; ++run) {
    auto y = on(backend, HostMatrix::Zero(a.rows, 4));
    coo->apply(1.0, x.view(), 0.0, y.view());
    ASSERT_EQ(backend.download(y.view()), backend.download(first.view()));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, CooProduct, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

TEST(Coo, product_does_not_depend_on_the_number_of_threads) {
  const CsrMatrix a = matrix_of_lengths(row_lengths().back());
  const CooMatrix coo = to_coo(a);
  const HostMatrix x = random_block(a.columns, 3, 2);
  const int threads = omp_get_max_threads();
  std::vector<HostMatrix> results;
  for (const int count : {1, 2, 3, 7}) {
    omp_set_num_threads(count);
    HostMatrix y = HostMatrix::Zero(a.rows, 3);
    add_product(coo, 1.0, {x.data(), a.columns, 3, 3}, {y.data(), a.rows, 3, 3});
    results.push_back(y);
  }
  omp_set_num_threads(threads);
  for (const HostMatrix& y : results) EXPECT_EQ(y, results.front());
}

}  // namespace
}  // namespace cisolve
