// The packed format of complex matrices: codes of pairs, there and back bit for bit, what a file of
// them would have to hold, and products in every packing. `field_product_test` has the shapes.

#include <bit>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "formats/packed/decode.hpp"
#include "formats/packed/dictionary.hpp"
#include "formats/packed/packed.hpp"
#include "tests/support/matrices/field_matrices.hpp"
#include "tests/support/matrices/packed_cases.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

using Pair = FieldElement<2>;

/// Elements of the pattern: ± one of `values` numbers or its conjugate, one in four real.
CsrMatrix with_pairs(CsrMatrix a, std::uint64_t values) {
  a.components = 2;
  a.values = Array<double>(2 * a.nonzeros());
  for (Offset e = 0; e < a.nonzeros(); ++e) {
    const std::uint64_t drawn = mixed(static_cast<std::uint64_t>(e)), number = drawn % values;
    const double im = number % 4 == 0 ? 0.0 : mixed_uniform(2 * number + 1);
    a.values[2 * e] = mixed_uniform(2 * number) * (drawn >> 62 & 1 ? 1.0 : -1.0);
    a.values[2 * e + 1] = im * (drawn >> 63 ? 1.0 : -1.0);
  }
  return a;
}

constexpr std::uint64_t all_differ = std::uint64_t{1} << 50;

/// Zeros of both signs, the smallest and the largest numbers and infinity in either part.
CsrMatrix extreme_pairs() {
  CsrMatrix a = with_pairs(repeating_matrix(200, 70000, 30, 5, 4), 7);
  for (Offset e = 0; e < a.nonzeros(); ++e) {
    a.values[2 * e] = extreme_value(e);
    a.values[2 * e + 1] = extreme_value(e / 10);
  }
  return a;
}

const std::vector<Case>& complex_cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list;
    for (const auto& [name, a] : cases()) {
      list.push_back({name + ", few values", with_pairs(a, 50)});
      list.push_back({name + ", all differ", with_pairs(a, all_differ)});
    }
    list.push_back(
        {"more values than codes", with_pairs(repeating_matrix(700, 5000, 400, 1, 3), 20000)});
    list.push_back({"extreme pairs", extreme_pairs()});
    return list;
  }();
  return all;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(PackedComplex, ComesBackBitForBitFromEveryPacking) {
  for (const auto& [name, a] : complex_cases()) {
    for (const Packing packing : packings) {
      SCOPED_TRACE(name + ", " + name_of(packing));
      const PackedMatrix m = to_packed(a, plan_packed(a, packing));
      const CsrMatrix back = to_csr(m);
      EXPECT_EQ(back.components, 2);
      EXPECT_EQ(back.columns, a.columns);
      EXPECT_EQ(back.row_offsets, a.row_offsets);
      EXPECT_EQ(back.column_indices, a.column_indices);
      EXPECT_TRUE(std::ranges::equal(back.values, a.values, same_bits));
      EXPECT_EQ(diagonal(m), diagonal(a));
      if (name == "extreme pairs") continue;  // infinity
      EXPECT_NO_THROW(validate(m, "m"));
    }
  }
}

TEST(PackedComplex, TakesTheBytesPlannedAndNeverMoreThanCsr) {
  for (const auto& [name, a] : complex_cases()) {
    SCOPED_TRACE(name);
    const PackedMatrix m = to_packed(a);
    std::size_t stored = 0;
    for_each_array(
        [&](const char*, const auto& array) { stored += array.size() * sizeof(array[0]); }, m);
    EXPECT_EQ(m.bytes(), stored);
    EXPECT_EQ(plan_packed(a).bytes(), stored);
    EXPECT_LE(stored, CsrMatrix::bytes(a.rows, a.nonzeros(), 2));
    for (const Packing packing : packings) EXPECT_LE(stored, plan_packed(a, packing).bytes());
  }
}

TEST(PackedComplex, TakesLessThanFiveBytesANonzeroWhereValuesRepeat) {
  const CsrMatrix a = with_pairs(fci_matrix(8, 6, 1), 1000);
  EXPECT_EQ(plan_packed(a).packing, Packing::coded_near);
  EXPECT_LT(static_cast<double>(plan_packed(a).bytes()), 5.0 * static_cast<double>(a.nonzeros()));
}

