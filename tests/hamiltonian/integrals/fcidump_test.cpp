// Input of the FCIDUMP reader: numbers, lines, symmetry, electrons, and the dialects.
#include "hamiltonian/integrals/fcidump/fcidump.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_header.hpp"
#include "tests/support/integrals/fcidump_text.hpp"

namespace cisolve {
namespace {

/// Two orbitals, two electrons.
const std::string header = "&FCI NORB=2,NELEC=2,MS2=0,\n &END\n";
const std::string body =
    "0.7 1 1 1 1\n0.6 2 2 1 1\n0.2 2 1 2 1\n0.65 2 2 2 2\n-1.2 1 1 0 0\n-0.5 2 2 0 0\n"
    "0.8 0 0 0 0\n";
const std::string diagonal_lines = "-1.2 1 1 0 0\n-0.5 2 2 0 0\n";

void expect_body(const Integrals& integrals) {
  const TwoElectron& g = *integrals.alpha_alpha;
  const OneElectron& h = *integrals.one_electron[alpha];
  EXPECT_EQ(integrals.orbitals, 2);
  EXPECT_EQ(g(0, 0, 0, 0), 0.7);
  EXPECT_EQ(g(0, 0, 1, 1), 0.6);
  EXPECT_EQ(g(1, 1, 0, 0), 0.6);
  EXPECT_EQ(g(0, 1, 1, 0), 0.2);
  EXPECT_EQ(g(1, 1, 1, 1), 0.65);
  EXPECT_EQ(g(0, 0, 0, 1), 0.0);
  EXPECT_EQ(h(0, 0), -1.2);
  EXPECT_EQ(h(1, 1), -0.5);
  EXPECT_EQ(h(0, 1), 0.0);
  EXPECT_EQ(integrals.core_energy, 0.8);
}

// --- Electrons and spin ---------------------------------------------------------------------

TEST(Electrons, ComeFromTheOptionBeforeTheFile) {
  FcidumpOptions options;
  options.electrons = 3;
  options.ms2 = -1;
  for (const std::string nelec : {"", "NELEC=0,", "NELEC=2,MS2=2"}) {
    const Integrals integrals = read_text("&FCI NORB=2," + nelec + "&END\n" + body, options);
    EXPECT_EQ(integrals.electrons, 3);
    EXPECT_EQ(integrals.ms2, -1);
    EXPECT_TRUE(integrals.warnings.empty());
  }
  options.electrons = 0;
  EXPECT_THROW(read_text(header + body, options), InputError);
}

TEST(SpinProjection, IsTheLowestWhenAbsentWithAWarningForOddElectrons) {
  const Integrals even = read_text("&FCI NORB=2,NELEC=2 &END\n" + body);
  EXPECT_EQ(even.ms2, 0);
  EXPECT_TRUE(even.warnings.empty());
  const Integrals odd = read_text("&FCI NORB=2,NELEC=3 &END\n" + body);
  EXPECT_EQ(odd.ms2, 1);
  EXPECT_TRUE(warns_of(odd, "MS2 = 1 is taken"));
  EXPECT_EQ(read_text("&FCI NORB=2,NELEC=2,MS2=-2 &END\n" + body).ms2, -2);
}

// --- Symmetry -------------------------------------------------------------------------------

TEST(Symmetry, IsOffWithAWarningWhenLabelsSayNothing) {
  for (const char* labels : {"0,0", "8,0", "1,9", "0,11"}) {
    const Integrals integrals =
        read_text(std::string("&FCI NORB=2,NELEC=2,ORBSYM=") + labels + " &END\n" + body);
    EXPECT_TRUE(integrals.orbital_irreps[alpha].empty());
    EXPECT_TRUE(integrals.orbital_irreps[beta].empty());
    EXPECT_TRUE(warns_of(integrals, "is read without symmetry"));
  }
}

TEST(Symmetry, CountsFromZeroWhereALabelIsZero) {
  const std::string lines = "0.7 1 1 1 1\n0.6 2 2 2 2\n-1.2 1 1 0 0\n-0.4 2 2 0 0\n0.5 0 0 0 0\n";
  const Integrals from_zero = read_text("&FCI NORB=2,NELEC=2,ORBSYM=0,7 &END\n" + lines);
  EXPECT_EQ(from_zero.orbital_irreps[alpha], (std::vector<int>{0, 7}));
  EXPECT_TRUE(from_zero.irreps_as_pyscf);
  EXPECT_TRUE(warns_of(from_zero, "counted from 0"));
  const Integrals from_one = read_text("&FCI NORB=2,NELEC=2,ORBSYM=1,8 &END\n" + lines);
  EXPECT_EQ(from_one.orbital_irreps[alpha], (std::vector<int>{0, 7}));
  EXPECT_FALSE(from_one.irreps_as_pyscf);
}

TEST(Symmetry, IsOffSilentlyWithoutLabels) {
  const Integrals integrals = read_text(header + body);
  EXPECT_TRUE(integrals.orbital_irreps[alpha].empty());
  EXPECT_TRUE(integrals.warnings.empty());
}

TEST(Symmetry, IsOffWithAWarningThatNamesTheLargestIntegralAgainstIt) {
  const std::string labels = "&FCI NORB=2,NELEC=2,ORBSYM=1,2 &END\n";
  const Integrals two = read_text(labels + body + "2e-8 2 1 1 1\n0.1 2 1 0 0\n");
  EXPECT_TRUE(two.orbital_irreps[alpha].empty());
  EXPECT_TRUE(two.orbital_irreps[beta].empty());
  EXPECT_TRUE(warns_of(two, "line 10, 0.1 2 1 0 0"));
  EXPECT_TRUE(warns_of(read_text(labels + body + "2e-8 2 1 1 1\n"), "line 9, 2e-08 2 1 1 1"));
  const Integrals one = read_text(labels + body + "-0.1 1 2 0 0\n");
  EXPECT_TRUE(one.orbital_irreps[alpha].empty());
  EXPECT_TRUE(warns_of(one, "line 9, -0.1 1 2 0 0"));
  EXPECT_EQ((*one.one_electron[alpha])(0, 1), -0.1);
}

TEST(Symmetry, StaysOnWhenForbiddenIntegralsAreNoise) {
  const Integrals integrals =
      read_text("&FCI NORB=2,NELEC=2,ORBSYM=1,2 &END\n" + body + "5e-9 2 1 1 1\n-5e-9 2 1 0 0\n");
  EXPECT_EQ(integrals.orbital_irreps[alpha], (std::vector<int>{0, 1}));
  EXPECT_TRUE(integrals.warnings.empty());
}

// --- Lines ----------------------------------------------------------------------------------

TEST(Lines, MayComeInAnyOrderWithBlankOnesAndNoFinalNewline) {
  expect_body(read_text(header + "0.8 0 0 0 0\n\n-0.5 2 2 0 0\n0.2 1 2 1 2\r\n-1.2\t1\t1 0 0\n"
                                 "   \n 0.65 2 2 2 2\n0.6 1 1 2 2\n0.7 1 1 1 1"));
}

TEST(Lines, TakeEveryFortranSpellingOfANumber) {
  const std::vector<std::pair<std::string, double>> spellings = {
      {"1.0", 1.0},
      {"1", 1.0},
      {"1.", 1.0},
      {".5", 0.5},
      {"-.5E-01", -0.05},
      {"+0.1", 0.1},
      {"+.1d0", 0.1},
      {"0.125D+00", 0.125},
      {"-1.25d-01", -0.125},
      {"2.27313592194124236556E+00", 2.27313592194124236556},
      {"0.5E+1", 5.0},
      {"1.5-101", 1.5e-101},
      {"-1.5+002", -150.0},
      {"1.0D-400", 0.0},
      {"0.0000000000000000000000000000000000000000000000000000000000000000000000000005D+75", 0.5}};
  for (const auto& [spelling, value] : spellings) {
    const Integrals integrals = read_text(header + spelling + " 2 1 1 1\n" + diagonal_lines);
    EXPECT_DOUBLE_EQ((*integrals.alpha_alpha)(0, 0, 0, 1), value) << spelling;
  }
}

TEST(Lines, GiveAllEightPermutationsWhicheverIsWritten) {
  const std::string text =
      "&FCI NORB=4,NELEC=2 &END\n-1 1 1 0 0\n-1 2 2 0 0\n-1 3 3 0 0\n-1 4 4 0 0\n";
  const std::array<std::array<int, 4>, 8> permutations = {{{0, 1, 2, 3},
                                                           {1, 0, 2, 3},
                                                           {0, 1, 3, 2},
                                                           {1, 0, 3, 2},
                                                           {2, 3, 0, 1},
                                                           {3, 2, 0, 1},
                                                           {2, 3, 1, 0},
                                                           {3, 2, 1, 0}}};
  for (const auto& [p, q, r, s] : permutations) {
    std::string line = "0.3";
    for (const int index : {p, q, r, s}) line += " " + std::to_string(index + 1);
    const Integrals integrals = read_text(text + line + "\n");
    const TwoElectron& g = *integrals.alpha_alpha;
    for (const auto& [a, b, c, d] : permutations) EXPECT_EQ(g(a, b, c, d), 0.3) << line;
    EXPECT_EQ(g(0, 2, 1, 3), 0.0);  // another integral of the same orbitals
    double sum = 0.0;
    for (int row = 0; row < g.pairs(); ++row) {
      for (int column = 0; column < g.pairs(); ++column) sum += g.row(row)[column];
    }
    EXPECT_DOUBLE_EQ(sum, 0.6);  // (pq|rs) and (rs|pq) only
  }
}

TEST(Lines, TakeSixtyFourOrbitals) {
  std::string text = "&FCI NORB=64,NELEC=2 &END\n0.25 64 63 64 64\n";
  for (int p = 1; p <= 64; ++p) {
    text += "-1 " + std::to_string(p) + " " + std::to_string(p) + " 0 0\n";
  }
  const Integrals integrals = read_text(text);
  EXPECT_EQ((*integrals.alpha_alpha)(63, 63, 62, 63), 0.25);
}

TEST(Repeats, AreFineWhenTheyAgree) {
  expect_body(read_text(header + body + "0.7 1 1 1 1\n0.6 1 1 2 2\n0.20000000005 1 2 2 1\n" +
                        "-1.2 1 1 0 0\n0.8 0 0 0 0\n"));
  const Integrals large =
      read_text(header + diagonal_lines + "1e6 1 1 1 1\n1000000.00005 1 1 1 1\n");
  EXPECT_EQ((*large.alpha_alpha)(0, 0, 0, 0), 1e6);
}

TEST(Repeats, ThatDifferAreRefusedInEveryPermutation) {
  for (const std::string indices : {"3 2 1 1", "2 3 1 1", "1 1 3 2", "1 1 2 3"}) {
    EXPECT_THROW(read_text("&FCI NORB=3,NELEC=2 &END\n0.5 3 2 1 1\n0.500000001 " + indices +
                           "\n-1 1 1 0 0\n-1 2 2 0 0\n-1 3 3 0 0\n"),
                 InputError)
        << indices;
  }
}

TEST(Zeros, WrittenOutCountAsPresent) {
  const Integrals integrals =
      read_text(header + "0.0 1 1 0 0\n0 2 2 0 0\n0.0 2 1 1 1\n0 0 0 0 0\n");
  EXPECT_EQ((*integrals.one_electron[alpha])(1, 1), 0.0);
  EXPECT_TRUE(integrals.warnings.empty());
  // A zero that is repeated with another value differs.
  EXPECT_THROW(read_text(header + diagonal_lines + "0.0 2 1 1 1\n0.1 2 1 1 1\n"), InputError);
}

TEST(OrbitalEnergies, AreNeitherCoreEnergyNorOneElectronIntegrals) {
  const Integrals integrals = read_text(header + "-0.3 1 0 0 0\n" + body + "0.4 2 0 0 0\n");
  expect_body(integrals);
  EXPECT_EQ(integrals.orbital_energies[alpha], (std::vector<double>{-0.3, 0.4}));
  EXPECT_EQ(integrals.orbital_energies[beta], (std::vector<double>{-0.3, 0.4}));
}

TEST(OrbitalEnergies, OfSomeOrbitalsAreDroppedWithAWarning) {
  const Integrals integrals = read_text(header + body + "0.4 2 0 0 0\n");
  EXPECT_TRUE(integrals.orbital_energies[alpha].empty());
  EXPECT_TRUE(warns_of(integrals, "Only 1 of 2 orbital energies"));
}

TEST(CoreEnergy, IsZeroWithAWarningWhenAbsent) {
  const Integrals absent = read_text(header + diagonal_lines);
  EXPECT_EQ(absent.core_energy, 0.0);
  EXPECT_TRUE(warns_of(absent, "no core energy line: 0 is taken"));
  const Integrals zero = read_text(header + diagonal_lines + "0.0 0 0 0 0\n");
  EXPECT_EQ(zero.core_energy, 0.0);
  EXPECT_TRUE(zero.warnings.empty());
}

TEST(RestrictedFile, SharesItsIntegralsBetweenSpins) {
  const Integrals integrals = read_text(header + body);
  EXPECT_FALSE(integrals.unrestricted);
  EXPECT_EQ(integrals.alpha_alpha, integrals.alpha_beta);
  EXPECT_EQ(integrals.alpha_alpha, integrals.beta_beta);
  EXPECT_EQ(integrals.one_electron[alpha], integrals.one_electron[beta]);
}

TEST(GzipFile, ReadsLikeItsText) {
  const std::filesystem::path path = write_file("");
  const std::string text = header + body;
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), int(text.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
  expect_body(read_fcidump(path));
  std::filesystem::remove(path);
}

TEST(Header, IsKnownByTheFirstWords) {
  for (const char* text : {"&FCI NORB", " \n &fcidump\n", "$FCI", "\xEF\xBB\xBF&FCI"}) {
    EXPECT_TRUE(opens_fcidump_header(text)) << text;
  }
  for (const char* text : {"", "FCI", "&FCIX", "&INPUT", "%%MatrixMarket &FCI", "0.1 1 1 1 1"}) {
    EXPECT_FALSE(opens_fcidump_header(text)) << text;
  }
}

TEST(ByteOrderMark, IsSkipped) {
  expect_body(read_text("\xEF\xBB\xBF" + header + body));
}

}  // namespace
}  // namespace cisolve
