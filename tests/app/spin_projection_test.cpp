// S² as a matrix, and the projector made of it, on every backend there is.
#include "app/states/spin_projection.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "hamiltonian/integrals/hubbard.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/states/spin.hpp"
#include "hamiltonian/states/spin_matrix.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "tests/support/determinants/orbital_strings.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

CiSpace ring_space(int sites, int electrons, int ms2) {
  Integrals integrals = hubbard_integrals({sites, 1.0, 4.0, electrons});
  integrals.ms2 = ms2;
  return make_ci_space(integrals, {});
}

/// The excitations up to rank 2 of a closed-shell determinant.
CiSpace cisd_space() {
  Integrals integrals = random_integrals(6, 6, 0, false, 3);
  integrals.orbital_energies[alpha] = integrals.orbital_energies[beta] = {0, 1, 2, 3, 4, 5};
  return make_ci_space(integrals, {2, {}});
}

MultiplicityRange range_of(const CiSpace& space) {
  return {std::abs(twice_ms(space)) + 1, static_cast<int>(open_shell_counts(space).size())};
}

/// A restricted active space, closed under S² whatever the number of open shells.
CiSpace restricted_active_space(int ms2) {
  CiSpaceOptions options;
  options.ras = {0b000011_string, 0b110000_string, 2, 1};
  return make_ci_space(random_integrals(6, 6, ms2, false, 3), options);
}

TEST(SpinMatrix, is_s_squared) {
  const std::vector<int> irreps{0, 1, 2, 3, 0, 1};
  const std::vector<CiSpace> spaces{
      ring_space(6, 6, 0),
      ring_space(6, 5, 1),
      ring_space(6, 6, 2),
      ring_space(5, 5, -1),
      cisd_space(),
      restricted_active_space(0),
      restricted_active_space(2),
      make_ci_space(random_integrals(6, 6, 0, false, 3, irreps), {{}, 2})};
  for (const CiSpace& space : spaces) {
    const CsrMatrix s_squared = s_squared_matrix(space);
    validate(s_squared, "S^2");
    EXPECT_TRUE(is_exactly_symmetric(s_squared));
    EXPECT_EQ(s_squared_bytes(open_shell_counts(space), twice_ms(space)),
              CsrMatrix::bytes(s_squared.rows, s_squared.nonzeros()));
    const HostVector x = random_block(s_squared.rows, 1, 4);
    const HostVector y = apply_s_squared(space, make_pair_excitations(space), x);
    EXPECT_LE((to_dense(s_squared) * x - y).norm(), 1e-12 * y.norm());
  }
}

TEST(SpinMatrix, refuses_a_space_that_is_not_closed) {
  const CiSpace space = make_ci_space(random_integrals(6, 6, 2, false, 3), {2, {}});
  EXPECT_THROW(s_squared_matrix(space), InputError);
}

TEST(SpinMatrix, counts_the_states_of_a_multiplicity) {
  // Six electrons in six orbitals, by Weyl's formula.
  const auto counts = open_shell_counts(ring_space(6, 6, 0));
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), 400);
  EXPECT_EQ(counts.size(), 7u);
  EXPECT_EQ(states_of_multiplicity(counts, 0, 1), 175);
  EXPECT_EQ(states_of_multiplicity(counts, 0, 3), 189);
  EXPECT_EQ(states_of_multiplicity(counts, 0, 5), 35);
  EXPECT_EQ(states_of_multiplicity(counts, 0, 7), 1);
  EXPECT_EQ(states_of_multiplicity(counts, 0, 9), 0);
  EXPECT_EQ(states_of_multiplicity(open_shell_counts(ring_space(6, 6, 2)), 2, 3), 189);
}

class Projection : public ::testing::TestWithParam<std::string> {
 protected:
  /// P_s X, in a block of stride 5 and with scratch of 2 columns.
  HostMatrix project(Backend& backend, const CiSpace& space, int multiplicity,
                     const HostMatrix& x) const {
    SpinProjector projector(operator_on(GetParam(), backend, "csr", s_squared_matrix(space)),
                            backend, {range_of(space), multiplicity}, 2);
    MultiVector wide = on(backend, HostMatrix::Zero(x.rows(), 5));
    const View t = wide.slice(1, static_cast<int>(x.cols()));
    backend.copy(on(backend, x).view(), t);
    projector.apply(t);
    return backend.download(t);
  }
};

