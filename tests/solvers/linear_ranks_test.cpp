// Every linear solver over ranks, which here are threads: the solution of one rank.
#include <array>
#include <span>

#include "backends/ranks/whole_vectors.hpp"
#include "tests/support/linear_systems.hpp"
#include "tests/support/own_part.hpp"
#include "tests/support/thread_ranks.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

using LinearParameters = std::tuple<std::string, int>;

class LinearOverRanks : public ::testing::TestWithParam<LinearParameters> {
 protected:
  void SetUp() override {
    if (!make_backend(backend_name())) GTEST_SKIP() << cuda_unavailable_reason();
  }
  static std::string backend_name() { return std::get<0>(GetParam()); }
  static int count() { return std::get<1>(GetParam()); }

  /// The result of every rank, which is to be the same.
  static std::vector<Solved> solve_over(const CsrMatrix& a, const HostMatrix& b,
                                        const LinearOptions& options, const RowPartition& parts,
                                        const HostMatrix& x0) {
    std::vector<Solved> solved(parts.ranks());
    ThreadRanks(parts.ranks()).run([&](Communicator& ranks) {
      OwnPart part(backend_name(), ranks, a, {}, parts);
      const auto k = static_cast<int>(b.cols());
      MultiVector own_b(*part.backend, part.op->rows(), k), x(*part.backend, part.op->rows(), k);
      upload_own(*part.backend, b, own_b.view());
      upload_own(*part.backend, x0, x.view());
      Solved& mine = solved[ranks.rank()];
      mine.result = solve_linear(*part.op, *part.backend, own_b.view(), x.view(), options);
      mine.x = download_whole(*part.backend, x.view());
    });
    return solved;
  }
  static void expect_solution_of_one_rank(const CsrMatrix& a, const HostMatrix& b,
                                          const LinearOptions& options, HostMatrix x0 = {}) {
    if (x0.size() == 0) x0 = HostMatrix::Zero(b.rows(), b.cols());
    const Solved one = solve_over(a, b, options, even_partition(a.rows, 1), x0)[0];
    expect_solved(one, a, b, options);
    for (const Solved& s :
         solve_over(a, b, options, uneven_partition(a.rows, count(), backend_name()), x0)) {
      expect_solved(s, a, b, options);
      EXPECT_EQ(s.result.method, one.result.method);
      EXPECT_NEAR(s.result.iterations, one.result.iterations,
                  std::max(1.0, 0.05 * one.result.iterations));  // sums round otherwise
      EXPECT_NEAR(s.result.omega, one.result.omega, 1e-10);
      EXPECT_EQ(s.result.spectrum.has_value(), one.result.spectrum.has_value());
      EXPECT_LE((s.x - one.x).norm(), 1e-8 * one.x.norm());
    }
  }
  static void expect_solutions_of_one_rank(const CsrMatrix& a,
                                           std::span<const LinearMethod> methods,
                                           LinearOptions options, const HostMatrix& x0 = {}) {
    for (const LinearMethod method : methods) {
      SCOPED_TRACE(to_string(method));
      options.method = method;
      expect_solution_of_one_rank(a, random_block(a.rows, 3, 1), options, x0);
    }
  }
  /// Expects every rank to refuse the system with those words.
  static void expect_refusal(const CsrMatrix& a, const LinearOptions& options,
                             const std::string& words) {
    const HostMatrix b = HostMatrix::Ones(a.rows, 1);
    const RowPartition parts = uneven_partition(a.rows, count(), backend_name());
    try {
      solve_over(a, b, options, parts, b);
      ADD_FAILURE() << "solved";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
};

TEST_P(LinearOverRanks, solve_definite_systems_of_either_sign) {
  const CsrMatrix a = dominant_matrix(90, 1.2, 4, true);
  LinearOptions options;
  options.symmetric = true;
  expect_solutions_of_one_rank(a, every_method, options);
  expect_solutions_of_one_rank(from_dense(-to_dense(a)), every_method, options);
}

TEST_P(LinearOverRanks, take_the_same_unit_where_zeros_lie_on_the_diagonal) {
  HostMatrix a = 1e-9 * to_dense(ci_like_matrix(90, 6, 7));
  a.diagonal().setZero();
  LinearOptions options;
  options.symmetric = true;
  expect_solutions_of_one_rank(from_dense(a), std::array{LinearMethod::minres}, options);
}

TEST_P(LinearOverRanks, solve_others_from_a_start) {
  LinearOptions options;
  options.shift = -0.5;
  expect_solutions_of_one_rank(dominant_matrix(90, 1.2, 5, false), of_any_matrix, options,
                               random_block(90, 3, 2));
}

/// Blocks of rows on the first rank alone, on several, and on all ranks.
TEST_P(LinearOverRanks, divide_by_a_block) {
  const CsrMatrix a = dominant_matrix(90, 1.2, 6, true);
  for (const int step : {1, 5, 9}) {
    SCOPED_TRACE(step);
    DiagonalBlocks blocks;
    for (int i = 0; i < 10; ++i) blocks.rows.push_back(step * i);
    blocks.matrix = to_dense(a)(blocks.rows, blocks.rows);
    LinearOptions options;
    options.method = LinearMethod::block_jacobi;
    options.symmetric = true;
    options.blocks = &blocks;
    expect_solution_of_one_rank(a, random_block(90, 2, 1), options);
  }
}

TEST_P(LinearOverRanks, refuse_alike) {
  HostMatrix dense = to_dense(dominant_matrix(90, 1.2, 4, true));
  LinearOptions options;
  DiagonalBlocks over_all{dense.leftCols(10), {}}, descending{dense.topLeftCorner(2, 2), {1, 0}};
  options.method = LinearMethod::block_jacobi;
  options.blocks = &over_all;
  expect_refusal(from_dense(dense), options, "blocks are of rows that are named");
  options.blocks = &descending;
  expect_refusal(from_dense(dense), options, "the rows of diagonal blocks ascend");
  dense(70, 70) = 0.0;
  options.method = LinearMethod::jacobi;
  expect_refusal(from_dense(dense), options, "row 71 has the diagonal element");
}

TEST_P(LinearOverRanks, end_where_the_first_rank_is_told_to) {
  const CsrMatrix a = dominant_matrix(90, 1.01, 4, true);
  const RowPartition parts = uneven_partition(90, count(), backend_name());
  const HostMatrix b = random_block(90, 1, 1);
  LinearOptions options;
  options.method = LinearMethod::jacobi;
  options.symmetric = true;
  ThreadRanks(parts.ranks()).run([&](Communicator& ranks) {
    OwnPart part(backend_name(), ranks, a, {}, parts);
    const View own_b = part.vectors(b), x = part.image.view();
    part.backend->fill(0.0, x);
    const auto result = solve_linear(*part.op, *part.backend, own_b, x, options,
                                     [&](const LinearIteration& iteration) {
                                       return !ranks.first() || iteration.iteration < 3;
                                     });
    EXPECT_EQ(result.status, SolveStatus::cancelled);
    EXPECT_EQ(result.iterations, 3);
  });
}

std::string name_of_linear(const ::testing::TestParamInfo<LinearParameters>& parameters) {
  const auto& [backend_name, count] = parameters.param;
  return backend_name + "_" + std::to_string(count) + "_ranks";
}

INSTANTIATE_TEST_SUITE_P(Cpu, LinearOverRanks,
                         ::testing::Combine(::testing::Values("cpu"), ::testing::Values(2, 3, 7)),
                         name_of_linear);
INSTANTIATE_TEST_SUITE_P(Checked, LinearOverRanks,
                         ::testing::Combine(::testing::Values("checked", "cuda"),
                                            ::testing::Values(3)),
                         name_of_linear);

}  // namespace
}  // namespace cisolve
