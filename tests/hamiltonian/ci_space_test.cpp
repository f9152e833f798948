#include "hamiltonian/space/ci_space.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>

#include "core/error.hpp"
#include "hamiltonian/integrals/restrict_orbitals.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/space/space_sizes.hpp"
#include "hamiltonian/space/spaces.hpp"
#include "tests/support/integrals/data_integrals.hpp"
#include "tests/support/integrals/random_integrals.hpp"

namespace cisolve {
namespace {

std::int64_t determinants(const Integrals& integrals, CiSpaceOptions options = {}) {
  return make_ci_space(integrals, options).size();
}

/// The message of the InputError that `action` throws; empty when it throws none.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

OrbitalString occupied(const std::vector<int>& orbitals) {
  OrbitalString s;
  for (const int p : orbitals) s = s.with(p);
  return s;
}

/// The order that CiSpace and StringSpace promise, whatever the space.
void expect_consistent(const CiSpace& space, int irrep, int most_particles, int most_holes = 0) {
  for (const StringSpace* strings : {&space.alpha, &space.beta}) {
    ASSERT_EQ(strings->group_begin.size(), static_cast<std::size_t>(strings->groups()) + 1);
    ASSERT_EQ(strings->group_begin.back(), strings->size());
    for (Index i = 0; i < strings->size(); ++i) {
      const OrbitalString s = strings->strings[i];
      ASSERT_EQ(s.count(), strings->electrons);
      ASSERT_EQ(strings->find(s), i);
      const int group =
          strings->group(strings->irrep_of[i], strings->holes(s), strings->particles(s));
      ASSERT_EQ(strings->group_of[i], group);
      ASSERT_LE(strings->group_begin[group], i);
      ASSERT_LT(i, strings->group_begin[group + 1]);
      if (i > strings->group_begin[group]) {
        ASSERT_LT(strings->strings[i - 1], s);
      }
    }
  }
  // Every pair of strings is a determinant exactly when irreps, holes and particles say so, and
  // determinants are numbered in that order.
  std::int64_t rows = 0;
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const auto betas = space.determinants_of(a);
    ASSERT_FALSE(betas.empty());
    auto next = betas.begin();
    for (Index b = 0; b < space.beta.size(); ++b) {
      const OrbitalString of_alpha = space.alpha.strings[a], of_beta = space.beta.strings[b];
      const bool belongs =
          (space.alpha.irrep_of[a] ^ space.beta.irrep_of[b]) == irrep &&
          space.alpha.holes(of_alpha) + space.beta.holes(of_beta) <= most_holes &&
          space.alpha.particles(of_alpha) + space.beta.particles(of_beta) <= most_particles;
      ASSERT_EQ(betas.find(b), belongs ? rows : -1);
      if (!belongs) continue;
      ASSERT_EQ((*next).beta, b);
      ASSERT_EQ((*next++).row, rows);
      ASSERT_EQ(space.row(a, b), rows);
      ASSERT_EQ(space.alpha_of(rows), a);
      ASSERT_EQ((*betas.at(rows)).beta, b);
      ++rows;
    }
    ASSERT_EQ(next, betas.end());
  }
  ASSERT_EQ(space.size(), rows);
}

TEST(CiSpace, FullCiHasTheKnownNumbersOfDeterminants) {
  EXPECT_EQ(determinants(load("h2o_631g_frozen_core")), 245025);
  EXPECT_EQ(determinants(load("lih_ccpvdz")), 29241);
  EXPECT_EQ(determinants(load("be_ccpvdz")), 8281);
  EXPECT_EQ(determinants(load("n2_sto3g")), 14400);
  EXPECT_EQ(determinants(load("h8_chain_sto3g")), 4900);
  EXPECT_EQ(determinants(load("nh3_sto3g")), 3136);
  EXPECT_EQ(determinants(load("ch2_631g")), 511225);
  EXPECT_EQ(determinants(load("o2_sto3g_uhf")), 1200);
  EXPECT_EQ(determinants(load("n2_631g_frozen_core")), 19079424);
}

TEST(CiSpace, TruncatedSpacesHaveTheKnownNumbersOfDeterminants) {
  const Integrals water = load("h2o_631g_frozen_core");
  EXPECT_EQ(determinants(water, {0, {}}), 1);
  EXPECT_EQ(determinants(water, {1, {}}), 1 + 2 * 4 * 8);
  EXPECT_EQ(determinants(water, {2, {}}), 1425);
  EXPECT_EQ(determinants(water, {4, {}}), 55325);
  EXPECT_EQ(determinants(water, {8, {}}), 245025);
  // Σ_{a + b ≤ 4} C(5,a) C(11,a) C(5,b) C(11,b).
  const std::int64_t n[] = {1, 55, 550, 1650, 1650};
  std::int64_t expected = 0;
  for (int a = 0; a <= 4; ++a) {
    for (int b = 0; a + b <= 4; ++b) expected += n[a] * n[b];
  }
  EXPECT_EQ(determinants(load("n2_631g_frozen_core"), {4, {}}), expected);
}

TEST(CiSpace, IrrepsPartitionTheDeterminants) {
  for (const char* name : {"lih_ccpvdz", "be_ccpvdz", "n2_sto3g", "o2_sto3g_uhf"}) {
    const Integrals integrals = load(name);
    for (const std::optional<int> rank : {std::optional<int>{}, std::optional<int>{2}}) {
      std::int64_t sum = 0;
      const int irreps = std::string(name) == "lih_ccpvdz" ? 4 : 8;
      for (int irrep = 0; irrep < irreps; ++irrep) sum += determinants(integrals, {rank, irrep});
      EXPECT_EQ(sum, determinants(integrals, {rank, {}})) << name;
    }
  }
}

TEST(CiSpace, StringsAreGroupedAndDeterminantsNumberedAsPromised) {
  expect_consistent(make_ci_space(load("n2_sto3g"), {}), 0, 0);
  expect_consistent(make_ci_space(load("n2_sto3g"), {{}, 5}), 5, 0);
  expect_consistent(make_ci_space(load("lih_ccpvdz"), {3, 1}), 1, 3);
  expect_consistent(make_ci_space(load("o2_sto3g_uhf"), {2, 3}), 3, 2);
  expect_consistent(make_ci_space(load("h2o_631g_frozen_core"), {3, {}}), 0, 3);
}

CiSpaceOptions restricted(OrbitalString ras1, OrbitalString ras3, int holes, int particles,
                          std::optional<int> irrep = {}) {
  CiSpaceOptions options{{}, irrep};
  options.ras = {ras1, ras3, holes, particles};
  return options;
}

TEST(CiSpace, RestrictedActiveSpacesAreGroupedAndNumberedToo) {
  const Integrals n2 = load("n2_sto3g"), lih = load("lih_ccpvdz");  // 10 and 19 orbitals
  const OrbitalString low = occupied({0, 1, 2, 3}), high = occupied({7, 8, 9});
  expect_consistent(make_ci_space(n2, restricted(low, high, 2, 2)), 0, 2, 2);
  expect_consistent(make_ci_space(n2, restricted(low, high, 1, 3, 5)), 5, 3, 1);
  expect_consistent(make_ci_space(n2, restricted(low, {}, 0, 0, 0)), 0, 0, 0);
  expect_consistent(make_ci_space(n2, restricted({}, high, 0, 1)), 0, 1, 0);
  expect_consistent(make_ci_space(lih, restricted(occupied({0}), occupied({15, 16, 17}), 1, 1, 2)),
                    2, 1, 1);
  EXPECT_FALSE(make_ci_space(n2, restricted(low, high, 2, 2)).has_single_ranges());
  EXPECT_TRUE(make_ci_space(n2, {2, {}}).has_single_ranges());
}

TEST(CiSpace, RestrictedActiveSpacesHaveTheNumbersOfDeterminantsCounted) {
  const Integrals n2 = load("n2_sto3g");
  const OrbitalString low = occupied({0, 1, 2, 3}), high = occupied({7, 8, 9});
  const auto strings = make_ci_space(n2, {}).alpha.strings;  // 7 electrons in 10 orbitals
  std::int64_t expected = 0;
  for (const OrbitalString a : strings) {
    for (const OrbitalString b : strings) {
      const int holes = (low & ~a).count() + (low & ~b).count();
      expected += holes <= 2 && (a & high).count() + (b & high).count() <= 3;
    }
  }
  const CiSpaceOptions options = restricted(low, high, 2, 3);
  EXPECT_EQ(determinants(n2, options), expected);
  long double sum = 0;
  for (const long double count : count_determinants(n2, options)) sum += count;
  EXPECT_EQ(sum, expected);
}

TEST(CiSpace, RestrictedActiveSpacesThatAllowEverythingAreFullCi) {
  const Integrals n2 = load("n2_sto3g");
  const OrbitalString low = occupied({0, 1, 2, 3}), high = occupied({7, 8, 9});
  const CiSpace space = make_ci_space(n2, restricted(low, high, 8, 6));
  EXPECT_TRUE(space.alpha.full);
  EXPECT_EQ(space.alpha.strings, make_ci_space(n2, {}).alpha.strings);
  EXPECT_EQ(space.size(), 14400);
}

TEST(CiSpace, TwoHolesAndParticlesOfAClosedShellAreSinglesAndDoubles) {
  const Integrals n2 = load("n2_sto3g");
  const OrbitalString reference = reference_determinant(n2)[alpha];
  const CiSpaceOptions options = restricted(reference, reference.empty_of(10), 2, 2);
  EXPECT_EQ(determinants(n2, options), determinants(n2, {2, {}}));
}

TEST(CiSpace, RestrictedActiveSpacesOfGeneralSpinOrbitalsCountTheirOneString) {
  Integrals integrals = random_integrals(8, 4, 4, false, 7);
  integrals.general = integrals.unrestricted = true;
  CiSpaceOptions options;
  options.ras = {0b00000011_string, 0b11000000_string, 1, 1};
  // Electrons in RAS1, RAS2 and RAS3: 2 + 2 + 0, 2 + 1 + 1, 1 + 3 + 0 or 1 + 2 + 1.
  EXPECT_EQ(make_ci_space(integrals, options).size(), 6 + 4 * 2 + 2 * 4 + 2 * 6 * 2);
}

TEST(CiSpace, RefusesRestrictedActiveSpacesThatMeanNothing) {
  const Integrals n2 = load("n2_sto3g");
  const auto message = [&](CiSpaceOptions options) {
    return error_of([&] { make_ci_space(n2, options); });
  };
  EXPECT_TRUE(contains(message(restricted(occupied({0, 1}), occupied({1, 2}), 1, 1)),
                       "without a common orbital"));
  EXPECT_TRUE(contains(message(restricted({}, occupied({2, 3, 4, 5, 6, 7, 8, 9}), 0, 2)),
                       "do not fit the limits"));
}

TEST(CiSpace, FullCiHoldsEveryStringInAscendingOrder) {
  const CiSpace space = make_ci_space(random_integrals(5, 4, 0, false, 1), {});
  std::vector<OrbitalString> expected;
  for (unsigned bits = 0; bits < 32; ++bits) {
    if (std::popcount(bits) == 2) expected.emplace_back(bits);
  }
  EXPECT_EQ(space.alpha.strings, expected);
  EXPECT_EQ(space.beta.strings, expected);
}

TEST(CiSpace, StringsOutsideTheSpaceAreNotFound) {
  const CiSpace space = make_ci_space(load("nh3_sto3g"), {1, {}});
  const OrbitalString reference = space.alpha.reference;
  EXPECT_GE(space.alpha.find(reference), 0);
  EXPECT_EQ(space.alpha.find((reference & ~occupied({0, 1})) | occupied({6, 7})), -1);
  EXPECT_EQ(space.alpha.find({}), -1);
}

TEST(CiSpace, SixtyFourOrbitalsNeedOnlyTheStringsOfTheSpace) {
  Integrals integrals;
  integrals.orbitals = 64;
  integrals.electrons = 10;
  for (auto& energies : integrals.orbital_energies) {
    energies.resize(64);
    std::iota(energies.rbegin(), energies.rend(), 0.0);  // orbital 63 lowest
  }
  const CiSpace space = make_ci_space(integrals, {2, {}});
  EXPECT_EQ(space.alpha.reference, occupied({59, 60, 61, 62, 63}));
  EXPECT_EQ(space.size(), 1 + 590 + 2 * 10 * 1711 + 295 * 295);
  expect_consistent(make_ci_space(integrals, {1, {}}), 0, 1);
}

TEST(ReferenceDeterminant, TakesTheLowestOrbitalEnergiesNotTheFirstOrbitals) {
  Integrals integrals = random_integrals(5, 5, 1, false, 3);
  integrals.orbital_energies = {std::vector<double>{0.5, -1, 0.2, -3, 0.2},
                                std::vector<double>{0.5, -1, 0.2, -3, 0.2}};
  const auto reference = reference_determinant(integrals);
  EXPECT_EQ(reference[alpha], occupied({1, 2, 3}));  // the tie of 2 and 4 goes to 2
  EXPECT_EQ(reference[beta], occupied({1, 3}));
}

TEST(ReferenceDeterminant, FollowsFromTheFockDiagonalWithoutOrbitalEnergies) {
  for (const char* name : {"n2_sto3g", "lih_ccpvdz", "h2o_631g_frozen_core", "o2_sto3g_uhf"}) {
    Integrals integrals = load(name);
    const auto expected = reference_determinant(integrals);
    integrals.orbital_energies = {};
    EXPECT_EQ(reference_determinant(integrals), expected) << name;
  }
}

TEST(CiSpace, TruncatedSpacesNoteTheirReferenceDeterminant) {
  const Integrals lih = load("lih_ccpvdz");
  const auto notes = make_ci_space(lih, {2, 0}).notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], "reference determinant: alpha 1 2, beta 1 2 (orbital energies)");
  const auto others = make_ci_space(lih, {2, 1}).notes;
  ASSERT_EQ(others.size(), 2u);
  EXPECT_TRUE(contains(others[1], "reference determinant has irrep 0")) << others[1];
}

