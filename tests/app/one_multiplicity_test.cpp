// States of one multiplicity against the dense matrix within that spin, where it is hard: levels of
// many states, other spins below, levels far apart, tolerances near what rounding leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "app/states/spin_projection.hpp"
#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/basis/function_basis.hpp"
#include "hamiltonian/basis/space_basis.hpp"
#include "hamiltonian/integrals/hubbard.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/states/spin_matrix.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "tests/support/eigenpairs.hpp"
#include "tests/support/integrals/data_integrals.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

constexpr EigenMethod methods[] = {EigenMethod::davidson, EigenMethod::lobpcg,
                                   EigenMethod::lanczos};

CsrMatrix ci_matrix(const Integrals& integrals, const CiSpace& space) {
  const CiMatrixBuilder builder(integrals, space);
  return builder.fill(builder.count());
}

/// A Hamiltonian, and its levels of every multiplicity.
class Case {
 public:
  Case(std::string name, Integrals integrals)
      : name_(std::move(name)),
        integrals_(std::move(integrals)),
        space_(make_ci_space(integrals_, {})),
        h_(ci_matrix(integrals_, space_)),
        s_squared_(s_squared_matrix(space_)),
        spins_(symmetric_eigen(to_dense(s_squared_))) {}

  MultiplicityRange range() const {
    return {std::abs(twice_ms(space_)) + 1, static_cast<int>(open_shell_counts(space_).size())};
  }
  static double s_squared_of(int m) { return 0.25 * (m * m - 1); }

  HostVector levels(int m) const {
    std::vector<int> of_spin;
    for (int j = 0; j < spins_.values.size(); ++j) {
      if (std::abs(spins_.values[j] - s_squared_of(m)) < 0.5) of_spin.push_back(j);
    }
    const HostMatrix q = spins_.vectors(Eigen::all, of_spin);
    return symmetric_eigen(HostMatrix(q.transpose() * to_dense(h_) * q)).values;
  }

  /// Solves on the CPU and expects the lowest levels of that multiplicity, each as often as it is
  /// there, and nothing of other spins.
  void expect_states(int m, int p_rows, EigenOptions options) const {
    const HostVector exact = levels(m);
    options.states = std::min<int>(options.states, static_cast<int>(exact.size()));
    options.verify = Verify::thorough;
    const auto backend = make_backend("cpu");
    const auto a = operator_on("cpu", *backend, "csr", h_);
    SpinProjector projector(operator_on("cpu", *backend, "csr", s_squared_), *backend, {range(), m},
                            3);
    options.project = [&projector](View t) { projector.apply(t); };
    PSpace p = p_space_of(h_, std::min<int>(p_rows, h_.rows));
    p.sectors = connected_sectors(
        {{h_.row_offsets, h_.column_indices}, {s_squared_.row_offsets, s_squared_.column_indices}});
    const AnySpace any(space_);
    p.sectors.dimensions = SpaceBasis(any, {{0, h_.rows}}).states_of_multiplicity(p.sectors, m);
    int calls = 0;
    const EigenResult result =
        lowest_eigenpairs(*a, *backend, p, options, [&](const EigenIteration&) {
          return ++calls < 5000;  // a solve that does not end is cancelled
        });
    const std::string what = name_ + ", multiplicity " + std::to_string(m) + ", P " +
                             std::to_string(p_rows) + ", method " +
                             std::to_string(static_cast<int>(options.method)) + ", tolerance " +
                             std::to_string(options.residual_tolerance());
    EXPECT_EQ(result.status, SolveStatus::converged) << what;
    EXPECT_TRUE(result.verified) << what;
    const double size = std::max(1.0, exact.cwiseAbs().maxCoeff());
    for (int j = 0; j < options.states; ++j) {
      EXPECT_NEAR(result.energies[j], exact[j],
                  std::max(1e-11 * size, options.residual_tolerance()))
          << what << " " << j;
    }
    const HostMatrix x = backend->download(result.vectors.view());
    const HostMatrix off = to_dense(s_squared_) * x - s_squared_of(m) * x;
    EXPECT_LE(off.norm(), 1e-8) << what;
  }

