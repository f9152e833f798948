// Densities of vectors over full and truncated spaces, against second quantisation and H.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "backends/ranks/rank_backend.hpp"
#include "core/threads/thread_count.hpp"
#include "hamiltonian/density/direct_densities.hpp"
#include "hamiltonian/density/space_densities.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "tests/support/determinants/orbital_strings.hpp"
#include "tests/support/determinants/second_quantisation.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/support.hpp"
#include "tests/support/thread_ranks.hpp"

namespace cisolve {
namespace {

/// A vector that mixes all symmetries the space has.
HostVector random_state(const CiSpace& space, unsigned seed) {
  return testing::random_block(static_cast<Index>(space.size()), 1, seed).col(0).normalized();
}

/// Calls check(integrals, space) for the space of all irreps and those of each.
void in_each_space(const RandomCase& c,
                   const std::function<void(const Integrals&, const CiSpace&)>& check,
                   std::optional<int> rank = {}) {
  const Integrals integrals = integrals_of(c);
  for (int g = -1; g < (c.irreps > 1 ? c.irreps : 0); ++g) {
    SCOPED_TRACE("irrep " + std::to_string(g));
    check(integrals,
          make_ci_space(integrals, {rank, g < 0 ? std::nullopt : std::optional<int>(g)}));
  }
}

/// ⟨x| operators |y⟩ by second quantisation, the operators in the order they act.
class SlowExpectation {
 public:
  explicit SlowExpectation(const CiSpace& space) : m_(space.alpha.orbitals) {
    for (const auto& d : determinants(space)) {
      numbers_.emplace(spin_orbitals(d, m_), static_cast<Eigen::Index>(numbers_.size()));
    }
  }
  double operator()(const HostVector& x, const HostVector& y,
                    const std::vector<SpinOrbitalOperator>& operators) const {
    double sum = 0.0;
    for (const auto& [determinant, j] : numbers_) {
      std::map<SpinOrbitals, double> images;
      add_image(images, determinant, y[j], operators);
      for (const auto& [image, value] : images) {
        if (const auto i = numbers_.find(image); i != numbers_.end()) sum += x[i->second] * value;
      }
    }
    return sum;
  }
  /// ⟨bra| a†_qσ a_pσ |ket⟩.
  HostMatrix one(Spin spin, const HostVector& bra, const HostVector& ket) const {
    return HostMatrix::NullaryExpr(m_, m_, [&](Eigen::Index p, Eigen::Index q) {
      return (*this)(bra, ket, {{at(spin, p), false}, {at(spin, q), true}});
    });
  }
  /// ⟨bra| a†_pσ a†_rτ a_sτ a_qσ |ket⟩.
  HostMatrix two(Spin sigma, Spin tau, const HostVector& bra, const HostVector& ket) const {
    return HostMatrix::NullaryExpr(m_ * m_, m_ * m_, [&](Eigen::Index pq, Eigen::Index rs) {
      return (*this)(bra, ket,
                     {{at(sigma, pq % m_), false},
                      {at(tau, rs % m_), false},
                      {at(tau, rs / m_), true},
                      {at(sigma, pq / m_), true}});
    });
  }