TEST(CiSpace, RefusesElectronsThatDoNotFit) {
  const auto message = [](int electrons, int ms2) {
    return error_of([&] { make_ci_space(random_integrals(3, electrons, ms2, false, 1), {}); });
  };
  EXPECT_EQ(message(6, 0), "");
  EXPECT_TRUE(contains(message(0, 0), "number of electrons is 0")) << message(0, 0);
  EXPECT_TRUE(contains(message(3, 0), "MS2 must be odd for 3 electrons")) << message(3, 0);
  EXPECT_TRUE(contains(message(2, 4), "|MS2|")) << message(2, 4);
  EXPECT_TRUE(contains(message(8, 0), "4 alpha")) << message(8, 0);
  EXPECT_TRUE(contains(message(5, 3), "4 alpha and 1 beta")) << message(5, 3);
}

TEST(CiSpace, RefusesMoreOrbitalsThanAStringHas) {
  Integrals integrals;
  integrals.orbitals = 129;
  integrals.electrons = 2;
  const auto message = error_of([&] { make_ci_space(integrals, {1, {}}); });
  EXPECT_TRUE(contains(message, "129 orbitals")) << message;
}

TEST(CiSpace, RefusesOptionsThatMeanNothing) {
  const auto message = [](const Integrals& integrals, CiSpaceOptions options) {
    return error_of([&] { make_ci_space(integrals, options); });
  };
  const Integrals plain = random_integrals(4, 2, 0, false, 1);
  const Integrals two = random_integrals(4, 2, 0, false, 1, {0, 0, 1, 1});
  const Integrals four = random_integrals(4, 2, 0, false, 1, {0, 0, 2, 2});
  EXPECT_TRUE(contains(message(plain, {-1, {}}), "excitation rank is -1"));
  EXPECT_TRUE(contains(message(plain, {{}, 0}), "no orbital symmetry"));
  EXPECT_TRUE(contains(message(two, {{}, -1}), "expected 0 to 7"));
  EXPECT_TRUE(contains(message(two, {{}, 8}), "expected 0 to 7"));
  EXPECT_TRUE(contains(message(two, {{}, 2}), "no determinant has irrep 2"));
  EXPECT_TRUE(contains(message(four, {{}, 1}), "no determinant is left"));
  EXPECT_TRUE(contains(message(two, {0, 1}), "no determinant is left"));
}

