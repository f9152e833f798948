// Davidson in every sector at once, and its search for lower roots.
#include <malloc.h>

#include <numeric>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "tests/support/eigenpairs.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Copies of a block, coupled to nothing, their rows interleaved.
CsrMatrix interleaved_copies(const HostMatrix& block, int copies) {
  const auto n = static_cast<int>(block.rows());
  HostMatrix dense = HostMatrix::Zero(n * copies, n * copies);
  for (int c = 0; c < copies; ++c) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) dense(i * copies + c, j * copies + c) = block(i, j);
    }
  }
  return from_dense(dense);
}

class DavidsonOnSectors : public ::testing::TestWithParam<std::string> {
 protected:
  /// Solves, and expects the lowest eigenpairs, verified, for seeds 1 to 4.
  void expect_solved(const CsrMatrix& a, const PSpace& p, EigenOptions options) {
    CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
    const auto op = operator_on(GetParam(), backend, "csr", a);
    for (options.seed = 1; options.seed <= 4; ++options.seed) {
      SCOPED_TRACE("seed " + std::to_string(options.seed));
      const EigenResult result = lowest_eigenpairs(*op, backend, p, options);
      EXPECT_EQ(result.status, SolveStatus::converged);
      EXPECT_TRUE(result.verified);
      expect_lowest(a, result, 1e-9);
      expect_eigenpairs(a, backend, result, options.residual_tolerance());
      expect_in_one_sector(backend, p, result);
    }
  }

 private:
  static void expect_in_one_sector(Backend& backend, const PSpace& p, const EigenResult& result) {
    if (p.sectors.sizes.size() > 32) return;
    const HostMatrix x = backend.download(result.vectors.view());
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        if (p.sectors.of(static_cast<Index>(i)) != result.sectors[j]) {
          EXPECT_EQ(x(i, j), 0.0);
        }
      }
    }
  }
};

TEST_P(DavidsonOnSectors, finds_every_copy_of_a_degenerate_state) {
  const CsrMatrix a = interleaved_copies(to_dense(ci_like_matrix(80, 4, 10)), 3);
  for (const int states : {1, 2, 6, 8}) {
    SCOPED_TRACE(states);
    EigenOptions options = thorough_options();
    options.states = states;
    expect_solved(a, p_space_with_sectors(a, 30), options);
  }
}

TEST_P(DavidsonOnSectors, takes_sectors_one_behind_another_by_their_sizes_alone) {
  HostMatrix dense = HostMatrix::Zero(150, 150);
  dense.block(0, 0, 80, 80) = to_dense(ci_like_matrix(80, 4, 10));
  dense.block(80, 80, 10, 10) = to_dense(ci_like_matrix(10, 3, 11));
  dense.block(90, 90, 60, 60) = to_dense(ci_like_matrix(60, 4, 12));
  const CsrMatrix a = from_dense(dense);
  PSpace p = p_space_with_sectors(a, 30);
  p.sectors = {{}, {80, 10, 60}};
  EigenOptions options = thorough_options();
  options.states = 5;
  expect_solved(a, p, options);
}

TEST_P(DavidsonOnSectors, takes_a_lowest_determinant_that_is_coupled_to_nothing) {
  HostMatrix dense = to_dense(ci_like_matrix(120, 5, 3));
  dense.row(7).setZero();
  dense.col(7).setZero();
  dense(7, 7) = -10.0;
  const CsrMatrix a = from_dense(dense);
  EigenOptions options = thorough_options();
  options.states = 3;
  expect_solved(a, p_space_with_sectors(a, 10), options);
}

TEST_P(DavidsonOnSectors, reaches_a_sector_that_the_p_space_misses) {
  HostMatrix dense = HostMatrix::Zero(60, 60);
  dense.topLeftCorner(40, 40) = to_dense(ci_like_matrix(40, 4, 11));
  dense.bottomRightCorner(20, 20).setConstant(-1.0);
  dense.bottomRightCorner(20, 20).diagonal().setConstant(6.0);
  const CsrMatrix a = from_dense(dense);
  EigenOptions options = thorough_options();
  options.states = 2;
  expect_solved(a, p_space_with_sectors(a, 10), options);
}

TEST_P(DavidsonOnSectors, takes_diagonal_matrices_of_more_sectors_than_it_tells_apart) {
  const CsrMatrix identity = from_dense(HostMatrix::Identity(60, 60));
  HostMatrix dense = HostMatrix::Zero(90, 90);
  for (int i = 0; i < 90; ++i) dense(i, i) = (i * 37) % 90 - 20.0;
  const CsrMatrix a = from_dense(dense);
  for (const int states : {1, 5, 40, 60}) {
    SCOPED_TRACE(states);
    EigenOptions options = thorough_options();
    options.states = states;
    expect_solved(identity, p_space_with_sectors(identity, 10), options);
    expect_solved(a, p_space_with_sectors(a, 10), options);
  }
}