 private:
  int at(Spin spin, Eigen::Index p) const { return m_ * spin + static_cast<int>(p); }
  int m_;
  std::map<SpinOrbitals, Eigen::Index> numbers_;
};

double distance(const HostMatrix& a, const HostMatrix& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

double distance(const Densities& a, const Densities& b) {
  return std::max({distance(a.one[alpha], b.one[alpha]), distance(a.one[beta], b.one[beta]),
                   distance(a.alpha_alpha, b.alpha_alpha), distance(a.alpha_beta, b.alpha_beta),
                   distance(a.beta_beta, b.beta_beta)});
}

Densities slow_densities(const CiSpace& space, const HostVector& x, const HostVector& y) {
  const SlowExpectation slow(space);
  return {{slow.one(alpha, x, y), slow.one(beta, x, y)},
          slow.two(alpha, alpha, x, y),
          slow.two(alpha, beta, x, y),
          slow.two(beta, beta, x, y)};
}

Densities densities_in_space(const CiSpace& space, const HostVector& x) {
  return space_densities(space, make_pair_excitations(space), x, x);
}

Densities transition_in_space(const CiSpace& space, const HostVector& x, const HostVector& y) {
  return space_densities(space, make_pair_excitations(space), x, y);
}

/// xᵀHx of the stored matrix.
double stored_energy(const Integrals& integrals, const CiSpace& space, const HostVector& x) {
  const CiMatrixBuilder builder(integrals, space);
  const CsrMatrix a = builder.fill(builder.count());
  double sum = 0.0;
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      sum += x[i] * a.values[k] * x[a.column_indices[k]];
    }
  }
  return sum;
}

/// Traces, symmetries and the energy.
void expect_densities_of_state(const Densities& d, const Integrals& integrals, const CiSpace& space,
                               const HostVector& x) {
  const int m = space.alpha.orbitals;
  const double na = space.alpha.electrons, nb = space.beta.electrons, n = na + nb;
  EXPECT_NEAR(d.one[alpha].trace(), na, 1e-12);
  EXPECT_NEAR(d.one[beta].trace(), nb, 1e-12);
  EXPECT_NEAR(spin_summed(d.one).trace(), n, 1e-12);
  const auto trace = [&](const HostMatrix& two) {
    double sum = 0.0;
    for (int p = 0; p < m; ++p) {
      for (int r = 0; r < m; ++r) sum += two(p * m + p, r * m + r);
    }
    return sum;
  };
  EXPECT_NEAR(trace(d.alpha_alpha), na * (na - 1), 1e-11);
  EXPECT_NEAR(trace(d.alpha_beta), na * nb, 1e-11);
  EXPECT_NEAR(trace(d.beta_beta), nb * (nb - 1), 1e-11);
  const HostMatrix two = spin_summed_two(d);
  EXPECT_NEAR(trace(two), n * (n - 1), 1e-11);
  EXPECT_LE(distance(two, two.transpose()), 1e-13);
  EXPECT_NEAR(energy(integrals, d), stored_energy(integrals, space, x), 1e-10);
}

class DirectDensity : public ::testing::TestWithParam<std::tuple<RandomCase, std::string>> {
 protected:
  /// Vectors of the space on the backend, in the order of the layout.
  static MultiVector on_backend(const DirectLayout& layout, const CiSpace& space,
                                const HostVector& x, Backend& backend) {
    return testing::on(backend, to_layout(layout, space, x));
  }
};

TEST_P(DirectDensity, AgreesWithTheSpacesAndTheHamiltonian) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  in_each_space(c, [&](const Integrals& integrals, const CiSpace& space) {
    const DirectLayout layout(orbital_labels(integrals), space);
    const DirectDensities densities(layout, backend);
    const HostVector x = random_state(space, 3), y = random_state(space, 4);
    const MultiVector on_x = on_backend(layout, space, x, backend),
                      on_y = on_backend(layout, space, y, backend);
    const Densities found = densities.of(on_x.view().data, on_x.view().data);
    EXPECT_LE(distance(found, densities_in_space(space, x)), 1e-13);
    expect_densities_of_state(found, integrals, space, x);
    const Densities transition = densities.of(on_x.view().data, on_y.view().data);
    EXPECT_LE(distance(transition, transition_in_space(space, x, y)), 1e-13);
    const Densities back = densities.of(on_y.view().data, on_x.view().data);
    EXPECT_LE(distance(spin_summed_two(back), reversed_two(spin_summed_two(transition))), 1e-13);
    for (const bool same : {false, true}) {
      const OneDensities one =
          densities.one(on_x.view().data, same ? on_x.view().data : on_y.view().data);
      const OneDensities expected =
          space_one_densities(space, make_pair_excitations(space), x, same ? x : y);
      for (const Spin spin : {alpha, beta}) {
        EXPECT_LE(distance(one[spin], expected[spin]), 1e-13);
      }
    }
  });
}

/// The ranks are threads, which all use the first GPU.
TEST_P(DirectDensity, IsSharedOutAmongRanks) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(one, backend_name);
  in_each_space(c, [&](const Integrals& integrals, const CiSpace& space) {
    const DirectLayout layout(orbital_labels(integrals), space);
    const HostVector x = random_state(space, 3), y = random_state(space, 4);
    const MultiVector on_x = on_backend(layout, space, x, one),
                      on_y = on_backend(layout, space, y, one);
    const DirectDensities alone(layout, one);
    const Densities state = alone.of(on_x.view().data, on_x.view().data),
                    transition = alone.of(on_x.view().data, on_y.view().data);
    const OneDensities same = alone.one(on_x.view().data, on_y.view().data);
    for (const int count : {2, 3}) {
      testing::ThreadRanks(count).run([&, name = backend_name](Communicator& ranks) {
        const auto backend = make_rank_backend(testing::make_backend(name), ranks);
        const DirectDensities shared(layout, *backend);
        const MultiVector own_x = on_backend(layout, space, x, *backend),
                          own_y = on_backend(layout, space, y, *backend);
        const double *const bra = own_x.view().data, *const ket = own_y.view().data;
        EXPECT_LE(distance(shared.of(bra, bra), state), 1e-13);
        EXPECT_LE(distance(shared.of(bra, ket), transition), 1e-13);
        const OneDensities found = shared.one(bra, ket);
        for (const Spin spin : {alpha, beta}) {
          EXPECT_LE(distance(found[spin], same[spin]), 1e-13);
        }
      });
    }
  });
}

