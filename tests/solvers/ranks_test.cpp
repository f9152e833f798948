// Every eigensolver over ranks, which here are threads: the states of one rank.
#include "backends/ranks/whole_vectors.hpp"
#include "tests/support/eigenpairs.hpp"
#include "tests/support/own_part.hpp"
#include "tests/support/thread_ranks.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

struct SolvedStates {
  EigenResult result;
  HostMatrix vectors;
};

/// The result of every rank, which is to be the same.
std::vector<SolvedStates> solve_over(const std::string& backend_name, const CsrMatrix& a,
                                     const PSpace& p, const EigenOptions& options,
                                     const RowPartition& parts) {
  std::vector<SolvedStates> solved(parts.ranks());
  ThreadRanks(parts.ranks()).run([&](Communicator& ranks) {
    OwnPart part(backend_name, ranks, a, p, parts);
    SolvedStates& mine = solved[ranks.rank()];
    mine.result = lowest_eigenpairs(*part.op, *part.backend, part.p, options);
    mine.vectors = download_whole(*part.backend, mine.result.vectors.view());
    mine.result.vectors = {};
  });
  return solved;
}

using Parameters = std::tuple<std::string, Method, int>;

class OverRanks : public ::testing::TestWithParam<Parameters> {
 protected:
  void expect_states_of_one_rank(const CsrMatrix& a, const PSpace& p, EigenOptions options) {
    const auto& [backend_name, method, count] = GetParam();
    if (!make_backend(backend_name)) GTEST_SKIP() << cuda_unavailable_reason();
    options.method = method.method;
    options.tolerance = 1e-8;
    const auto one = solve_over(backend_name, a, p, options, even_partition(a.rows, 1));
    EXPECT_EQ(one[0].result.status, SolveStatus::converged);
    for (const SolvedStates& s :
         solve_over(backend_name, a, p, options, uneven_partition(a.rows, count, backend_name))) {
      EXPECT_EQ(s.result.status, SolveStatus::converged);
      EXPECT_EQ(s.result.verified, one[0].result.verified);
      EXPECT_EQ(s.result.iterations, one[0].result.iterations);
      EXPECT_EQ(s.result.sectors, one[0].result.sectors);
      EXPECT_EQ(s.result.sector_sizes, one[0].result.sector_sizes);
      for (int j = 0; j < options.states; ++j) {
        EXPECT_NEAR(s.result.energies[j], one[0].result.energies[j], 1e-12);
      }
      // Both subspaces are equal.
      const HostMatrix overlap = one[0].vectors.transpose() * s.vectors;
      EXPECT_LE(
          (overlap.transpose() * overlap - HostMatrix::Identity(overlap.cols(), overlap.cols()))
              .norm(),
          1e-10);
      const HostMatrix residual =
          to_dense(a) * s.vectors -
          s.vectors *
              Eigen::Map<const HostVector>(s.result.energies.data(), options.states).asDiagonal();
      EXPECT_LE(residual.colwise().norm().maxCoeff(), 2e-8);
    }
    expect_lowest(a, one[0].result, 1e-12);
  }
};

TEST_P(OverRanks, finds_the_states_of_one_rank) {
  const CsrMatrix a = ci_like_matrix(150, 5, 9);
  EigenOptions options = thorough_options();
  options.states = 3;
  expect_states_of_one_rank(a, p_space_of(a, 15), options);
}

TEST_P(OverRanks, finds_them_in_sectors_whose_rows_are_interleaved) {
  HostMatrix dense = HostMatrix::Zero(120, 120);
  for (int c = 0; c < 3; ++c) {
    const HostMatrix block = to_dense(ci_like_matrix(40, 4, 10 + c));
    for (int i = 0; i < 40; ++i) {
      for (int j = 0; j < 40; ++j) dense(3 * i + c, 3 * j + c) = block(i, j);
    }
  }
  const CsrMatrix a = from_dense(dense);
  EigenOptions options = thorough_options();
  options.states = 4;
  expect_states_of_one_rank(a, p_space_with_sectors(a, 20), options);
}

