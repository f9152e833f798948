// A packed matrix made on the device has the host's arrays, whatever the packing and the blocks.

#include <bit>
#include <cmath>

#include "core/error.hpp"
#include "core/mixed.hpp"
#include "formats/reference.hpp"
#include "tests/support/matrices/packed_cases.hpp"
#include "tests/support/support.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "core/dense/host_matrix.hpp"
#include "formats/matrix/host_rows.hpp"
#include "formats/packed/convert_cuda.hpp"
#include "formats/packed_symmetric/packed_symmetric.hpp"
#endif

namespace cisolve {
namespace {

using namespace cisolve::testing;

#ifndef CISOLVE_HAVE_CUDA
TEST(PackedOnDevice, has_the_arrays_of_the_host) {
  GTEST_SKIP() << cuda_unavailable_reason();
}
#else

constexpr std::size_t one_window = 1;  ///< bytes of a block, of a window of rows at least

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}
template <class T>
T bits(T value) {
  return value;
}

/// The array and the first place that differ.
template <class T>
void expect_same(const char* name, const Buffer<T>& device, const Array<T>& host,
                 Backend& backend) {
  ASSERT_EQ(device.size(), host.size()) << name;
  Array<T> found(device.size());
  backend.download_bytes(device.data(), found.data(), found.size() * sizeof(T));
  for (std::size_t i = 0; i < host.size(); ++i) {
    ASSERT_EQ(bits(found[i]), bits(host[i])) << name << "[" << i << "]";
  }
}

void expect_same(const DevicePacked& device, const PackedMatrix& host, Backend& backend) {
  for_each_array([&](const char* name, const auto& found,
                     const auto& expected) { expect_same(name, found, expected, backend); },
                 device, host);
}

/// Rows of 0 to `longest` entries in random columns. `distinct` of a thousand elements differ from
/// all others; the rest is ± one of 50 numbers.
CsrMatrix random_matrix(Index rows, Index columns, int longest, int distinct, unsigned seed) {
  std::mt19937 engine(seed);
  CsrMatrix a = matrix_of_rows(
      rows, columns,
      [&](Index) {
        std::vector<Index> row(engine() % (longest + 1));
        for (Index& j : row) j = static_cast<Index>(engine() % columns);
        return row;
      },
      seed);
  for (double& value : a.values) {
    if (static_cast<int>(engine() % 1000) < distinct) continue;
    value = mixed_uniform(engine() % 50) * (engine() % 2 == 0 ? 1.0 : -1.0);
  }
  return a;
}

/// One of three elements is like no other.
CsrMatrix extremes_among_others() {
  CsrMatrix a = random_matrix(1500, 70000, 60, 1000, 4);
  for (Offset e = 0; e < a.nonzeros(); ++e) {
    if (e % 3 > 0) a.values[e] = extreme_value(e);
  }
  return a;
}

/// The cases that all packed tests share, of one window of rows each; and others, of several
/// windows mostly.
std::vector<Case> device_cases() {
  std::vector<Case> list = cases();
  list.push_back({"repeated magnitudes", random_matrix(3000, 20000, 150, 100, 1)});
  list.push_back({"no repeated magnitudes", random_matrix(2100, 9000, 90, 1000, 2)});
  list.push_back({"far columns", random_matrix(1030, 2000000000, 80, 30, 3)});
  list.push_back({"extremes among others", extremes_among_others()});
  list.push_back({"mostly empty rows", random_matrix(5000, 40, 1, 500, 5)});
  list.push_back({"more elements than the sample has", random_matrix(2500, 100000, 3600, 50, 6)});
  list.push_back({"one row", CsrMatrix{1, 9, {0, 3}, {0, 4, 8}, {2.0, -2.0, 3.0}}});
  list.push_back({"no entries in two windows", CsrMatrix{1025, 3, Array<Offset>(1026, 0), {}, {}}});
  return list;
}

TEST(PackedOnDevice, has_the_arrays_of_the_host) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  for (const auto& [name, a] : device_cases()) {
    for (const Packing packing : packings) {
      const PackedMatrix host = to_packed(a, plan_packed(a, packing));
      for (const std::size_t block_bytes : {one_window, std::size_t{1} << 28}) {
        SCOPED_TRACE(name + ", packing " + std::to_string(static_cast<int>(packing)) +
                     ", blocks of " + std::to_string(block_bytes) + " bytes");
        HostRows source(a, backend, block_bytes);
        const PackedMatrix plan = plan_packed(source, packing, backend);
        const DevicePacked device = pack_on_device(source, plan, backend);
        EXPECT_EQ(plan.description(a.nonzeros()), host.description(a.nonzeros()));
        expect_same(device, host, backend);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(PackedOnDevice, chooses_as_the_host_does) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  for (const auto& [name, a] : device_cases()) {
    HostRows source(a, backend);
    EXPECT_EQ(plan_packed(source, backend).packing, plan_packed(a).packing) << name;
  }
}

TEST(PackedOnDevice, has_the_operator_of_a_source) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const CsrMatrix a = random_matrix(3000, 3000, 150, 100, 7);
  HostRows source(a, backend, one_window);
  const auto of_source = make_packed_from_rows(source, backend);
  const auto of_matrix = operator_on("cuda", backend, "packed", a);
  const HostMatrix x = random_block(a.columns, 2, 3);
  EXPECT_EQ(product(backend, *of_source, x), product(backend, *of_matrix, x));
  EXPECT_EQ(of_source->info().nonzeros, a.nonzeros());
  MultiVector d(backend, a.rows, 1);
  of_source->diagonal(d.view());
  const std::vector<double> expected = diagonal(a);
  const HostMatrix found = backend.download(d.view());
  for (Index i = 0; i < a.rows; ++i) ASSERT_EQ(found(i, 0), expected[i]) << "row " << i;
}

TEST(PackedSymmetricOnDevice, is_made_of_whole_rows_in_blocks) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  for (const int distinct : {100, 1000}) {
    const HostMatrix half = to_dense(random_matrix(3000, 3000, 60, distinct, 7));
    const CsrMatrix a = from_dense(half + half.transpose());
    HostRows source(a, backend, one_window);
    const auto of_rows = make_packed_symmetric_from_rows(source, backend);
    const auto of_matrix = operator_on("cuda", backend, "packed_symmetric", a);
    EXPECT_EQ(of_rows->info().layout, of_matrix->info().layout);
    EXPECT_EQ(of_rows->info().bytes, of_matrix->info().bytes);
    EXPECT_EQ(of_rows->info().nonzeros, a.nonzeros());
    const HostMatrix x = random_block(a.columns, 3, 3), expected = reference_product(a, x);
    EXPECT_LE((product(backend, *of_rows, x) - expected).norm(), 1e-14 * expected.norm());
    MultiVector d(backend, a.rows, 1);
    of_rows->diagonal(d.view());
    const std::vector<double> diagonals = diagonal(a);
    const HostMatrix told = backend.download(d.view());
    for (Index i = 0; i < a.rows; ++i) ASSERT_EQ(told(i, 0), diagonals[i]) << "row " << i;
  }
}

/// Rows of `count` entries, of which a few have a hundred times as many: too many for their slices.
CsrMatrix few_long_rows(Index rows, Index columns, int count) {
  CsrMatrix a = matrix_of_rows(rows, columns, [&](Index i) {
    std::vector<Index> row(i % 997 == 3 ? 100 * count : i % 97 == 0 ? count + 30 : count);
    std::uint64_t drawn = mixed(static_cast<std::uint64_t>(i));
    for (Index& j : row) j = static_cast<Index>((drawn = mixed(drawn)) % columns);
    return row;
  });
  for (double& value : a.values) value = value < 0 ? -0.25 : 0.5;
  return a;
}

/// Blocks draw batches in an order of their own each time, and a product must leave the counter as
/// it found it.
TEST(PackedOnDevice, has_the_same_products_whoever_works_a_batch) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const std::vector<Case> list{{"more batches than blocks", few_long_rows(40000, 3000, 200)},
                               {"batches of short rows", few_long_rows(30000, 3000, 5)}};
  for (const auto& [name, a] : list) {
    const auto packed = operator_on("cuda", backend, "packed", a);
    EXPECT_NE(packed->info().layout.find("coded_near"), std::string::npos);
    for (const int k : {1, 2, 8}) {
      SCOPED_TRACE(name + ", k = " + std::to_string(k));
      const HostMatrix x = random_block(a.columns, k, 3);
      const HostMatrix y = product(backend, *packed, x);
      const HostMatrix error = (y - reference_product(a, x)).cwiseAbs();
      EXPECT_LT((error.array() / reference_magnitude(a, x).array()).maxCoeff(), 2e-15);
      for (int repetition = 0; repetition < 5; ++repetition) {
        ASSERT_EQ(product(backend, *packed, x), y) << "repetition " << repetition;
      }
    }
  }
}

