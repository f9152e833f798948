// Strings of more than one word: what they are made of, and spaces of orbitals beyond the first 64.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "hamiltonian/density/space_densities.hpp"
#include "hamiltonian/direct/tables/direct_tables.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/space/determinant_label.hpp"
#include "hamiltonian/space/matrix_element.hpp"
#include "hamiltonian/space/nonzeros.hpp"
#include "hamiltonian/space/strings/string_walk.hpp"
#include "hamiltonian/states/excitation_rank.hpp"
#include "hamiltonian/states/irrep_weights.hpp"
#include "hamiltonian/states/spin.hpp"
#include "hamiltonian/states/spin_matrix.hpp"
#include "tests/support/determinants/second_quantisation.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/matrices/same_matrix.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

template <class String>
String string_of(const std::set<int>& orbitals) {
  String s;
  for (const int p : orbitals) s = s.with(p);
  return s;
}

template <class String>
std::set<int> orbitals_of(const String& s) {
  std::set<int> all;
  for (const int p : s) {
    EXPECT_TRUE(all.empty() || *all.rbegin() < p);
    all.insert(p);
  }
  return all;
}

template <class String>
class OrbitalStrings : public ::testing::Test {
 public:
  static constexpr int n = String::most_orbitals;

  static std::set<int> random_orbitals(std::mt19937& engine) {
    std::set<int> s;
    for (int k = static_cast<int>(engine() % 40); k >= 0; --k) {
      s.insert(static_cast<int>(engine() % n));
    }
    return s;
  }
};
using StringTypes =
    ::testing::Types<BasicOrbitalString<1>, BasicOrbitalString<2>, BasicOrbitalString<4>>;
TYPED_TEST_SUITE(OrbitalStrings, StringTypes);

TYPED_TEST(OrbitalStrings, AreSetsOfOrbitals) {
  constexpr int n = TypeParam::most_orbitals;
  std::mt19937 engine(1);
  std::unordered_set<TypeParam> distinct;
  for (int k = 0; k < 200; ++k) {
    const std::set<int> in = this->random_orbitals(engine);
    const auto s = string_of<TypeParam>(in);
    distinct.insert(s);
    ASSERT_EQ(orbitals_of(s), in);
    ASSERT_EQ(s.count(), static_cast<int>(in.size()));
    ASSERT_EQ(s.odd(), in.size() % 2 != 0);
    ASSERT_EQ(s.first(), *in.begin());
    ASSERT_EQ(s.rest(), s.without(*in.begin()));
    ASSERT_EQ(TypeParam(BasicOrbitalString<4>(s)), s);
    for (int p = 0; p < n; ++p) {
      ASSERT_EQ(s.has(p), in.contains(p));
      ASSERT_EQ(orbitals_of(s.below(p)), std::set<int>(in.begin(), in.lower_bound(p)));
      ASSERT_EQ(s.with(p).without(p), s.without(p));
      const int q = static_cast<int>(engine() % n);
      ASSERT_EQ(s ^ TypeParam::of(p) ^ TypeParam::of(q), s ^ TypeParam::of(q) ^ TypeParam::of(p));
      if (p >= q) continue;
      ASSERT_EQ(orbitals_of(s.between(p, q)), std::set<int>(in.upper_bound(p), in.lower_bound(q)));
    }
    for (int p = 0; p <= n; ++p) {
      const TypeParam empty = s.empty_of(p), lowest = TypeParam::lowest(p);
      ASSERT_EQ(lowest.count(), p);
      ASSERT_TRUE((empty & s).empty());
      ASSERT_EQ(empty | (s & lowest), lowest);
    }
    for (int byte = 0; byte < n / 8; ++byte) {
      unsigned bits = 0;
      for (int p = 0; p < 8; ++p) bits |= unsigned{s.has(8 * byte + p)} << p;
      ASSERT_EQ(s.byte(byte), bits);
    }
  }
  EXPECT_GT(distinct.size(), 190u);
}

TYPED_TEST(OrbitalStrings, AreComparedByTheirHighestOrbitals) {
  std::mt19937 engine(2);
  for (int k = 0; k < 500; ++k) {
    const std::set<int> x = this->random_orbitals(engine), y = this->random_orbitals(engine);
    const bool expected = std::lexicographical_compare(x.rbegin(), x.rend(), y.rbegin(), y.rend());
    ASSERT_EQ(string_of<TypeParam>(x) < string_of<TypeParam>(y), expected);
    ASSERT_EQ(string_of<TypeParam>(x) == string_of<TypeParam>(y), x == y);
  }
}