TEST_P(OverRanks, finds_them_with_a_p_space_and_a_sector_on_one_rank_alone) {
  HostMatrix dense = HostMatrix::Zero(120, 120);
  dense.topLeftCorner(10, 10) = to_dense(ci_like_matrix(10, 3, 3));
  dense.bottomRightCorner(110, 110) = to_dense(ci_like_matrix(110, 4, 4));
  dense.bottomRightCorner(110, 110).diagonal().array() += 1.5;
  const CsrMatrix a = from_dense(dense);
  EigenOptions options = thorough_options();
  options.states = 5;
  expect_states_of_one_rank(a, p_space_with_sectors(a, 8), options);
}

TEST_P(OverRanks, restarts_in_the_smallest_basis) {
  const CsrMatrix a = ci_like_matrix(120, 6, 22);
  EigenOptions options = thorough_options();
  options.states = std::get<1>(GetParam()).method == EigenMethod::lanczos ? 2 : 6;
  if (std::get<1>(GetParam()).method != EigenMethod::lobpcg) {
    options.max_basis = smallest_basis(options, a.rows);
  }
  expect_states_of_one_rank(a, p_space_of(a, 10), options);
}

TEST_P(OverRanks, goes_on_from_the_state_of_another_number_of_ranks) {
  const auto& [backend_name, method, count] = GetParam();
  if (!make_backend(backend_name)) GTEST_SKIP() << cuda_unavailable_reason();
  const CsrMatrix a = ci_like_matrix(120, 6, 17);
  const PSpace p = p_space_of(a, 15);
  EigenOptions options = thorough_options();
  options.method = method.method;
  options.states = 2;
  options.max_iterations = 4;
  std::vector<KeptState> kept(count);
  ThreadRanks(count).run([&](Communicator& ranks) {
    OwnPart part(backend_name, ranks, a, p, uneven_partition(a.rows, count, backend_name));
    EigenOptions own = options;
    own.checkpoint = kept[ranks.rank()].hook();
    EXPECT_EQ(lowest_eigenpairs(*part.op, *part.backend, part.p, own).status,
              SolveStatus::max_iterations);
  });
  options.max_iterations = 2000;
  options.begin_from = &kept[0].state();
  const auto rest = solve_over(backend_name, a, p, options, even_partition(a.rows, 2));
  EXPECT_EQ(rest[0].result.status, SolveStatus::converged);
  expect_lowest(a, rest[0].result, 1e-10);
}

std::string name_of(const ::testing::TestParamInfo<Parameters>& parameters) {
  const auto& [backend_name, method, count] = parameters.param;
  return backend_name + "_" + method.name + "_" + std::to_string(count) + "_ranks";
}

