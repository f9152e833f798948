// Two-particle densities over spinors, held against second quantisation.
#include "hamiltonian/spinor_product/spinor_pair_density.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <optional>
#include <utility>
#include <vector>

#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/spinor/diagonal_integrals.hpp"
#include "tests/support/integrals/spinor_strings.hpp"

namespace cisolve {
namespace {

using Numbers = std::vector<std::complex<double>>;

/// A string with a sign; nothing where an operator makes zero of it.
using Image = std::optional<std::pair<OrbitalString, double>>;

Image annihilated(int p, const Image& s) {
  if (!s || !s->first.has(p)) return {};
  return std::pair(s->first.without(p), s->first.below(p).odd() ? -s->second : s->second);
}

Image created(int p, const Image& s) {
  if (!s || s->first.has(p)) return {};
  return std::pair(s->first.with(p), s->first.below(p).odd() ? -s->second : s->second);
}

/// ⟨bra| a†_p a†_r a_s a_q |ket⟩ at ((p n + q) n + r) n + s, operator by operator.
Numbers pairs_by_second_quantisation(const StringSpace& space, const std::vector<double>& bra,
                                     const std::vector<double>& ket) {
  const int n = space.orbitals;
  Numbers all(static_cast<std::size_t>(n) * n * n * n);
  for (Index j = 0; j < space.size(); ++j) {
    for (std::size_t e = 0; e < all.size(); ++e) {
      const auto place = static_cast<int>(e);
      const int s = place % n, r = place / n % n, q = place / n / n % n, p = place / n / n / n;
      const Image image =
          created(p, created(r, annihilated(s, annihilated(q, std::pair(space.strings[j], 1.0)))));
      const Index i = image ? space.find(image->first) : -1;
      if (i < 0) continue;
      all[e] += image->second * std::conj(std::complex(bra[2 * i], bra[2 * i + 1])) *
                std::complex(ket[2 * j], ket[2 * j + 1]);
    }
  }
  return all;
}

double largest_difference(const Numbers& a, const Numbers& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (std::size_t e = 0; e < a.size(); ++e) largest = std::max(largest, std::abs(a[e] - b[e]));
  return largest;
}

void expect_right_pairs(const StringSpace& space) {
  SCOPED_TRACE(std::to_string(space.size()) + " strings");
  const auto x = random_state(space, 1), y = random_state(space, 2);
  const auto whole = [&](const auto& bra, const auto& ket) {
    const std::size_t pairs = static_cast<std::size_t>(space.orbitals) * space.orbitals;
    Numbers all(pairs * pairs, 1.0);
    over_all_spinors(spinor_pair_density(space, bra, ket), space.orbitals, all);
    return all;
  };
  EXPECT_LT(largest_difference(whole(x, x), pairs_by_second_quantisation(space, x, x)), 1e-13);
  EXPECT_LT(largest_difference(whole(x, y), pairs_by_second_quantisation(space, x, y)), 1e-13);
}

TEST(SpinorPairDensity, IsThatOfSecondQuantisation) {
  for (const auto& [spinors, electrons] :
       std::vector<std::pair<int, int>>{{1, 1}, {4, 1}, {6, 3}, {5, 5}, {7, 4}}) {
    SpinorIntegrals in(spinors);
    in.electrons = electrons;
    expect_right_pairs(make_ci_space(diagonal_integrals(in), {}).alpha);
  }
}

TEST(SpinorPairDensity, IsThatOfSecondQuantisationOverExcitationsAndLists) {
  for (const StringSpace& space : excited_and_listed_strings()) expect_right_pairs(space);
}

TEST(SpinorPairDensity, IsHermitianAndCountsPairsWhereStringsTakeTwoWords) {
  SpinorIntegrals in(70);
  in.electrons = 3;
  const StringSpace space = make_ci_space(diagonal_integrals(in), {}).alpha;
  const auto x = random_state(space, 3);
  const SpinorPairDensity m = spinor_pair_density(space, x, x);
  EXPECT_NEAR(m.trace().real(), 3.0, 1e-10);
  EXPECT_EQ(m, m.adjoint());
  // Σ_r Γ_pqrr = (N − 1) ⟨p† q⟩
  const SpinorDensity one = spinor_density(space, x, x);
  SpinorDensity sum = SpinorDensity::Zero(70, 70);
  for (int r = 0; r < 70; ++r) {
    for (int p = 0; p < 70; ++p) {
      for (int q = 0; q < 70; ++q) {
        if (p == r || q == r) continue;
        const auto pair = [r](int a) { return a < r ? r * (r - 1) / 2 + a : a * (a - 1) / 2 + r; };
        sum(q, p) += ((p < r) == (q < r) ? 1.0 : -1.0) * m(pair(p), pair(q));
      }
    }
  }
  EXPECT_LT((sum - 2.0 * one).cwiseAbs().maxCoeff(), 1e-10);
}

}  // namespace
}  // namespace cisolve
