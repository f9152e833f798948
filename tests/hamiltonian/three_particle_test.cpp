// Three-particle densities and the contracted four-particle density, against second quantisation.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/threads/thread_count.hpp"
#include "hamiltonian/three_particle/string_removals.hpp"
#include "hamiltonian/three_particle/three_particle.hpp"
#include "tests/support/determinants/second_quantisation.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using State = std::map<SpinOrbitals, double>;

StringMatrix random_matrix(int orbitals, int alphas, int betas) {
  const Index rows = AllStrings(orbitals, alphas).size(),
              columns = AllStrings(orbitals, betas).size();
  return {orbitals, {alphas, betas}, testing::random_block(rows, columns, 3)};
}

/// (ce|df) = (ce|fd) and nothing more.
HostMatrix random_integrals(int m) {
  HostMatrix g = testing::random_block(m * m, m * m, 5);
  for (int d = 0; d < m; ++d) {
    for (int f = 0; f < d; ++f) g.col(d * m + f) = g.col(f * m + d);
  }
  return g;
}

class SecondQuantised {
 public:
  explicit SecondQuantised(const StringMatrix& x) : m_(x.orbitals) {
    Index a = 0;
    AllStrings(m_, x.electrons[0]).for_each([&](std::uint64_t alphas) {
      Index b = 0;
      AllStrings(m_, x.electrons[1]).for_each([&](std::uint64_t betas) {
        x_[SpinOrbitals::from_words(&alphas, 1) | shifted(betas)] = x.elements(a, b++);
      });
      ++a;
    });
  }

  HostMatrix density() const {
    return sums([&](int spin, int n) { return after(x_, {{at(spin, n), false}}); }, -1.0);
  }
  HostMatrix contracted(const HostMatrix& integrals) const {
    return sums([&](int spin, int c) { return contracted(integrals, spin, c); }, 1.0);
  }

 private:
  SpinOrbitals shifted(std::uint64_t betas) const {
    SpinOrbitals s;
    for (int p = 0; p < m_; ++p) {
      if (betas >> p & 1) s = s.with(m_ + p);
    }
    return s;
  }
  int at(int spin, int p) const { return m_ * spin + p; }

  static State after(const State& x, const std::vector<SpinOrbitalOperator>& operators) {
    State y;
    for (const auto& [s, value] : x) add_image(y, s, value, operators);
    return y;
  }
  static double dot(const State& x, const State& y) {
    double sum = 0.0;
    for (const auto& [s, value] : x) {
      if (const auto i = y.find(s); i != y.end()) sum += value * i->second;
    }
    return sum;
  }

  /// V_cυ x.
  State contracted(const HostMatrix& integrals, int spin, int c) const {
    State v;
    for (int e = 0; e < m_; ++e) {
      for (int d = 0; d < m_; ++d) {
        for (int f = 0; f < m_; ++f) {
          const double value = integrals(c * m_ + e, d * m_ + f);
          for (const int tau : {0, 1}) {
            const State image =
                after(x_, {{at(tau, f), false}, {at(tau, d), true}, {at(spin, e), false}});
            for (const auto& [s, element] : image) v[s] += value * element;
          }
        }
      }
    }
    return v;
  }

  /// sign · Σ ⟨a_k a_j a_i x|a_l a_m last(υ, n)⟩ at (i j k, l m n).
  template <class Last>
  HostMatrix sums(Last last, double sign) const {
    const int cube = m_ * m_ * m_;
    HostMatrix made = HostMatrix::Zero(cube, cube);
    for (int spins = 0; spins < 8; ++spins) {
      const int s = spins & 1, t = spins >> 1 & 1, u = spins >> 2;
      std::vector<State> left, right;
      for (int ijk = 0; ijk < cube; ++ijk) {
        const int i = ijk / m_ / m_, j = ijk / m_ % m_, k = ijk % m_;
        left.push_back(after(x_, {{at(s, i), false}, {at(t, j), false}, {at(u, k), false}}));
        right.push_back(after(last(u, k), {{at(t, j), false}, {at(s, i), false}}));
      }
      for (int row = 0; row < cube; ++row) {
        for (int column = 0; column < cube; ++column) {
          made(row, column) += sign * dot(left[row], right[column]);
        }
      }
    }
    return made;
  }

  int m_;
  State x_;
};

double distance(const HostMatrix& a, const HostMatrix& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

class ThreeParticle : public ::testing::TestWithParam<std::string> {};

// Spins with fewer electrons than are taken away, with all orbitals filled, and both at once.
TEST_P(ThreeParticle, IsThatOfSecondQuantisation) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const auto& [m, a, b] : std::vector<std::array<int, 3>>{{4, 2, 2},
                                                               {4, 3, 2},
                                                               {4, 1, 2},
                                                               {3, 3, 1},
                                                               {3, 3, 3},
                                                               {4, 3, 0},
                                                               {3, 0, 1},
                                                               {2, 1, 1}}) {
    SCOPED_TRACE(std::to_string(m) + ": " + std::to_string(a) + " " + std::to_string(b));
    const StringMatrix x = random_matrix(m, a, b);
    const SecondQuantised slow(x);
    EXPECT_LT(distance(three_particle_density(x, backend), slow.density()), 1e-12);
    const HostMatrix integrals = random_integrals(m);
    EXPECT_LT(distance(contracted_four_particle_density(x, integrals, backend),
                       slow.contracted(integrals)),
              1e-11);
  }
}

// More strings than are multiplied at a time, m = 12: where (ce|df) = δ_ce δ_df, V_c x = N a_c x.
TEST_P(ThreeParticle, IsContractedWithTheNumberOfElectrons) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  StringMatrix x = random_matrix(12, 2, 6);
  x.elements.normalize();
  const HostMatrix density = three_particle_density(x, backend);
  EXPECT_NEAR(density.trace(), 8 * 7 * 6, 1e-10);
  EXPECT_LT(distance(density, density.transpose()), 1e-13);
  HostMatrix integrals = HostMatrix::Zero(144, 144);
  for (int c = 0; c < 12; ++c) {
    for (int d = 0; d < 12; ++d) integrals(c * 13, d * 13) = 1.0;
  }
  const HostMatrix contracted = contracted_four_particle_density(x, integrals, backend);
  EXPECT_LT(distance(contracted, -8.0 * density), 1e-12);
}

TEST(AllStringsOfASpin, AreAsManyAsAnIndexCounts) {
  EXPECT_EQ(AllStrings(33, 16).size(), 1166803110);
  EXPECT_EQ(AllStrings(64, 61).size(), 41664);
  EXPECT_EQ(AllStrings(64, 64).size(), 1);
  EXPECT_EQ(AllStrings(4, -1).size(), 0);
  EXPECT_EQ(AllStrings(4, 5).size(), 0);
  EXPECT_THROW(AllStrings(34, 17).size(), InputError);
  EXPECT_THROW(AllStrings(64, 32).size(), InputError);
}

TEST(ThreeParticleOfManyThreads, AreTheSameBits) {
  const StringMatrix x = random_matrix(8, 4, 4);
  const HostMatrix integrals = random_integrals(8);
  const auto backend = make_cpu_backend();
  std::vector<HostMatrix> densities, contracted;
  for (const int threads : {1, 2, 5}) {
    const ThreadCount count(threads);
    densities.push_back(three_particle_density(x, *backend));
    contracted.push_back(contracted_four_particle_density(x, integrals, *backend));
    EXPECT_EQ(densities.back(), densities.front());
    EXPECT_EQ(contracted.back(), contracted.front());
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ThreeParticle, ::testing::Values("cpu", "cuda"));

}  // namespace
}  // namespace cisolve