INSTANTIATE_TEST_SUITE_P(Cpu, OverRanks,
                         ::testing::Combine(::testing::Values("cpu"), ::testing::ValuesIn(methods),
                                            ::testing::Values(2, 3, 7)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Checked, OverRanks,
                         ::testing::Combine(::testing::Values("checked", "cuda"),
                                            ::testing::ValuesIn(methods), ::testing::Values(3)),
                         name_of);

class RankOperator : public ::testing::TestWithParam<std::string> {};

/// A rank's own rows of a square matrix, with all columns.
TEST_P(RankOperator, multiplies_in_every_format_that_has_whole_rows) {
  CISOLVE_BACKEND_OR_SKIP(one, GetParam());
  const CsrMatrix a = ci_like_matrix(120, 6, 5);
  const HostMatrix x = random_block(120, 3, 1);
  for (const Format& format : formats()) {
    if (format.symmetric || !unavailable_reason(format, one.kind()).empty()) continue;
    SCOPED_TRACE(format.name);
    const RowPartition parts = uneven_partition(120, 3, GetParam());
    ThreadRanks(3).run([&](Communicator& ranks) {
      OwnPart part(GetParam(), ranks, a, {}, parts, format.name);
      const View in = part.vectors(x), out = part.image.view();
      part.op->apply(1.0, in, 0.0, out);
      const HostMatrix y = download_whole(*part.backend, out);
      EXPECT_LE((y - to_dense(a) * x).cwiseAbs().maxCoeff(), 1e-12);
      part.op->apply(2.0, in, -1.0, out);
      EXPECT_LE((download_whole(*part.backend, out) - y).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_EQ(part.op->info().nonzeros, a.nonzeros());
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, RankOperator, ::testing::Values("cpu", "cuda"));

TEST(RankPartition, refuses_more_ranks_than_rows) {
  EXPECT_THROW(even_partition(2, 3), InputError);
  EXPECT_EQ(even_partition(7, 3).begin, (std::vector<Index>{0, 2, 4, 7}));
}

TEST(RankPartition, gives_every_rank_as_much_to_do_and_some_rows) {
  // Rows of 10 nonzeros, then of 400: about the same work of nonzeros and vectors in each part.
  std::vector<Index> lengths(900, 10);
  lengths.resize(1000, 400);
  const RowPartition parts = balanced_partition(lengths, 4);
  ASSERT_EQ(parts.rows(), 1000);
  for (int r = 0; r < 4; ++r) {
    double work = 0.0;
    for (Index i = parts.first(r); i < parts.begin[r + 1]; ++i) work += lengths[i] + 50;
    EXPECT_NEAR(work, (900 * 60 + 100 * 450) / 4.0, 450) << r;
  }
  // One row has nearly all.
  lengths = {1, 1, 1000000, 1, 1};
  EXPECT_EQ(balanced_partition(lengths, 5).begin, (std::vector<Index>{0, 1, 2, 3, 4, 5}));
  lengths = {1000000, 1, 1, 1};
  EXPECT_EQ(balanced_partition(lengths, 3).begin, (std::vector<Index>{0, 1, 2, 4}));
  EXPECT_THROW(balanced_partition(lengths, 5), InputError);
}

/// Data that differ from rank to rank, and searches in them.
TEST(RankBackend, sums_and_searches_over_all_rows) {
  const HostMatrix x = random_block(40, 5, 1), y = random_block(40, 3, 2);
  for (const int count : {1, 2, 3, 7}) {
    const RowPartition parts = uneven_partition(40, count);
    ThreadRanks(count).run([&](Communicator& ranks) {
      const auto backend = make_rank_backend(make_checked_backend(), ranks);
      MultiVector dx(*backend, parts.count(ranks.rank()), 5), dy(*backend, dx.rows(), 3);
      upload_own(*backend, x, dx.view());
      upload_own(*backend, y, dy.view());
      EXPECT_EQ(download_whole(*backend, dx.view()), x);
      HostMatrix c, g(3, 3), cg(5, 3);
      backend->gram(dx.view(), dy.view(), c);
      EXPECT_LE((c - x.transpose() * y).norm(), 1e-13);
      backend->grams(dx.view(), dy.view(), cg, g);
      EXPECT_LE((g - y.transpose() * y).norm(), 1e-13);
      EXPECT_LE((cg - c).norm(), 1e-14);
      std::vector<double> norms(5), elements(5);
      backend->column_norms(dx.slice(1, 3), std::span(norms).first(3));
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(norms[j], x.col(1 + j).norm(), 1e-14);
      backend->largest_elements(dx.view(), 0.0, elements);
      for (int j = 0; j < 5; ++j) {
        EXPECT_EQ(std::abs(elements[j]), x.col(j).cwiseAbs().maxCoeff());
      }
      // The first of those that count as equal: nearly all do.
      backend->largest_elements(dx.view(), 1.0 - 1e-12, elements);
      for (int j = 0; j < 5; ++j) EXPECT_EQ(elements[j], x(0, j));
      EXPECT_EQ(backend->extremes(dx.view()), (std::pair{x.minCoeff(), x.maxCoeff()}));
      for (const auto fill : {&Backend::fill_random, &Backend::fill_normal}) {
        (*backend.*fill)(5, 3, dy.view());
        const auto plain = make_cpu_backend();
        MultiVector expected(*plain, 40, 3);
        (*plain.*fill)(5, 3, expected.view());
        EXPECT_EQ(download_whole(*backend, dy.view()), plain->download(expected.view()));
      }
    });
  }
}

}  // namespace
}  // namespace cisolve
