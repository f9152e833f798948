// States over spinors: energies that two other programs agree on, frozen spinors, Kramers pairs.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "hamiltonian/spinor/diagonal_integrals.hpp"
#include "hamiltonian/spinor/kramers/kramers.hpp"
#include "hamiltonian/spinor/restrict_spinors.hpp"
#include "hamiltonian/spinor/spinor_fcidump.hpp"
#include "hamiltonian/spinor/spinor_matrix.hpp"
#include "tests/support/eigenpairs.hpp"
#include "tests/support/integrals/random_spinors.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

SpinorIntegrals load_spinors(const std::string& name) {
  return read_spinor_fcidump(test_data() / "spinors" / (name + ".fcidump.gz"));
}

CsrMatrix matrix_over(const SpinorIntegrals& in, const StringSpace& strings) {
  const SpinorMatrixBuilder builder(in, strings);
  return builder.fill(builder.count());
}

/// Matrix of the whole space, with every property that is required of it.
CsrMatrix full_matrix(const SpinorIntegrals& in) {
  const CiSpace space = make_ci_space(diagonal_integrals(in), {});
  CsrMatrix a = matrix_over(in, space.alpha);
  validate(a, "the matrix");
  EXPECT_TRUE(is_exactly_symmetric(a));
  return a;
}

void expect_lowest(const CsrMatrix& a, const std::vector<double>& energies) {
  const auto backend = make_cpu_backend();
  const auto op = testing::operator_on("cpu", *backend, "csr", a);
  PSpace p;
  const std::vector<Index> determinants = lowest_diagonal_rows(diagonal(a), 100);
  for (const Index row : determinants) p.rows.insert(p.rows.end(), {2 * row, 2 * row + 1});
  p.matrix = principal_submatrix(a, determinants);
  EigenOptions options;
  options.states = static_cast<int>(energies.size());
  options.verify = Verify::off;
  const EigenResult result = lowest_eigenpairs(*op, *backend, p, options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  for (std::size_t k = 0; k < energies.size(); ++k) {
    EXPECT_NEAR(result.energies[k], energies[k], 1e-9) << "state " << k;
  }
}

TEST(Spinors, OfWaterHaveTheEnergiesOfAnotherProgram) {
  const CsrMatrix a = full_matrix(load_spinors("h2o_x2c_10e14s"));
  EXPECT_EQ(a.rows, 1001);
  expect_lowest(a, {-75.0519982168, -74.6546043292, -74.6546041242, -74.6546036568});
}

TEST(Spinors, OfFluorineHaveTheLevelsOfAnotherProgram) {
  const CsrMatrix a = full_matrix(load_spinors("f_atom_kramers_7e16s"));
  EXPECT_EQ(a.rows, 11440);
  std::vector<double> levels(4, -99.5286199742);
  levels.resize(6, -99.5261289684);
  expect_lowest(a, levels);
}

HostVector all_energies(const SpinorIntegrals& in, const StringSpace& strings) {
  const CsrMatrix a = matrix_over(in, strings);
  std::vector<Index> rows(static_cast<std::size_t>(a.rows));
  std::iota(rows.begin(), rows.end(), 0);
  return symmetric_eigen(principal_submatrix(a, rows)).values;  // each twice
}

TEST(FrozenSpinors, LeaveTheEnergiesOfDeterminantsThatHaveThem) {
  const SpinorIntegrals in = random_spinors(8, 4, 11);
  const std::vector<int> frozen{2}, active{0, 3, 4, 5, 7};
  std::vector<OrbitalString> with_frozen;
  for (const OrbitalString& s : make_ci_space(diagonal_integrals(in), {}).alpha.strings) {
    if (s.has(2) && !s.has(1) && !s.has(6)) with_frozen.push_back(s);
  }
  const AnySpace part = make_listed_space(diagonal_integrals(in), with_frozen,
                                          std::vector<OrbitalString>(with_frozen.size()));
  const SpinorIntegrals restricted = restrict_spinors(in, frozen, active);
  EXPECT_EQ(restricted.spinors, 5);
  EXPECT_EQ(restricted.electrons, 3);
  const CiSpace space = make_ci_space(diagonal_integrals(restricted), {});
  EXPECT_EQ(space.size(), part.size());
  EXPECT_LT((all_energies(restricted, space.alpha) - all_energies(in, part.alpha()))
                .cwiseAbs()
                .maxCoeff(),
            1e-12);
}

TEST(FrozenSpinors, AreRefusedWhereElectronsDoNotFit) {
  const SpinorIntegrals in = random_spinors(4, 2, 12);
  EXPECT_EQ(restrict_spinors(in, {}, {}).spinors, 4);
  EXPECT_THROW(restrict_spinors(in, {0, 1}, {}), InputError);
  EXPECT_THROW(restrict_spinors(in, {0, 0}, {}), InputError);
  EXPECT_THROW(restrict_spinors(in, {4}, {}), InputError);
}

TEST(KramersPairs, AreToldFromOtherSpinors) {
  SpinorIntegrals in = load_spinors("f_atom_kramers_7e16s");
  EXPECT_LT(kramers_deviation(in), 1e-10);
  EXPECT_TRUE(are_kramers_pairs(in));
  const Complex own = in.g(0, 3, 4, 6);
  in.g.set(0, 3, 4, 6, own + 1e-6);
  EXPECT_FALSE(are_kramers_pairs(in));
  in.g.set(0, 3, 4, 6, own);
  EXPECT_TRUE(are_kramers_pairs(in));
  in.h.set(0, 5, in.h(0, 5) + 1e-6);
  EXPECT_FALSE(are_kramers_pairs(in));
  EXPECT_FALSE(are_kramers_pairs(random_spinors(6, 3, 13)));
  EXPECT_FALSE(are_kramers_pairs(random_spinors(5, 3, 13)));
}

/// Integrals in another unit are those of the same spinors, and so are pairs with phases w and w*;
/// a phase for one of a pair alone makes them none.
TEST(KramersPairs, AreSoInAnyUnitAndWithPhasesOfAPair) {
  const SpinorIntegrals in = load_spinors("f_atom_kramers_7e16s");
  const int n = in.spinors;
  const auto with_phases = [&](double unit, Complex even, Complex odd) {
    const auto phase = [&](int p) { return p > 1 ? Complex(1.0) : p == 0 ? even : odd; };
    SpinorIntegrals result(n);
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q < n; ++q) {
        const Complex pq = unit * std::conj(phase(p)) * phase(q);
        result.h.set(p, q, pq * in.h(p, q));
        for (int r = 0; r < n; ++r) {
          for (int s = 0; s < n; ++s) {
            result.g.set(p, q, r, s, pq * std::conj(phase(r)) * phase(s) * in.g(p, q, r, s));
          }
        }
      }
    }
    return result;
  };
  const Complex w(0.6, 0.8);
  EXPECT_TRUE(are_kramers_pairs(with_phases(1e-6, w, std::conj(w))));
  EXPECT_FALSE(are_kramers_pairs(with_phases(1e-6, w, w)));
}

}  // namespace
}  // namespace cisolve
