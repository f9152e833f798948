// The packed format: the layout by hand, there and back bit for bit, its choice of packing, its
// bytes, and products in every packing.

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "core/mixed.hpp"
#include "formats/packed/dictionary.hpp"
#include "formats/packed/packed.hpp"
#include "formats/reference.hpp"
#include "tests/support/matrices/packed_cases.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Bit for bit: −0.0 is not 0.0.
bool same_bits(const Array<double>& a, const Array<double>& b) {
  return std::ranges::equal(a, b, {}, std::bit_cast<std::uint64_t, double>,
                            std::bit_cast<std::uint64_t, double>);
}

TEST(Packed, comes_back_bit_for_bit_from_every_packing) {
  for (const auto& [name, a] : cases()) {
    for (const Packing packing : packings) {
      SCOPED_TRACE(name + ", packing " + std::to_string(static_cast<int>(packing)));
      const CsrMatrix back = to_csr(to_packed(a, plan_packed(a, packing)));
      EXPECT_EQ(back.rows, a.rows);
      EXPECT_EQ(back.columns, a.columns);
      EXPECT_EQ(back.row_offsets, a.row_offsets);
      EXPECT_EQ(back.column_indices, a.column_indices);
      EXPECT_TRUE(same_bits(back.values, a.values));
    }
  }
}

TEST(Packed, takes_the_bytes_planned_and_never_more_than_csr) {
  for (const auto& [name, a] : cases()) {
    SCOPED_TRACE(name);
    const PackedMatrix plan = plan_packed(a);
    const PackedMatrix m = to_packed(a);
    EXPECT_EQ(plan.bytes(), m.bytes());
    EXPECT_EQ(find_format("packed").bytes(a, {}), m.bytes());
    EXPECT_LE(m.bytes(), CsrMatrix::bytes(a.rows, a.nonzeros()));
    const std::size_t stored = m.row_order.size() * 4 + m.slice_offsets.size() * 8 +
                               m.bases.size() * 4 + m.column_offsets.size() * 2 +
                               m.column_indices.size() * 4 + m.codes.size() * 2 +
                               m.dictionary.size() * 8 + m.plain_slice_offsets.size() * 8 +
                               m.plain_bases.size() * 4 + m.plain_column_offsets.size() * 2 +
                               m.plain_values.size() * 8 + m.expansion_offsets.size() * 8 +
                               m.expansion_columns.size() * 4 + m.expansion_values.size() * 8;
    EXPECT_EQ(m.bytes(), stored);
  }
}

TEST(Packed, is_not_planned_to_see_that_it_fits_where_csr_does) {
  const CsrMatrix a = fci_matrix(6, 6, 2);
  const std::size_t csr = CsrMatrix::bytes(a.rows, a.nonzeros());
  Format format = find_format("packed");
  EXPECT_TRUE(format.fits(format.bytes(a, {}), a, {}));
  EXPECT_FALSE(format.fits(format.bytes(a, {}) - 1, a, {}));
  format.bytes = [](const CsrMatrix&, const FormatOptions&) -> std::size_t {
    throw std::logic_error("planned");
  };
  EXPECT_TRUE(format.fits(csr, a, {}));
  EXPECT_THROW(format.fits(csr - 1, a, {}), std::logic_error);
}

TEST(Packed, chooses_the_packing_of_fewest_bytes) {
  for (const auto& [name, a] : cases()) {
    const PackedMatrix chosen = plan_packed(a);
    for (const Packing packing : packings) {
      EXPECT_LE(chosen.bytes(), plan_packed(a, packing).bytes()) << name;
    }
  }
  const auto packing_of = [](const CsrMatrix& a) { return plan_packed(a).packing; };
  EXPECT_EQ(packing_of(fci_matrix(6, 6, 1)), Packing::coded_near);
  EXPECT_EQ(packing_of(repeating_matrix(320, 1 << 30, 40, 7, 2)), Packing::coded_far);
  EXPECT_EQ(packing_of(band_of_distinct(320, 80)), Packing::plain_near);
  EXPECT_EQ(packing_of(repeating_matrix(320, 1 << 30, 40, 1 << 30, 2)), Packing::none);
}

TEST(Packed, takes_less_than_45_percent_of_csr_for_a_small_full_ci) {
  const CsrMatrix a = fci_matrix(8, 6, 1);
  EXPECT_LT(static_cast<double>(plan_packed(a).bytes()),
            0.45 * static_cast<double>(CsrMatrix::bytes(a.rows, a.nonzeros())));
}