TEST(PackedComplex, OneMagnitudeServesAnElementItsConjugateAndTheirNegatives) {
  CsrMatrix a{1, 9, {0, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {}};
  a.components = 2;
  a.values = {1, 2, 1, -2, -1, 2, -1, -2, 0, -3, 0, 3, 0, -3, 2, 1, 0, 0};
  const Array<double> dictionary = frequent_magnitudes(a);
  EXPECT_EQ(dictionary, (Array<double>{0, 0, 1, 2, 0, 3}));
  const Encoder<2> encode(dictionary);
  EXPECT_EQ(encode({1, 2}), 0x0001);
  EXPECT_EQ(encode({1, -2}), 0x4001);
  EXPECT_EQ(encode({-1, 2}), 0x8001);
  EXPECT_EQ(encode({-1, -2}), 0xc001);
  EXPECT_EQ(encode({-0.0, 3}), 0x8002);
  EXPECT_EQ(encode({2, 1}), 0);
  EXPECT_EQ(encode({0, 0}), 0);
  EXPECT_EQ(decoded<2>(dictionary.data(), 0xc001), (Pair{-1, -2}));
  EXPECT_TRUE(std::signbit(decoded<2>(dictionary.data(), 0x8002)[0]));
}

TEST(PackedComplex, HasSixteenThousandMagnitudesAtMost) {
  const CsrMatrix a = with_pairs(repeating_matrix(700, 5000, 400, 1, 3), 20000);
  EXPECT_EQ(frequent_magnitudes(a).size(), 2u * 16384);
}

TEST(PackedComplex, LaysPairsOutWhereRealElementsWouldBe) {
  // Column 0 holds 5 − i, columns 1 + i and 39 numbers of their own.
  CsrMatrix a = matrix_of_rows(32, 40, [](Index i) { return std::vector<Index>{0, 1 + i, 39}; });
  a.components = 2;
  a.values = Array<double>(2 * a.nonzeros());
  for (Offset e = 0; e < a.nonzeros(); ++e) {
    const bool first = a.column_indices[e] == 0;
    a.values[2 * e] = first ? 5.0 : 100.0 + static_cast<double>(e);
    a.values[2 * e + 1] = first ? -1.0 : 0.25;
  }
  const PackedMatrix m = to_packed(a, plan_packed(a, Packing::coded_near));
  EXPECT_EQ(m.dictionary, (Array<double>{0, 0, 5, 1}));
  ASSERT_EQ(m.coded_groups(), 1);
  ASSERT_EQ(m.plain_groups(), 1);
  for (const Index r : {0, 7, 31}) {
    EXPECT_EQ(m.codes[4 * r], 0x4001);
    EXPECT_EQ(m.codes[4 * r + 1], 0);
    EXPECT_EQ(m.plain_column_offsets[4 * r], r);
    EXPECT_EQ(m.plain_values[8 * r], 100.0 + 3 * r + 1);
    EXPECT_EQ(m.plain_values[8 * r + 1], 0.25);
    EXPECT_EQ(m.plain_values[8 * r + 2], 100.0 + 3 * r + 2);
    EXPECT_EQ(m.plain_values[8 * r + 4], 0.0);
  }
  EXPECT_EQ(m.description(96), "coded_near, 1 magnitudes, 133.3 % plain, 0.0 % in the expansion");
}

TEST(PackedComplex, RefusesNanAndQuaternions) {
  CsrMatrix a = with_pairs(from_dense(HostMatrix{{1, 2, 0}, {0, 0, 3}}), 5);
  a.values[5] = std::nan("");
  try {
    plan_packed(a);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("(2, 3) is NaN"), std::string::npos) << error.what();
  }
  EXPECT_THROW(plan_packed(with_elements(a, 4)), InputError);
}