TYPED_TEST(OrbitalStrings, AreWalkedInAscendingOrder) {
  const auto walk = [](int orbitals, int electrons) {
    std::vector<TypeParam> all;
    for_each_string<TypeParam>(orbitals, electrons, [&](const TypeParam& s) {
      EXPECT_EQ(s.count(), electrons);
      EXPECT_TRUE(s.empty_of(orbitals).count() == orbitals - electrons);
      EXPECT_TRUE(all.empty() || all.back() < s);
      all.push_back(s);
    });
    return all.size();
  };
  constexpr std::size_t n = TypeParam::most_orbitals;
  EXPECT_EQ(walk(n, -1), 0u);
  EXPECT_EQ(walk(n, 0), 1u);
  EXPECT_EQ(walk(n, 1), n);
  EXPECT_EQ(walk(n, 2), n * (n - 1) / 2);
  EXPECT_EQ(walk(n, 3), n * (n - 1) * (n - 2) / 6);
  EXPECT_EQ(walk(n, n - 1), n);
  EXPECT_EQ(walk(n, n), 1u);
  EXPECT_EQ(walk(5, 6), 0u);
}

/// Orbital p of `small` as orbital places[p] of n, the others without anything in common with them
/// and of high energy.
Integrals placed(const Integrals& small, const std::vector<int>& places, int n) {
  Integrals large = small;
  large.orbitals = n;
  const auto one = [&](const OneElectron& h) {
    auto result = std::make_shared<OneElectron>(n);
    for (int p = 0; p < n; ++p) result->set(p, p, 50.0);
    for (int p = 0; p < small.orbitals; ++p) {
      for (int q = 0; q <= p; ++q) result->set(places[p], places[q], h(p, q));
    }
    return result;
  };
  const auto two = [&](const TwoElectron& g) {
    auto result = std::make_shared<TwoElectron>(n);
    for (int p = 0; p < small.orbitals; ++p) {
      for (int q = 0; q <= p; ++q) {
        for (int r = 0; r < small.orbitals; ++r) {
          for (int s = 0; s <= r; ++s) {
            result->row(pair_index(places[p], places[q]))[pair_index(places[r], places[s])] =
                g(p, q, r, s);
          }
        }
      }
    }
    return result;
  };
  for (const Spin spin : {alpha, beta}) {
    large.one_electron[spin] = one(*small.one_electron[spin]);
    if (small.orbital_irreps[spin].empty()) continue;
    large.orbital_irreps[spin].assign(static_cast<std::size_t>(n), 0);
    for (int p = 0; p < small.orbitals; ++p) {
      large.orbital_irreps[spin][places[p]] = small.orbital_irreps[spin][p];
    }
  }
  large.alpha_alpha = two(*small.alpha_alpha);
  large.alpha_beta = small.unrestricted ? two(*small.alpha_beta) : large.alpha_alpha;
  large.beta_beta = small.unrestricted ? two(*small.beta_beta) : large.alpha_alpha;
  return large;
}

/// Five of 80 orbitals, on both sides of the border between words and at the end.
const std::vector<int> places{3, 63, 64, 70, 79};
constexpr int most = 80;

/// Spaces of five orbitals, and the same over these among 80.
struct Twins {
  Integrals small, large;
  CiSpace small_space, large_space;
};

Twins twins(int electrons, int ms2, bool unrestricted, std::optional<int> irrep, int holes) {
  const std::vector<int> irreps = irrep ? std::vector<int>{0, 1, 2, 3, 1} : std::vector<int>{};
  Integrals small = random_integrals(5, electrons, ms2, unrestricted, 21, irreps);
  Integrals large = placed(small, places, most);
  OrbitalString others = OrbitalString::lowest(most);
  for (const int p : places) others = others.without(p);
  CiSpaceOptions of_small{{}, irrep}, of_large{{}, irrep};
  of_small.ras = {OrbitalString::of(0, 1), {}, holes, 0};
  of_large.ras = {OrbitalString::of(places[0], places[1]), others, holes, 0};
  CiSpace small_space = make_ci_space(small, of_small),
          large_space = make_ci_space(large, of_large);
  return {std::move(small), std::move(large), std::move(small_space), std::move(large_space)};
}