TEST(Packed, lays_a_slice_out_step_by_step) {
  // 32 rows of −2 at column i and 3 at 100 + i, the first also 3 at 70000, alone in its step.
  CsrMatrix a = matrix_of_rows(32, 80000, [](Index i) {
    return i == 0 ? std::vector<Index>{0, 100, 70000} : std::vector<Index>{i, 100 + i};
  });
  for (std::size_t e = 0; e < a.values.size(); ++e) {
    a.values[e] = a.column_indices[e] < 100 ? -2.0 : 3.0;
  }
  const PackedMatrix m = to_packed(a, plan_packed(a, Packing::coded_near));
  EXPECT_EQ(m.row_order[0], 0);
  EXPECT_EQ(m.slice_offsets, (Array<Offset>{0, 1}));
  EXPECT_EQ(m.dictionary, (Array<double>{0.0, 3.0, 2.0}));
  EXPECT_EQ(m.bases, (Array<Index>{0, 100, 70000, 0}));
  const auto row = [&](const auto& array, Index r) {
    return std::vector<int>(array.begin() + 4 * r, array.begin() + 4 * r + 4);
  };
  EXPECT_EQ(row(m.column_offsets, 0), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(row(m.codes, 0), (std::vector<int>{0x8002, 1, 1, 0}));
  EXPECT_EQ(row(m.column_offsets, 31), (std::vector<int>{31, 31, 0, 0}));
  EXPECT_EQ(row(m.codes, 31), (std::vector<int>{0x8002, 1, 0, 0}));
  EXPECT_EQ(m.padding(a.nonzeros()), 128 - 65);
  EXPECT_EQ(m.plain_groups(), 0);
  EXPECT_TRUE(m.expansion_offsets.empty());
}

TEST(Packed, lays_elements_without_a_code_into_plain_groups_behind) {
  // Column 1 + i holds a number of its own, column 0 a 5.
  CsrMatrix a = matrix_of_rows(32, 40, [](Index i) { return std::vector<Index>{0, 1 + i, 39}; });
  for (Offset e = 0; e < a.nonzeros(); ++e) {
    a.values[e] = a.column_indices[e] == 0 ? 5.0 : 100.0 + static_cast<double>(e);
  }
  const PackedMatrix m = to_packed(a, plan_packed(a, Packing::coded_near));
  EXPECT_EQ(m.dictionary, (Array<double>{0.0, 5.0}));
  EXPECT_EQ(m.coded_groups(), 1);
  EXPECT_EQ(m.plain_slice_offsets, (Array<Offset>{0, 1}));
  EXPECT_EQ(m.plain_bases, (Array<Index>{1, 39, 0, 0}));
  for (Index r : {0, 7, 31}) {
    const auto place = static_cast<std::size_t>(4 * r);
    EXPECT_EQ(m.codes[place], 1);
    EXPECT_EQ(m.plain_column_offsets[place], r);
    EXPECT_EQ(m.plain_values[place], 100.0 + 3 * r + 1);
    EXPECT_EQ(m.plain_values[place + 1], 100.0 + 3 * r + 2);
    EXPECT_EQ(m.plain_values[place + 2], 0.0);
  }
  EXPECT_EQ(m.padding(a.nonzeros()), 2 * 128 - 96);
  EXPECT_EQ(m.expansion(), 0);
}

TEST(Packed, leaves_groups_to_the_next_kind_that_take_twice_their_entries_in_csr) {
  // A step a row has: 22 entries of 12 bytes are half of a coded group's 528 bytes, 54 of a plain
  // one's 1296; four steps of 11 and of 27 rows.
  struct Stored {
    Index rows;
    Offset coded, plain;
  };
  for (const auto& [rows, coded, plain] :
       {Stored{5, 0, 0}, Stored{6, 1, 0}, Stored{13, 1, 0}, Stored{32, 1, 0}}) {
    CsrMatrix a = matrix_of_rows(rows, 4, [](Index) { return std::vector<Index>{0, 1, 2, 3}; });
    for (double& value : a.values) value = 1.0;
    const PackedMatrix m = plan_packed(a, Packing::coded_near);
    EXPECT_EQ(m.coded_groups(), coded) << rows;
    EXPECT_EQ(m.plain_groups(), plain) << rows;
    EXPECT_EQ(m.expansion(), coded + plain > 0 ? 0 : a.nonzeros()) << rows;
    const PackedMatrix uncoded = plan_packed(a, Packing::plain_near);
    EXPECT_EQ(uncoded.plain_groups(), rows < 14 ? 0 : 1) << rows;
    EXPECT_EQ(uncoded.expansion(), rows < 14 ? a.nonzeros() : 0) << rows;
  }
}

TEST(Dictionary, has_the_most_frequent_magnitudes_first_and_none_met_less_than_three_times) {
  const CsrMatrix a{1,
                    12,
                    {0, 12},
                    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
                    {1.5, -2, 2, 0, 2, -2, 1.5, 7, -1.5, 7, -0.0, 0}};
  const Array<double> dictionary = frequent_magnitudes(a);
  EXPECT_EQ(dictionary, (Array<double>{0.0, 2.0, 1.5}));
  const Encoder encode(dictionary);
  EXPECT_EQ(encode(-1.5), 0x8002);
  EXPECT_EQ(encode(7.0), 0);
  EXPECT_EQ(encode(0.0), 0);
  EXPECT_EQ(encode(-0.0), 0x8000);
  EXPECT_EQ(decoded(dictionary.data(), encode(-2.0)), -2.0);
}

TEST(Dictionary, holds_at_most_what_fifteen_bits_count) {
  const CsrMatrix a = repeating_matrix(700, 5000, 400, 60000, 3);
  EXPECT_EQ(frequent_magnitudes(a).size(), 32768u);
}

TEST(Packed, refuses_nan_and_names_the_element) {
  CsrMatrix a = from_dense(HostMatrix{{1, 2, 0}, {0, 0, 3}});
  a.values[2] = std::nan("");
  try {
    find_format("packed").bytes(a, {});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("(2, 3) is NaN"), std::string::npos) << error.what();
  }
}

