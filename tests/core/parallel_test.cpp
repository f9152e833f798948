// Exceptions in parallel regions: they come out with their type and message, and what runs out of
// memory within a region says so instead of ending the program.

#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/packed/decode.hpp"
#include "formats/packed/dictionary.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/matrix/excitations.hpp"
#include "hamiltonian/states/pair_excitations.hpp"
#include "hamiltonian/states/spin_matrix.hpp"
#include "io/matrix_file.hpp"
#include "solvers/linear/splitting.hpp"
#include "tests/support/matrices/packed_cases.hpp"
#include "tests/support/support.hpp"

namespace {
bool regions_have_memory = true;
}

// Without memory for regions, the first `new` in a parallel region fails, even of one thread. Not
// inlined, because the compiler would then warn of `free` for the result of `new`.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* memory = nullptr;
  if (regions_have_memory || omp_get_level() == 0) memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Tests with that many threads.
class Parallel : public ::testing::TestWithParam<int> {
 protected:
  Parallel() { omp_set_num_threads(GetParam()); }
  ~Parallel() override { omp_set_num_threads(before_); }

 private:
  int before_ = omp_get_max_threads();
};

/// f() says that memory is short where regions have none, and then works with what they have.
template <class F>
void expect_out_of_memory(F f) {
  regions_have_memory = false;
  EXPECT_THROW(f(), std::bad_alloc);
  regions_have_memory = true;
  EXPECT_NO_THROW(f());
}

TEST_P(Parallel, work_is_done_where_nothing_is_thrown) {
  std::vector<int> done(1000, 0);
  FirstException exception;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < done.size(); ++i) exception.guard([&] { ++done[i]; });
  EXPECT_NO_THROW(exception.rethrow());
  EXPECT_EQ(done, std::vector<int>(1000, 1));
}

TEST_P(Parallel, an_exception_comes_out_as_it_was_thrown) {
  std::vector<int> done(1000, 0);
  int threads = 1;
  FirstException exception;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < done.size(); ++i) {
      exception.guard([&] {
        if (i == 400) throw ResourceError("no room for row 400");
        ++done[i];
      });
    }
  }
  try {
    exception.rethrow();
    FAIL() << "nothing was thrown";
  } catch (const ResourceError& error) {
    EXPECT_STREQ(error.what(), "no room for row 400");
  }
  // The thread that threw had gone through its part in order, and passes over the rest of it.
  const int part = (1000 + threads - 1) / threads, first = 400 / part * part;
  for (int i = first; i < first + part && i < 1000; ++i) EXPECT_EQ(done[i], i < 400) << i;
}

TEST_P(Parallel, one_of_many_exceptions_comes_out) {
  std::vector<int> thrown(1000, 0);
  FirstException exception;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < thrown.size(); ++i) {
    exception.guard([&] {
      thrown[i] = 1;
      throw InputError(std::to_string(i));
    });
  }
  try {
    exception.rethrow();
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(thrown[std::stoi(error.what())], 1);
  }
  // A thread throws once at most.
  const int calls = std::accumulate(thrown.begin(), thrown.end(), 0);
  EXPECT_GE(calls, 1);
  EXPECT_LE(calls, GetParam());
}

TEST_P(Parallel, the_matrix_builder_runs_out_of_memory) {
  const Integrals integrals = random_integrals({6, 6, 1, 1});
  const CiSpace space = make_ci_space(integrals, {});
  const CiMatrixBuilder builder(integrals, space);
  const std::vector<Index> rows{0, 3, 5};
  expect_out_of_memory([&] { builder.count(); });
  expect_out_of_memory([&, offsets = builder.count()] { builder.fill(offsets); });
  expect_out_of_memory([&] { builder.some_rows(rows); });
  expect_out_of_memory([&] { builder.diagonal(); });
  expect_out_of_memory([&] {
    ExcitationTable(space.alpha, {*integrals.one_electron[alpha], *integrals.alpha_alpha});
  });
  expect_out_of_memory([&] { PairExcitations(space.alpha); });
  expect_out_of_memory([&] { s_squared_matrix(space); });
}

TEST_P(Parallel, packing_runs_out_of_memory) {
  const CsrMatrix a = repeating_matrix(32, 1000, 30, 5, 1);
  const PackedMatrix plan = plan_packed(a, Packing::coded_near);
  const PackedMatrix packed = to_packed(a, plan);
  expect_out_of_memory([&] { plan_packed(a, Packing::coded_near); });
  expect_out_of_memory([&] { to_packed(a, plan); });
  expect_out_of_memory([&] { validate(packed, "packed"); });
}

TEST_P(Parallel, magnitudes_are_sorted_without_memory_of_the_threads) {
  // Numbers of threads that are no power of two leave parts over when they are merged.
  for (const int threads : {GetParam(), 3, 7}) {
    omp_set_num_threads(threads);
    for (const int count : {0, 1, 5, 1000}) {
      std::vector<double> elements(count);
      for (int i = 0; i < count; ++i) elements[i] = i * i % 31 - 12;
      std::map<double, int> occurrences;
      for (const double x : elements) ++occurrences[std::abs(x)];
      std::vector<std::pair<int, double>> expected;  // −occurrences, magnitude
      for (const auto& [x, times] : occurrences) {
        if (times >= 3 && x != 0.0) expected.emplace_back(-times, x);
      }
      std::ranges::sort(expected);
      regions_have_memory = false;
      const Array<double> found = frequent_magnitudes(elements);
      regions_have_memory = true;
      ASSERT_EQ(found.size(), expected.size() + 1);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(found[i + 1], expected[i].second);
      }
    }
  }
}

TEST_P(Parallel, checks_of_input_run_out_of_memory) {
  CsrMatrix a = band_of_distinct(100, 3);
  a.column_indices[7] = a.columns;
  regions_have_memory = false;
  EXPECT_THROW(validate(a, "band"), std::bad_alloc);  // for the message
  regions_have_memory = true;
  EXPECT_THROW(validate(a, "band"), InputError);

  const HostMatrix infinite = HostMatrix::Constant(8, 2, std::numeric_limits<double>::infinity());
  const auto backend = make_cpu_backend();
  const auto split = [&] {
    return Splitting(*backend, HostMatrix::Ones(8, 1), 0.0, 0, DiagonalBlocks{infinite, {}});
  };
  regions_have_memory = false;
  EXPECT_THROW(split(), std::bad_alloc);
  regions_have_memory = true;
  EXPECT_THROW(split(), InputError);
}

TEST_P(Parallel, reading_runs_out_of_memory) {
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    ("parallel_test_" + std::to_string(GetParam()) + ".mtx");
  // A D exponent is read from a copy of its word.
  std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n2 2 1\n"
                         "1 2 1.000000000000000000000000000000D+00\n";
  expect_out_of_memory([&] { read_matrix_market(path); });
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, ::testing::Values(1, 4));

}  // namespace
}  // namespace cisolve