template <class Visit>
void for_each_twins(Visit visit) {
  visit(twins(4, 0, false, {}, 4));
  visit(twins(5, 1, true, {}, 1));
  visit(twins(5, -1, false, 1, 4));
  visit(twins(4, 0, true, 0, 1));
  visit(twins(3, 3, false, {}, 4));
}

CsrMatrix matrix_of(const Integrals& integrals, const CiSpace& space, Storage storage) {
  const CiMatrixBuilder builder(integrals, space, storage);
  return builder.fill(builder.count());
}

TEST(ManyOrbitals, MatricesAreThoseOfTheOrbitalsThatMatter) {
  for_each_twins([](const Twins& of) {
    ASSERT_GE(of.small_space.size(), 3);
    for (const Storage storage : {Storage::full, Storage::upper}) {
      testing::expect_same(matrix_of(of.large, of.large_space, storage),
                           matrix_of(of.small, of.small_space, storage));
    }
    const HostMatrix slow = SlowHamiltonian(of.small).over(of.small_space);
    const HostMatrix found = testing::to_dense(matrix_of(of.large, of.large_space, Storage::full));
    EXPECT_LE((found - slow).cwiseAbs().maxCoeff(), 1e-12);
    std::vector<Index> rows(static_cast<std::size_t>(of.large_space.size()));
    std::iota(rows.begin(), rows.end(), 0);
    EXPECT_LE((principal_submatrix(of.large, of.large_space, rows) - slow).cwiseAbs().maxCoeff(),
              1e-12);
  });
}

TEST(ManyOrbitals, StatesAreThoseOfTheOrbitalsThatMatter) {
  for_each_twins([](const Twins& of) {
    std::srand(4);
    const HostVector x = HostVector::Random(of.small_space.size()).normalized();
    const auto of_small = make_pair_excitations(of.small_space);
    const auto of_large = make_pair_excitations(of.large_space);
    EXPECT_EQ(rank_weights(of.large_space, x), rank_weights(of.small_space, x));
    EXPECT_EQ(irrep_weights(of.large_space, of.large, x),
              irrep_weights(of.small_space, of.small, x));
    EXPECT_EQ(apply_s_squared(of.large_space, of_large, x),
              apply_s_squared(of.small_space, of_small, x));
    EXPECT_EQ(open_shell_counts(of.large_space), open_shell_counts(of.small_space));
    const OneDensities one = space_one_densities(of.large_space, of_large, x, x);
    const OneDensities expected = space_one_densities(of.small_space, of_small, x, x);
    for (const Spin spin : {alpha, beta}) {
      EXPECT_EQ(HostMatrix(one[spin](places, places)), expected[spin]);
      EXPECT_NEAR(one[spin].norm(), expected[spin].norm(), 1e-14) << "nothing elsewhere";
    }
  });
}

TEST(ManyOrbitals, SquaredSpinAndTwoElectronDensitiesReachBeyondOneWord) {
  // 66 orbitals: those of two-particle densities are many.
  const Integrals small = random_integrals(3, 3, 1, false, 5);
  const std::vector<int> at{0, 63, 65};
  const Integrals large = placed(small, at, 66);
  CiSpaceOptions options;
  options.ras = {{}, OrbitalString::lowest(66) & ~OrbitalString::of(0, 63, 65), 0, 0};
  const CiSpace space = make_ci_space(large, options), few = make_ci_space(small, {});
  testing::expect_same(s_squared_matrix(space), s_squared_matrix(few));
  const HostVector x = HostVector::LinSpaced(few.size(), -1.0, 2.0).normalized();
  const Densities found = space_densities(space, make_pair_excitations(space), x, x);
  const Densities expected = space_densities(few, make_pair_excitations(few), x, x);
  EXPECT_NEAR(energy(large, found), energy(small, expected), 1e-12);
  for (int k = 0; k < 81; ++k) {
    const int p = k / 27, q = k / 9 % 3, r = k / 3 % 3, s = k % 3;
    EXPECT_EQ(found.alpha_beta(at[p] * 66 + at[q], at[r] * 66 + at[s]),
              expected.alpha_beta(p * 3 + q, r * 3 + s));
    EXPECT_EQ(found.alpha_alpha(at[p] * 66 + at[q], at[r] * 66 + at[s]),
              expected.alpha_alpha(p * 3 + q, r * 3 + s));
  }
}