TEST(PackedComplex, ValidateNamesTheArrayThatIsWrong) {
  const CsrMatrix a = with_pairs(cases()[0].matrix, 20);
  const PackedMatrix whole = to_packed(a, plan_packed(a, Packing::coded_near));
  ASSERT_GT(whole.coded_groups(), 0);
  const auto refusal = [&](auto damage) -> std::string {
    PackedMatrix m = whole;
    damage(m);
    try {
      validate(m, "m");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal([](PackedMatrix&) {}), "accepted");
  EXPECT_EQ(refusal([](PackedMatrix& m) { m.components = 4; }),
            "m: elements of 4 numbers, expected 1 or 2");
  const std::string pairs = ", expected two zeros, then pairs of numbers not below 0";
  EXPECT_EQ(refusal([](PackedMatrix& m) { m.dictionary[1] = -0.0; }),
            "m: dictionary: element 2 is -0" + pairs);
  EXPECT_EQ(refusal([](PackedMatrix& m) { m.dictionary[4] = m.dictionary[5] = 0.0; }),
            "m: dictionary: element 5 is 0" + pairs);
  EXPECT_EQ(refusal([](PackedMatrix& m) { m.dictionary[3] = -1.0; }),
            "m: dictionary: element 4 is -1" + pairs);
  EXPECT_NE(refusal([](PackedMatrix& m) { m.dictionary.pop_back(); }).find("pairs"),
            std::string::npos);
  EXPECT_NE(refusal([](PackedMatrix& m) { m.codes[0] = 0xffff; }).find("codes: element 1"),
            std::string::npos);
}

/// The largest error of a product αAX + βY relative to the moduli that are summed for it.
double relative_error(const HostMatrix& found, const CsrMatrix& a, const HostMatrix& x,
                      double alpha = 1.0, double beta = 0.0, const HostMatrix& y = {}) {
  HostMatrix expected = alpha * field_product(a, x);
  if (beta != 0.0) expected += beta * y;
  double largest = 0.0;
  for (Index i = 0; i < a.rows; ++i) {
    for (Eigen::Index k = 0; k < x.cols(); ++k) {
      double sum = 0.0;
      for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
        const Eigen::Index j = 2 * Eigen::Index{a.column_indices[e]};
        sum += std::hypot(a.values[2 * e], a.values[2 * e + 1]) * std::hypot(x(j, k), x(j + 1, k));
      }
      for (Eigen::Index c = 2 * Eigen::Index{i}; c < 2 * Eigen::Index{i} + 2; ++c) {
        const double old = beta == 0.0 ? 0.0 : std::abs(beta * y(c, k));
        const double scale = std::abs(alpha) * sum + old;
        const double error = std::abs(found(c, k) - expected(c, k));
        if (error > 0.0) largest = std::max(largest, error / scale);
      }
    }
  }
  return largest;
}

class PackedComplexProduct : public ::testing::TestWithParam<std::string> {};

TEST_P(PackedComplexProduct, IsRightInEveryPacking) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const std::vector<Case> list{
      {"coded_near", with_pairs(fci_matrix(6, 6, 2), 60)},
      {"coded_near, a dictionary larger than shared memory",
       with_pairs(repeating_matrix(700, 5000, 300, 1, 3), 15000)},
      {"coded_near, a dictionary for which there is room once",
       with_pairs(repeating_matrix(700, 5000, 300, 1, 3), 7000)},
      {"coded_near, long rows", with_pairs(repeating_matrix(40, 60000, 9000, 1, 8), 50)},
      {"coded_near, elements that differ among others",
       with_pairs(repeating_matrix(700, 700, 100, 1, 9), 60000)},
      {"coded_far", with_pairs(repeating_matrix(335, 400000, 4, 1, 2), 7)},
      {"coded_far, a dictionary for which there is room once",
       with_pairs(repeating_matrix(15000, 400000, 6, 1, 7), 7000)},
      {"plain_near", with_pairs(band_of_distinct(333, 300), all_differ)},
      {"nothing packed", with_pairs(distinct_and_far_apart(), all_differ)}};
  for (const auto& [name, a] : list) {
    const auto packed = operator_on(GetParam(), backend, "packed", a);
    const std::string packing = name.substr(0, name.find(','));
    EXPECT_EQ(packed->info().layout.substr(0, packing.size()), packing) << name;
    EXPECT_EQ(packed->info().nonzeros, a.nonzeros());
    for (const int k : {1, 2, 3, 4, 7}) {
      SCOPED_TRACE(name + ", k = " + std::to_string(k));
      const HostMatrix x = random_block(2 * a.columns, k, 3), y0 = random_block(2 * a.rows, k, 4);
      const auto device_x = on(backend, x);
      auto y = on(backend, y0);
      packed->apply(-2.0, device_x.view(), 0.5, y.view());
      EXPECT_LT(relative_error(backend.download(y.view()), a, x, -2.0, 0.5, y0), 2e-15);
    }
  }
}