TEST_P(DirectDensity, HasTheSameBitsOnEveryRun) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  in_each_space(c, [&](const Integrals& integrals, const CiSpace& space) {
    const DirectLayout layout(orbital_labels(integrals), space);
    const MultiVector x = on_backend(layout, space, random_state(space, 3), backend);
    std::vector<Densities> found;
    for (const int threads : {1, 2, 5}) {
      const ThreadCount count(threads);
      found.push_back(DirectDensities(layout, backend).of(x.view().data, x.view().data));
    }
    for (const Densities& d : found) {
      for (const auto of :
           {&Densities::alpha_alpha, &Densities::alpha_beta, &Densities::beta_beta}) {
        const HostMatrix &a = d.*of, &b = found[0].*of;
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Spaces, DirectDensity,
    ::testing::Combine(
        ::testing::Values(RandomCase{4, 4, 0, false, 1}, RandomCase{5, 5, 1, false, 2},
                          RandomCase{6, 6, 0, false, 4}, RandomCase{6, 5, 3, true, 4},
                          RandomCase{6, 4, -2, true, 1}, RandomCase{5, 3, 3, false, 4},
                          RandomCase{4, 1, 1, false, 1}, RandomCase{4, 1, -1, true, 2},
                          RandomCase{4, 8, 0, false, 1}, RandomCase{7, 7, 1, true, 8},
                          RandomCase{8, 6, 0, false, 1}, RandomCase{12, 4, 0, false, 2},
                          RandomCase{9, 5, 1, true, 1}),
        ::testing::Values("cpu", "cuda")));

class SpaceDensity : public ::testing::TestWithParam<RandomCase> {};

TEST_P(SpaceDensity, AgreesWithSecondQuantisation) {
  for (const std::optional<int> rank : {std::optional<int>(), std::optional<int>(2)}) {
    in_each_space(
        GetParam(),
        [&](const Integrals& integrals, const CiSpace& space) {
          const HostVector x = random_state(space, 3), y = random_state(space, 4);
          const Densities found = densities_in_space(space, x);
          EXPECT_LE(distance(found, slow_densities(space, x, x)), 1e-13);
          expect_densities_of_state(found, integrals, space, x);
          EXPECT_LE(distance(transition_in_space(space, x, y), slow_densities(space, x, y)), 1e-13);
          const SlowExpectation slow(space);
          const OneDensities one = space_one_densities(space, make_pair_excitations(space), x, y);
          for (const Spin spin : {alpha, beta}) {
            EXPECT_LE(distance(one[spin], slow.one(spin, x, y)), 1e-13);
          }
        },
        rank);
  }
}

TEST(RestrictedActiveSpace, HasTheDensitiesOfSecondQuantisation) {
  for (const RestrictedActiveSpace& ras :
       {RestrictedActiveSpace{0b000011_string, 0b110000_string, 1, 1},
        {0b000011_string, 0b110000_string, 2, 1}}) {
    const Integrals integrals = random_integrals(6, 6, 0, false, 3);
    CiSpaceOptions options;
    options.ras = ras;
    const CiSpace space = make_ci_space(integrals, options);
    ASSERT_FALSE(space.has_single_ranges());
    const HostVector x = random_state(space, 3), y = random_state(space, 4);
    const Densities found = densities_in_space(space, x);
    EXPECT_LE(distance(found, slow_densities(space, x, x)), 1e-13);
    EXPECT_LE(distance(transition_in_space(space, x, y), slow_densities(space, x, y)), 1e-13);
    expect_densities_of_state(found, integrals, space, x);
  }
}

TEST_P(SpaceDensity, HasTheSameBitsWithAnyNumberOfThreads) {
  const Integrals integrals = integrals_of(GetParam());
  const CiSpace space = make_ci_space(integrals, {2, {}});
  const HostVector x = random_state(space, 3);
  std::vector<HostMatrix> found;
  for (const int threads : {1, 2, 5}) {
    const ThreadCount count(threads);
    found.push_back(spin_summed_two(densities_in_space(space, x)));
  }
  for (const HostMatrix& two : found) {
    EXPECT_EQ(std::memcmp(two.data(), found[0].data(), two.size() * sizeof(double)), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Spaces, SpaceDensity,
    ::testing::Values(RandomCase{4, 4, 0, false, 1}, RandomCase{5, 5, 1, false, 2},
                      RandomCase{5, 4, 0, false, 4}, RandomCase{5, 5, 3, true, 4},
                      RandomCase{5, 4, -2, true, 1}, RandomCase{4, 1, -1, true, 2},
                      RandomCase{4, 8, 0, false, 1}));

}  // namespace
}  // namespace cisolve