/// Sign of the order that a renumbering brings a string's orbitals into.
int order_sign(const OrbitalString& s, const std::vector<int>& to) {
  int sign = 1;
  for (const int q : s) {
    for (const int p : s.below(q)) sign = to[p] > to[q] ? -sign : sign;
  }
  return sign;
}

OrbitalString renumbered(const OrbitalString& s, const std::vector<int>& to) {
  OrbitalString result;
  for (const int p : s) result = result.with(to[p]);
  return result;
}

/// 70 orbitals, numbered so that the reference's are the last: the matrix is the same but for the
/// order of determinants and their signs.
TEST(ManyOrbitals, NumbersOfOrbitalsDoNotMatter) {
  constexpr int n = 70;
  for (const auto& [electrons, ms2, rank] : {std::array{3, 1, 1}, {2, 2, 2}, {5, 1, 1}}) {
    const Integrals integrals = random_integrals(n, electrons, ms2, false, 9);
    const Determinant reference = reference_determinant(integrals);
    std::vector<int> to(n);
    int lowest = 0, highest = n;
    for (int p = 0; p < n; ++p) {
      const bool occupied = (reference[alpha] | reference[beta]).has(p);
      to[p] = occupied ? --highest : lowest++;
    }
    const Integrals turned = placed(integrals, to, n);
    const CiSpace space = make_ci_space(integrals, {rank, {}});
    const CiSpace other = make_ci_space(turned, {rank, {}});
    for (const Spin spin : {alpha, beta}) {
      ASSERT_EQ(other.reference()[spin], renumbered(reference[spin], to));
    }
    ASSERT_GE(other.alpha.reference.first(), 64);
    ASSERT_EQ(space.size(), other.size());
    const CsrMatrix a = matrix_of(integrals, space, Storage::full);
    const HostMatrix b = testing::to_dense(matrix_of(turned, other, Storage::full));
    std::vector<Index> row(static_cast<std::size_t>(space.size()));
    std::vector<int> sign(row.size());
    for (Index i = 0; i < a.rows; ++i) {
      const Determinant d = space.determinant(i);
      const Determinant image{renumbered(d[alpha], to), renumbered(d[beta], to)};
      ASSERT_TRUE(other.holds(image));
      row[i] = static_cast<Index>(
          other.row(other.alpha.find(image[alpha]), other.beta.find(image[beta])));
      ASSERT_EQ(other.determinant(row[i]), image);
      sign[i] = order_sign(d[alpha], to) * order_sign(d[beta], to);
    }
    double worst = 0.0;
    for (Index i = 0; i < a.rows; ++i) {
      for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
        const Index j = a.column_indices[e];
        worst = std::max(worst, std::abs(a.values[e] - sign[i] * sign[j] * b(row[i], row[j])));
      }
    }
    EXPECT_LE(worst, 1e-12);
    EXPECT_EQ(a.nonzeros(), (b.array() != 0.0).count());
  }
}

TEST(ManyOrbitals, NonzerosAreBounded) {
  const Integrals integrals = random_integrals(66, 3, 1, false, 2);
  const CiSpaceOptions options{1, {}};
  const CiSpace space = make_ci_space(integrals, options);
  const auto nonzeros = static_cast<double>(matrix_of(integrals, space, Storage::full).nonzeros());
  const NonzeroBounds bounds = bound_nonzeros(integrals, options).front();
  EXPECT_LE(bounds.fewest, nonzeros);
  EXPECT_GE(bounds.most, nonzeros);
}

TEST(ManyOrbitals, LabelsNameThem) {
  constexpr int n = 128;
  const DeterminantLabels labels(n, {}, {});
  const Determinant reference{OrbitalString::of(0, 64), OrbitalString::of(0, 127)};
  const Determinant excited{OrbitalString::of(0, 100), OrbitalString::of(63, 127)};
  std::string expected(n, '0');
  expected[0] = '2';
  expected[64] = 'a';
  expected[127] = 'b';
  EXPECT_EQ(labels.occupation(reference), expected);
  EXPECT_EQ(labels.excitation(excited, reference), "65a 1b -> 101a 64b");
}

TEST(ManyOrbitals, ProductsWithoutAMatrixAreRefused) {
  const Integrals integrals = random_integrals(65, 2, 0, false, 3);
  const CiSpace space = make_ci_space(integrals, {});
  EXPECT_FALSE(has_direct_layout(space));
  EXPECT_THROW(DirectTables(integrals, space), InputError);
}

}  // namespace
}  // namespace cisolve