TEST(Packed, shares_out_whole_slices_on_the_cpu_and_rows_where_nothing_is_packed) {
  const auto backend = make_cpu_backend();
  const KernelSettings wanted{KernelSettings::Schedule::dynamic, 100};
  const auto chunk = [&](const CsrMatrix& a) {
    return operator_on("cpu", *backend, "packed", a)->effective_kernel(wanted, 1).chunk;
  };
  EXPECT_EQ(chunk(fci_matrix(6, 6, 2)), 96);
  EXPECT_EQ(chunk(distinct_and_far_apart()), 100);
}

class PackedProduct : public ::testing::TestWithParam<std::string> {};

TEST_P(PackedProduct, is_right_in_every_packing) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const std::vector<Case> list{{"coded_near", fci_matrix(6, 6, 2)},
                               {"coded_near, a dictionary larger than shared memory",
                                repeating_matrix(700, 5000, 300, 30000, 3)},
                               {"coded_near, a dictionary for which there is room once",
                                repeating_matrix(700, 5000, 300, 14000, 3)},
                               {"coded_near, long rows", repeating_matrix(40, 60000, 9000, 50, 8)},
                               {"coded_far", repeating_matrix(335, 400000, 4, 7, 2)},
                               {"coded_far, a dictionary for which there is room once",
                                repeating_matrix(15000, 400000, 6, 14000, 7)},
                               {"plain_near", band_of_distinct(333, 300)},
                               {"nothing packed", distinct_and_far_apart()}};
  for (const auto& [name, a] : list) {
    const auto packed = operator_on(GetParam(), backend, "packed", a);
    const std::string packing = name.substr(0, name.find(','));
    EXPECT_EQ(packed->info().layout.substr(0, packing.size()), packing);
    for (const int k : {1, 2, 4, 6, 11}) {
      SCOPED_TRACE(name + ", k = " + std::to_string(k));
      const HostMatrix x = random_block(a.columns, k, 3), y0 = random_block(a.rows, k, 4);
      const auto device_x = on(backend, x);
      auto y = on(backend, y0);
      packed->apply(-2.0, device_x.view(), 0.5, y.view());
      const HostMatrix expected = -2.0 * reference_product(a, x) + 0.5 * y0;
      const HostMatrix error = (backend.download(y.view()) - expected).cwiseAbs();
      const HostMatrix scale = 2.0 * reference_magnitude(a, x) + y0.cwiseAbs();
      EXPECT_LT((error.array() / scale.array()).maxCoeff(), 2e-15);
    }
  }
}