TEST(CiSpace, SaysHowManyDeterminantsAreTooManyWithoutMakingThem) {
  Integrals integrals;
  integrals.orbitals = 20;
  integrals.electrons = 20;
  for (auto& energies : integrals.orbital_energies) energies.assign(20, 0.0);
  auto message = error_of([&] { make_ci_space(integrals, {}); });
  EXPECT_TRUE(contains(message, "34134779536 determinants")) << message;
  EXPECT_TRUE(contains(message, "at most 2147483647")) << message;
  integrals.orbitals = integrals.electrons = 64;
  for (auto& energies : integrals.orbital_energies) energies.assign(64, 0.0);
  message = error_of([&] { make_ci_space(integrals, {}); });
  EXPECT_TRUE(contains(message, "3.359e+36 determinants")) << message;
}

TEST(RestrictOrbitals, KeepsTheFilesOrderAndItsSymmetry) {
  Integrals integrals = random_integrals(5, 4, 0, true, 8, {0, 1, 2, 3, 0});
  integrals.orbital_energies = {std::vector<double>{1, 2, 3, 4, 5},
                                std::vector<double>{6, 7, 8, 9, 10}};
  const Integrals result = restrict_orbitals(integrals, {1}, {4, 0, 3});
  EXPECT_EQ(result.orbitals, 3);
  EXPECT_EQ(result.electrons, 2);
  EXPECT_EQ(result.orbital_irreps[beta], (std::vector<int>{0, 3, 0}));
  EXPECT_EQ(result.orbital_energies[beta], (std::vector<double>{6, 9, 10}));
  EXPECT_EQ((*result.alpha_beta)(2, 0, 1, 1), (*integrals.alpha_beta)(4, 0, 3, 3));
  EXPECT_EQ(restrict_orbitals(integrals, {}, {}).orbitals, 5);
  EXPECT_EQ(restrict_orbitals(integrals, {}, {}).core_energy, integrals.core_energy);
}