TEST_P(DavidsonOnSectors, takes_nearly_as_many_states_as_rows) {
  const CsrMatrix a = interleaved_copies(to_dense(ci_like_matrix(10, 3, 5)), 2);
  for (const int states : {17, 19, 20}) {
    for (const int p : {2, 20}) {
      SCOPED_TRACE(std::to_string(states) + " states, P of " + std::to_string(p));
      EigenOptions options = thorough_options();
      options.states = states;
      expect_solved(a, p_space_with_sectors(a, p), options);
    }
  }
}

TEST_P(DavidsonOnSectors, searches_all_sectors_when_more_states_are_asked_for) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // The second state lies in a sector whose first start vector is in the basis already.
  HostMatrix dense = HostMatrix::Zero(80, 80);
  dense.topLeftCorner(40, 40) = to_dense(ci_like_matrix(40, 4, 11));
  dense.bottomRightCorner(40, 40).setConstant(-0.25);
  dense.bottomRightCorner(40, 40).diagonal() = HostVector::LinSpaced(40, 2.0, 4.0);
  const CsrMatrix a = from_dense(dense);
  const PSpace p = p_space_with_sectors(a, 5);
  const auto op = operator_on(GetParam(), backend, "csr", a);
  KeptState kept;
  EigenOptions options = thorough_options();
  options.verify = Verify::off;
  options.checkpoint = kept.hook();
  lowest_eigenpairs(*op, backend, p, options);
  EigenOptions more;
  more.begin_from = &kept.state();
  for (const int states : {2, 4}) {
    more.states = states;
    const EigenResult result = lowest_eigenpairs(*op, backend, p, more);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_TRUE(result.verified);
    expect_lowest(a, result, 1e-9);
  }
}

TEST_P(DavidsonOnSectors, serves_all_sectors_with_one_product) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix block = to_dense(ci_like_matrix(200, 5, 12));
  const CsrMatrix one = from_dense(block), three = interleaved_copies(block, 3);
  EigenOptions options = thorough_options();
  const auto products = [&](const CsrMatrix& a, int states, int p) {
    options.states = states;
    const auto op = operator_on(GetParam(), backend, "csr", a);
    return lowest_eigenpairs(*op, backend, p_space_with_sectors(a, p), options)
        .operator_applications;
  };
  EXPECT_LE(products(three, 3, 60), products(one, 1, 20) + 2);
}

TEST_P(DavidsonOnSectors, says_when_it_has_not_verified) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = ci_like_matrix(200, 5, 13);
  EigenOptions options = thorough_options();
  options.verify = Verify::off;
  const auto op = operator_on(GetParam(), backend, "csr", a);
  const EigenResult result = lowest_eigenpairs(*op, backend, p_space_with_sectors(a, 20), options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_FALSE(result.verified);
  EXPECT_EQ(result.probe_applications, 0);
}

TEST_P(DavidsonOnSectors, finds_a_root_that_the_start_vectors_hide) {
  // Within one block: an exact symmetry that no start vector has. Rows i and n + i mirror each
  // other; the lowest state is odd, and P sees even vectors lowest.
  const int n = 60;
  const HostMatrix even = to_dense(ci_like_matrix(n, 5, 14));
  HostMatrix odd = to_dense(ci_like_matrix(n, 5, 15));
  odd(n - 1, n - 1) = -2.0;
  odd.row(n - 1).setConstant(-0.35);
  odd.col(n - 1).setConstant(-0.35);
  odd(n - 1, n - 1) = -1.0;
  HostMatrix dense(2 * n, 2 * n);
  dense << 0.5 * (even + odd), 0.5 * (even - odd), 0.5 * (even - odd), 0.5 * (even + odd);
  const CsrMatrix a = from_dense(dense);
  EigenOptions options = thorough_options();
  options.guard = 0;
  expect_solved(a, p_space_with_sectors(a, 6), options);
}

TEST_P(DavidsonOnSectors, allocates_nothing_of_length_n_once_it_iterates) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  if (GetParam() != "cpu") GTEST_SKIP() << "counted on the CPU";
  // Vectors so long that one stands out from the small matrices: 400 kB.
  const Index n = 50000;
  CsrMatrix a = matrix_of_rows(n, n, [](Index i) {
    return i == 0       ? std::vector<Index>{0, 1}
           : i + 1 == n ? std::vector<Index>{i - 1, i}
                        : std::vector<Index>{i - 1, i, i + 1};
  });
  for (Index i = 0; i < n; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      a.values[e] = a.column_indices[e] == i ? 1e-3 * i : 0.05;
    }
  }
  const auto op = operator_on(GetParam(), backend, "csr", a);
  EigenOptions options = thorough_options();
  options.states = 3;
  options.verify = Verify::off;
  std::size_t before = 0, most = 0;
  int iterations = 0;
  const auto resident = [] {
    return static_cast<std::size_t>(mallinfo2().uordblks + mallinfo2().hblkhd);
  };
  lowest_eigenpairs(*op, backend, p_space_with_sectors(a, 20), options,
                    [&](const EigenIteration& i) {
                      if (i.iteration == 1) before = resident();
                      most = std::max(most, resident());
                      iterations = i.iteration;
                      return true;
                    });
  EXPECT_GT(iterations, 5);
  EXPECT_LT(most, before + n * sizeof(double));
}

INSTANTIATE_TEST_SUITE_P(All, DavidsonOnSectors, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