 private:
  std::string name_;
  Integrals integrals_;
  CiSpace space_;
  CsrMatrix h_, s_squared_;
  SymmetricEigen spins_;
};

Integrals ring(int sites, int electrons, double u) {
  return hubbard_integrals({sites, 1.0, u, electrons});
}

void expect_all(const Case& of, const std::vector<int>& p_rows,
                const std::vector<double>& tolerances, int states, std::uint64_t seed = 1) {
  for (int m = of.range().lowest; m <= of.range().highest; m += 2) {
    for (const EigenMethod method : methods) {
      for (const int p : p_rows) {
        for (const double tolerance : tolerances) {
          EigenOptions options;
          options.method = method;
          options.states = states;
          options.tolerance = tolerance;
          options.seed = seed;
          of.expect_states(m, p, options);
        }
      }
    }
  }
}

TEST(OneMultiplicity, OfLevelsOfAShell) {
  for (const char* name : {"d4_rotated", "d4_level_of_three"}) {
    const Case shell(name, load(name));
    expect_all(shell, {1, 10, 1000}, {1e-5, 1e-9}, 5);
    expect_all(shell, {10}, {1e-8}, 1, 7);
  }
}

TEST(OneMultiplicity, WhereLevelsLieFarApart) {
  expect_all(Case("U = -50", ring(4, 4, -50.0)), {1, 10, 1000}, {1e-6}, 2);
  expect_all(Case("U = 500", ring(4, 4, 500.0)), {1, 10, 1000}, {1e-6}, 2);
}

TEST(OneMultiplicity, OfRingsAndOfRandomIntegrals) {
  expect_all(Case("ring", ring(4, 4, 4.0)), {1, 1000}, {1e-6, 1e-10}, 6);
  expect_all(Case("odd ring", ring(5, 3, 8.0)), {1, 1000}, {1e-8}, 4);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    expect_all(Case("random", random_integrals(5, 4, 0, false, seed)), {5}, {1e-9}, 4, seed);
  }
}

TEST(OneMultiplicity, AllStatesThatThereAre) {
  expect_all(Case("ring", ring(4, 4, 4.0)), {1, 1000}, {1e-8}, 1000);
}

TEST(OneMultiplicity, StatesOfASectorAreCounted) {
  // Two irreps: determinants of each, and what of them is of one spin.
  Integrals integrals = random_integrals(4, 4, 0, false, 5, {0, 0, 1, 1});
  const CiSpace space = make_ci_space(integrals, {});
  const CsrMatrix h = ci_matrix(integrals, space), s_squared = s_squared_matrix(space);
  const Sectors sectors = connected_sectors(
      {{h.row_offsets, h.column_indices}, {s_squared.row_offsets, s_squared.column_indices}});
  const SymmetricEigen spins = symmetric_eigen(to_dense(s_squared));
  for (const int m : {1, 3, 5}) {
    std::vector<Index> expected(sectors.sizes.size(), 0);
    for (std::size_t s = 0; s < expected.size(); ++s) {
      double trace = 0.0;
      for (int j = 0; j < h.rows; ++j) {
        if (std::abs(spins.values[j] - Case::s_squared_of(m)) > 0.5) continue;
        for (Index i = 0; i < h.rows; ++i) {
          if (sectors.of(i) == static_cast<Index>(s))
            trace += spins.vectors(i, j) * spins.vectors(i, j);
        }
      }
      expected[s] = static_cast<Index>(std::lround(trace));
    }
    const AnySpace any(space);
    EXPECT_EQ(SpaceBasis(any, {{0, h.rows}}).states_of_multiplicity(sectors, m), expected) << m;
    const FunctionBasis functions(std::make_shared<const DirectTables>(integrals, space),
                                  FunctionBasis::Kept::determinants);
    const auto of_rows = functions.states_of_multiplicity(sectors, m);
    EXPECT_EQ(std::accumulate(of_rows.begin(), of_rows.end(), 0),
              std::accumulate(expected.begin(), expected.end(), 0));
  }
}

}  // namespace
}  // namespace cisolve