/// Teams are whole whatever a block's threads, and none but those take part.
TEST(PackedOnDevice, has_the_same_products_by_blocks_of_any_size) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const CsrMatrix a = few_long_rows(3000, 3000, 100);
  const auto packed = operator_on("cuda", backend, "packed", a);
  for (const int threads : {32, 64, 96, 256, 992, 1024}) {
    packed->use({.block_threads = threads});
    for (const int k : {1, 3, 8}) {
      SCOPED_TRACE("blocks of " + std::to_string(threads) + ", k = " + std::to_string(k));
      const int team = k == 8 ? 64 : 32;
      const int taken = packed->effective_kernel({.block_threads = threads}, k).block_threads;
      EXPECT_EQ(taken % team, 0);
      EXPECT_LE(taken, std::max(threads, team));
      const HostMatrix x = random_block(a.columns, k, 3);
      const HostMatrix error = (product(backend, *packed, x) - reference_product(a, x)).cwiseAbs();
      EXPECT_LT((error.array() / reference_magnitude(a, x).array()).maxCoeff(), 2e-15);
    }
  }
}

TEST(PackedOnDevice, refuses_nan_and_names_the_first) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  CsrMatrix a = random_matrix(3000, 300, 20, 100, 8);
  // The first entries of two rows of the second block and of one of the third.
  for (const Index row : {2900, 1700, 1500}) {
    Index i = row;
    while (a.row_length(i) == 0) ++i;
    a.values[a.row_offsets[i]] = std::nan("");
  }
  const auto message = [](auto f) -> std::string {
    try {
      f();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  HostRows source(a, backend, one_window);
  const std::string expected = message([&] { plan_packed(a); });
  EXPECT_NE(expected, "accepted");
  EXPECT_EQ(message([&] { plan_packed(source, backend); }), expected);
  const PackedMatrix none = plan_packed(source, Packing::none, backend);
  EXPECT_EQ(message([&] { pack_on_device(source, none, backend); }), expected);
}

#endif

}  // namespace
}  // namespace cisolve