TEST_P(PackedComplexProduct, IsRightByBlocksOfAnySize) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // Rows of 100 entries, a few of 2000: batches of one slice, whose parts several teams take.
  const CsrMatrix a = with_pairs(matrix_of_rows(3000, 3000,
                                                [](Index i) {
                                                  std::vector<Index> row(i % 997 == 3 ? 2000 : 100);
                                                  std::uint64_t drawn = mixed(i);
                                                  for (Index& j : row) {
                                                    j = (drawn = mixed(drawn)) % 3000;
                                                  }
                                                  return row;
                                                }),
                                 40);
  const auto packed = operator_on(GetParam(), backend, "packed", a);
  for (const int threads : {32, 64, 96, 256, 992, 1024}) {
    packed->use({.block_threads = threads});
    for (const int k : {1, 2, 4}) {
      SCOPED_TRACE("blocks of " + std::to_string(threads) + ", k = " + std::to_string(k));
      const HostMatrix x = random_block(2 * a.columns, k, 3);
      const HostMatrix y = product(backend, *packed, x);
      EXPECT_LT(relative_error(y, a, x), 2e-15);
      for (int repetition = 0; repetition < 3; ++repetition) {
        ASSERT_EQ(product(backend, *packed, x), y);
      }
    }
  }
}

TEST_P(PackedComplexProduct, IsTheSameOfArraysThatWereThere) {
  if (GetParam() == "checked") GTEST_SKIP() << "operators there take the plain host's memory";
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const auto& [name, a] : complex_cases()) {
    if (name == "extreme pairs") continue;  // infinity: no product
    SCOPED_TRACE(name);
    const auto expected = make_operator("packed", std::make_shared<const CsrMatrix>(a), backend);
    const auto found = make_packed(to_packed(a), a.nonzeros(), backend);
    EXPECT_EQ(found->components(), 2);
    EXPECT_EQ(found->rows(), expected->rows());
    EXPECT_EQ(found->columns(), expected->columns());
    EXPECT_EQ(found->info().bytes, expected->info().bytes);
    EXPECT_EQ(found->info().layout, expected->info().layout);
    const HostMatrix x = random_block(2 * a.columns, 3, 3);
    EXPECT_EQ(product(backend, *found, x), product(backend, *expected, x));
    MultiVector d(backend, found->rows(), 1);
    found->diagonal(d.view());
    const HostMatrix diagonal_found = backend.download(d.view());
    expected->diagonal(d.view());
    EXPECT_EQ(diagonal_found, backend.download(d.view()));
  }
}

TEST_P(PackedComplexProduct, ReadsNoColumnInWhichARowHasNoEntry) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // Every fourth row ends before the columns that hold NaN; few values, then values that differ.
  for (const std::uint64_t values : {std::uint64_t{1}, all_differ}) {
    const CsrMatrix a = with_pairs(matrix_of_rows(60, 40,
                                                  [](Index i) {
                                                    std::vector<Index> row;
                                                    const Index end = i % 4 == 0 ? 20 : 40;
                                                    for (Index j = 0; j < end; ++j)
                                                      row.push_back(j);
                                                    return row;
                                                  }),
                                   values);
    const auto packed = operator_on(GetParam(), backend, "packed", a);
    ASSERT_GT(packed->info().padding, 0);
    for (const int k : {1, 2, 4, 7}) {
      HostMatrix x = HostMatrix::Ones(80, k);
      x.bottomRows(40).setConstant(std::nan(""));
      const HostMatrix y = product(backend, *packed, x);
      for (Index i = 0; i < 120; ++i) {
        for (int j = 0; j < k; ++j) {
          EXPECT_EQ(std::isnan(y(i, j)), i / 2 % 4 != 0) << "row " << i << ", vector " << j;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, PackedComplexProduct,
                         ::testing::Values("cpu", "checked", "cuda"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
