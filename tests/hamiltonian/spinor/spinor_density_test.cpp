// One-particle densities over spinors, held against second quantisation.
#include "hamiltonian/spinor_product/spinor_density.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numeric>
#include <vector>

#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/spinor/diagonal_integrals.hpp"
#include "tests/support/integrals/spinor_strings.hpp"

namespace cisolve {
namespace {

/// ⟨bra| a†_q a_p |ket⟩, string by string.
SpinorDensity by_second_quantisation(const StringSpace& space, const std::vector<double>& bra,
                                     const std::vector<double>& ket) {
  SpinorDensity density = SpinorDensity::Zero(space.orbitals, space.orbitals);
  for (Index j = 0; j < space.size(); ++j) {
    const OrbitalString s = space.strings[j];
    for (const int p : s) {
      const OrbitalString rest = s.without(p);
      for (int q = 0; q < space.orbitals; ++q) {
        if (rest.has(q)) continue;
        const Index i = space.find(rest.with(q));
        if (i < 0) continue;
        const double sign = s.below(p).odd() == rest.below(q).odd() ? 1.0 : -1.0;
        density(p, q) += sign * std::conj(std::complex(bra[2 * i], bra[2 * i + 1])) *
                         std::complex(ket[2 * j], ket[2 * j + 1]);
      }
    }
  }
  return density;
}

void expect_right(const StringSpace& space) {
  SCOPED_TRACE(std::to_string(space.size()) + " strings");
  const auto x = random_state(space, 1), y = random_state(space, 2);
  const SpinorDensity of_x = spinor_density(space, x, x);
  EXPECT_LT((of_x - by_second_quantisation(space, x, x)).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((of_x - of_x.adjoint()).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_NEAR(of_x.trace().real(), space.electrons, 1e-13);
  EXPECT_LT(
      (spinor_density(space, x, y) - by_second_quantisation(space, x, y)).cwiseAbs().maxCoeff(),
      1e-14);
  const NaturalSpinors natural = natural_spinors(of_x);
  for (std::size_t i = 0; i < natural.occupations.size(); ++i) {
    EXPECT_GE(natural.occupations[i], -1e-14);
    EXPECT_LE(natural.occupations[i], i > 0 ? natural.occupations[i - 1] : 1.0 + 1e-14);
  }
  const Eigen::VectorXd occupations =
      Eigen::Map<const Eigen::VectorXd>(natural.occupations.data(), space.orbitals);
  EXPECT_LT((natural.spinors * occupations.asDiagonal() * natural.spinors.adjoint() - of_x).norm(),
            1e-13);
}

TEST(SpinorDensity, IsThatOfSecondQuantisation) {
  for (const auto& [spinors, electrons] :
       std::vector<std::pair<int, int>>{{1, 1}, {4, 1}, {6, 3}, {5, 5}, {9, 4}, {12, 6}, {70, 2}}) {
    SpinorIntegrals in(spinors);
    in.electrons = electrons;
    expect_right(make_ci_space(diagonal_integrals(in), {}).alpha);
  }
}

TEST(SpinorDensity, IsThatOfSecondQuantisationOverExcitationsAndLists) {
  for (const StringSpace& space : excited_and_listed_strings()) expect_right(space);
}

}  // namespace
}  // namespace cisolve