TEST(RestrictOrbitals, RefusesOrbitalsThatAreMissingOrRepeated) {
  const Integrals integrals = random_integrals(4, 4, 2, false, 1);
  const auto message = [&](std::vector<int> frozen, std::vector<int> active) {
    return error_of([&] { restrict_orbitals(integrals, frozen, active); });
  };
  EXPECT_TRUE(contains(message({4}, {}), "orbital 5 (counted from 1)"));
  EXPECT_TRUE(contains(message({-1}, {}), "orbital 0 (counted from 1)"));
  EXPECT_TRUE(contains(message({}, {0, 7}), "orbital 8 (counted from 1)"));
  EXPECT_TRUE(contains(message({0, 0}, {}), "listed twice"));
  EXPECT_TRUE(contains(message({0}, {0, 1}), "listed twice"));
  EXPECT_TRUE(contains(message({0, 1}, {}), "frozen orbitals leave 0 of 4 electrons"));
  EXPECT_EQ(message({0}, {}), "");
}

TEST(SpaceSizes, AreThoseOfTheSpaces) {
  for (const char* file : {"lih_ccpvdz", "h8_chain_sto3g", "h2o_631g_frozen_core"}) {
    const Integrals integrals = load(file);
    int compared = 0;
    for (const SpaceSize& size : space_sizes(integrals)) {
      if (size.determinants == 0.0) continue;
      const CiSpaceOptions options{size.space.rank, size.irrep};
      const CiSpace space = make_ci_space(integrals, options);
      EXPECT_EQ(size.determinants, static_cast<double>(space.size()))
          << file << " " << space_name(size.space) << " " << size.irrep.value_or(-1);
      ++compared;
      if (space.size() > 5000) continue;
      const CiMatrixBuilder builder(integrals, space);
      EXPECT_GE(size.nonzeros, static_cast<double>(builder.count().back()));
    }
    EXPECT_GE(compared, 5);
  }
}

}  // namespace
}  // namespace cisolve