TEST_P(Projection, splits_every_vector_into_spins) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const CiSpace& space : {ring_space(6, 6, 0), ring_space(6, 5, 1), ring_space(6, 6, 2),
                               ring_space(5, 5, -1), cisd_space()}) {
    const auto n = static_cast<Index>(space.size());
    const HostMatrix x = random_block(n, 3, 1), y = random_block(n, 3, 2);
    const MultiplicityRange range = range_of(space);
    HostMatrix sum = HostMatrix::Zero(n, 3);
    for (int m = range.lowest; m <= range.highest; m += 2) {
      const HostMatrix px = project(backend, space, m, x), py = project(backend, space, m, y);
      EXPECT_LE((project(backend, space, m, px) - px).norm(), 1e-12 * x.norm());
      EXPECT_LE((x.transpose() * py - px.transpose() * y).norm(), 1e-12 * x.norm() * y.norm());
      EXPECT_GT(px.norm(), 1e-3 * x.norm());
      sum += px;
    }
    EXPECT_LE((sum - x).norm(), 1e-12 * x.norm());
  }
}

TEST_P(Projection, has_a_trace_of_the_number_of_states) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const CiSpace& space : {ring_space(4, 4, 0), ring_space(4, 3, 1), cisd_space()}) {
    const auto n = static_cast<Index>(space.size());
    const auto counts = open_shell_counts(space);
    const MultiplicityRange range = range_of(space);
    for (int m = range.lowest; m <= range.highest; m += 2) {
      SpinProjector projector(operator_on(GetParam(), backend, "csr", s_squared_matrix(space)),
                              backend, {range, m}, n);
      MultiVector identity = on(backend, HostMatrix::Identity(n, n));
      projector.apply(identity.view());
      EXPECT_NEAR(backend.download(identity.view()).trace(),
                  static_cast<double>(states_of_multiplicity(counts, twice_ms(space), m)), 1e-10);
    }
  }
}

TEST_P(Projection, is_accurate_for_ten_singly_occupied_orbitals) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CiSpace space = ring_space(10, 10, 4);
  const auto excitations = make_pair_excitations(space);
  const HostMatrix x = random_block(static_cast<Index>(space.size()), 1, 1);
  for (int m = 5; m <= 11; m += 2) {
    const HostVector once = project(backend, space, m, x);
    const HostVector twice = project(backend, space, m, once);
    const auto error = [&](const HostVector& p) {
      return (apply_s_squared(space, excitations, p) - 0.25 * (m * m - 1) * p).norm() / p.norm();
    };
    // Rounding is relative to the vector that was projected: of the highest spin little is left.
    EXPECT_LE(error(once), 1e-11 * x.norm() / once.norm()) << m;
    EXPECT_LE(error(twice), 1e-11) << m;
  }
}

TEST_P(Projection, keeps_every_eigensolver_to_one_spin) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const Integrals integrals = hubbard_integrals({6, 1.0, 4.0, 6});
  const CiSpace space = make_ci_space(integrals, {});
  const CiMatrixBuilder builder(integrals, space);
  const CsrMatrix h = builder.fill(builder.count()), s_squared = s_squared_matrix(space);
  const auto a = operator_on(GetParam(), backend, "csr", h);
  PSpace p;
  p.rows = lowest_diagonal_rows(diagonal(h), 40);
  p.matrix = principal_submatrix(h, p.rows);
  p.sectors = connected_sectors(
      {{h.row_offsets, h.column_indices}, {s_squared.row_offsets, s_squared.column_indices}});
  // States of another spin are lifted above all the rest: H + 100 (S² − s(s + 1))².
  const HostMatrix dense = to_dense(h);
  for (const int m : {1, 3, 5, 7}) {
    SpinProjector projector(operator_on(GetParam(), backend, "csr", s_squared), backend,
                            {range_of(space), m}, 3);
    EigenOptions options;
    options.states = m == 7 ? 1 : 3;
    options.project = [&projector](View t) { projector.apply(t); };
    const auto n = static_cast<Index>(space.size());
    const HostMatrix off = to_dense(s_squared) - 0.25 * (m * m - 1) * HostMatrix::Identity(n, n);
    const HostVector exact = symmetric_eigen(dense + 100.0 * off * off).values;
    for (const auto method : {EigenMethod::davidson, EigenMethod::lobpcg, EigenMethod::lanczos}) {
      options.method = method;
      const EigenResult result = lowest_eigenpairs(*a, backend, p, options);
      EXPECT_EQ(result.status, SolveStatus::converged);
      for (int j = 0; j < options.states; ++j) EXPECT_NEAR(result.energies[j], exact[j], 1e-9);
      const HostMatrix x = backend.download(result.vectors.view());
      EXPECT_LE((off * x).norm(), 1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Projection, ::testing::ValuesIn(backend_names()),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace cisolve