TEST_P(PackedProduct, is_the_same_of_arrays_that_were_there) {
  if (GetParam() == "checked") GTEST_SKIP() << "operators there take the plain host's memory";
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const auto& [name, a] : cases()) {
    if (name == "extremes") continue;  // infinity: no product
    SCOPED_TRACE(name);
    const auto expected = make_operator("packed", std::make_shared<const CsrMatrix>(a), backend);
    const auto found = make_packed(to_packed(a), a.nonzeros(), backend);
    EXPECT_EQ(found->info().bytes, expected->info().bytes);
    EXPECT_EQ(found->info().nonzeros, expected->info().nonzeros);
    EXPECT_EQ(found->info().layout, expected->info().layout);
    const HostMatrix x = random_block(a.columns, 3, 3);
    EXPECT_EQ(product(backend, *found, x), product(backend, *expected, x));
    if (a.rows != a.columns) continue;
    MultiVector d(backend, a.rows, 1);
    found->diagonal(d.view());
    const HostMatrix diagonal_found = backend.download(d.view());
    expected->diagonal(d.view());
    EXPECT_EQ(diagonal_found, backend.download(d.view()));
  }
}

TEST_P(PackedProduct, reads_no_column_in_which_a_row_has_no_entry) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // The second slice has 13 rows of 40 entries and 15 of 20; columns from 20 on hold NaN.
  CsrMatrix a = matrix_of_rows(60, 40, [](Index i) {
    std::vector<Index> row;
    for (Index j = 0; j < (i % 4 == 0 ? 20 : 40); ++j) row.push_back(j);
    return row;
  });
  for (double& value : a.values) value = 0.5;
  const auto packed = operator_on(GetParam(), backend, "packed", a);
  ASSERT_GT(packed->info().padding, 0);
  for (const int k : {1, 4, 8}) {
    HostMatrix x = HostMatrix::Ones(40, k);
    x.bottomRows(20).setConstant(std::nan(""));
    const HostMatrix y = product(backend, *packed, x);
    for (Index i = 0; i < 60; ++i) {
      for (int j = 0; j < k; ++j) {
        EXPECT_EQ(std::isnan(y(i, j)), i % 4 != 0) << "row " << i << ", vector " << j;
      }
    }
  }
}

/// Every 16 elements hold one 0.0, seven denormal numbers and eight of ordinary size. All differ if
/// `distinct`; otherwise one is −0.0, which has a code. Row 3 has an infinity, row 5 a −0.0.
CsrMatrix with_special_elements(CsrMatrix a, bool distinct) {
  using Limits = std::numeric_limits<double>;
  for (Offset e = 0; e < a.nonzeros(); ++e) {
    const double number = distinct ? static_cast<double>(e + 1) : 1.0;
    const std::uint64_t drawn = mixed(static_cast<std::uint64_t>(e)) % 16;
    a.values[e] = drawn == 0 && !distinct ? -0.0
                  : drawn == 1            ? 0.0
                  : drawn < 9             ? number * Limits::denorm_min()
                                          : -0.75 * number;
  }
  a.values[a.row_offsets[3]] = Limits::infinity();
  a.values[a.row_offsets[5]] = -0.0;
  return a;
}

TEST_P(PackedProduct, of_special_values_is_as_theirs) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const std::vector<Case> list{
      {"coded_near", with_special_elements(repeating_matrix(333, 600, 30, 5, 6), false)},
      {"plain_near", with_special_elements(band_of_distinct(333, 60), true)},
      {"nothing packed", with_special_elements(distinct_and_far_apart(), true)}};
  for (const auto& [name, a] : list) {
    const auto packed = operator_on(GetParam(), backend, "packed", a);
    EXPECT_EQ(packed->info().layout.substr(0, name.size()), name);
    for (const int k : {1, 2, 3, 4, 6, 8}) {
      // Vector j has ±infinity in about one column of 97; the denormal elements give finite
      // numbers.
      HostMatrix x = HostMatrix::Constant(a.columns, k, 0x1p1000);
      for (int j = 0; j < k; ++j) {
        for (Index i = j; i < a.columns; i += 97) x(i, j) = i % 2 == 0 ? INFINITY : -INFINITY;
      }
      const HostMatrix y = product(backend, *packed, x), expected = reference_product(a, x);
      const HostMatrix scale = reference_magnitude(a, x);
      for (Index i = 0; i < a.rows; ++i) {
        for (int j = 0; j < k; ++j) {
          SCOPED_TRACE(name + ", row " + std::to_string(i) + ", vector " + std::to_string(j) +
                       " of " + std::to_string(k));
          ASSERT_EQ(std::isnan(y(i, j)), std::isnan(expected(i, j)));
          if (std::isfinite(expected(i, j))) {
            ASSERT_LE(std::abs(y(i, j) - expected(i, j)), 2e-15 * scale(i, j));
          } else if (!std::isnan(expected(i, j))) {
            ASSERT_EQ(y(i, j), expected(i, j));
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, PackedProduct, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
