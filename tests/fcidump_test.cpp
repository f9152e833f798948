// What the FCIDUMP reader takes: numbers, lines, symmetry, electrons, and the dialects.
#include "hamiltonian/fcidump.hpp"

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

namespace cisolve {
namespace {

/// Two orbitals, two electrons.
const std::string header = "&FCI NORB=2,NELEC=2,MS2=0,\n &END\n";
const std::string body =
    "0.7 1 1 1 1\n0.6 2 2 1 1\n0.2 2 1 2 1\n0.65 2 2 2 2\n-1.2 1 1 0 0\n-0.5 2 2 0 0\n"
    "0.8 0 0 0 0\n";
const std::string diagonal = "-1.2 1 1 0 0\n-0.5 2 2 0 0\n";

/// A file of this text, named after the running test.
std::filesystem::path write_file(const std::string& text) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test->test_suite_name()) + "_" + test->name() + ".fcidump";
  std::replace(name.begin(), name.end(), '/', '_');
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

Integrals read_text(const std::string& text, const FcidumpOptions& options = {}) {
  const std::filesystem::path path = write_file(text);
  Integrals integrals = read_fcidump(path, options);
  std::filesystem::remove(path);
  return integrals;
}

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

bool warns_of(const Integrals& integrals, const std::string& part) {
  return std::any_of(
      integrals.warnings.begin(), integrals.warnings.end(),
      [&](const std::string& warning) { return warning.find(part) != warning.npos; });
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

TEST(Symmetry, IsOffWithAWarningWhenALabelIsZero) {
  const Integrals integrals = read_text("&FCI NORB=2,NELEC=2,ORBSYM=1,0 &END\n" + body);
  EXPECT_TRUE(integrals.orbital_irreps[alpha].empty());
  EXPECT_TRUE(integrals.orbital_irreps[beta].empty());
  EXPECT_TRUE(warns_of(integrals, "ORBSYM holds 0"));
}

TEST(Symmetry, IsOffSilentlyWithoutLabels) {
  const Integrals integrals = read_text(header + body);
  EXPECT_TRUE(integrals.orbital_irreps[alpha].empty());
  EXPECT_TRUE(integrals.warnings.empty());
}

TEST(Symmetry, IsOffWithAWarningThatNamesTheFirstIntegralAgainstIt) {
  const std::string labels = "&FCI NORB=2,NELEC=2,ORBSYM=1,2 &END\n";
  const Integrals two = read_text(labels + body + "2e-8 2 1 1 1\n0.1 2 1 0 0\n");
  EXPECT_TRUE(two.orbital_irreps[alpha].empty());
  EXPECT_TRUE(two.orbital_irreps[beta].empty());
  EXPECT_TRUE(warns_of(two, "line 9, 2e-08 2 1 1 1"));
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
    const Integrals integrals = read_text(header + spelling + " 2 1 1 1\n" + diagonal);
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
  const Integrals large = read_text(header + diagonal + "1e6 1 1 1 1\n1000000.00005 1 1 1 1\n");
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
  const Integrals integrals = read_text(header + "0.0 1 1 0 0\n0 2 2 0 0\n0.0 2 1 1 1\n");
  EXPECT_EQ((*integrals.one_electron[alpha])(1, 1), 0.0);
  EXPECT_TRUE(integrals.warnings.empty());
  // A zero that is repeated with another value differs.
  EXPECT_THROW(read_text(header + diagonal + "0.0 2 1 1 1\n0.1 2 1 1 1\n"), InputError);
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

TEST(CoreEnergy, IsZeroWhenAbsent) {
  EXPECT_EQ(read_text(header + diagonal).core_energy, 0.0);
  EXPECT_EQ(read_text(header + diagonal + "0.0 0 0 0 0\n").core_energy, 0.0);
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
  EXPECT_TRUE(looks_like_fcidump(path));
  expect_body(read_fcidump(path));
  std::filesystem::remove(path);
}

TEST(LooksLikeFcidump, GoesByTheFirstWords) {
  for (const std::string text : {"&FCI NORB", " \n &fcidump\n", "$FCI"}) {
    EXPECT_TRUE(looks_like_fcidump(write_file(text))) << text;
  }
  for (const std::string text :
       {"", "FCI", "&FCIX", "&INPUT", "%%MatrixMarket &FCI", "0.1 1 1 1 1"}) {
    EXPECT_FALSE(looks_like_fcidump(write_file(text))) << text;
  }
  std::filesystem::remove(write_file(""));
}

// --- Unrestricted dialects ------------------------------------------------------------------

void expect_unrestricted(const Integrals& integrals) {
  EXPECT_TRUE(integrals.unrestricted);
  EXPECT_EQ(integrals.orbitals, 2);
  EXPECT_EQ((*integrals.alpha_alpha)(0, 0, 1, 0), 0.11);
  EXPECT_EQ((*integrals.alpha_alpha)(0, 1, 0, 0), 0.11);
  EXPECT_EQ((*integrals.beta_beta)(0, 0, 0, 1), 0.22);
  EXPECT_EQ((*integrals.beta_beta)(1, 0, 0, 0), 0.22);
  EXPECT_EQ((*integrals.alpha_beta)(1, 0, 0, 0), 0.33);  // alpha orbitals first
  EXPECT_EQ((*integrals.alpha_beta)(0, 0, 0, 1), 0.44);
  EXPECT_EQ((*integrals.alpha_alpha)(0, 0, 0, 0), 0.0);
  EXPECT_EQ((*integrals.one_electron[alpha])(0, 1), 0.5);
  EXPECT_EQ((*integrals.one_electron[beta])(1, 0), 0.6);
  EXPECT_EQ((*integrals.one_electron[alpha])(1, 1), -1.1);
  EXPECT_EQ((*integrals.one_electron[beta])(1, 1), -1.2);
  EXPECT_EQ(integrals.orbital_energies[alpha], (std::vector<double>{-0.9, -0.7}));
  EXPECT_EQ(integrals.orbital_energies[beta], (std::vector<double>{-0.8, -0.6}));
}

const std::string interleaved =
    "0.11 3 1 1 1\n0.22 4 2 2 2\n0.33 3 1 2 2\n0.44 4 2 1 1\n0.5 3 1 0 0\n0.6 2 4 0 0\n"
    "-2.1 1 1 0 0\n-2.2 2 2 0 0\n-1.1 3 3 0 0\n-1.2 4 4 0 0\n"
    "-0.9 1 0 0 0\n-0.8 2 0 0 0\n-0.7 3 0 0 0\n-0.6 4 0 0 0\n";

TEST(InterleavedSpinOrbitals, AreSplitIntoSpins) {
  const std::string text = "&FCI NORB=4,NELEC=2,UHF=.TRUE. &END\n" + interleaved;
  const Integrals integrals = read_text(text + "3.5 0 0 0 0\n");
  expect_unrestricted(integrals);
  EXPECT_EQ(integrals.core_energy, 3.5);
  // Both orders of the spins in one file, and integrals that vanish by spin, written out.
  expect_unrestricted(read_text(text + "0.33 2 2 1 3\n0.0 2 1 1 1\n0.0 1 2 0 0\n"));
}

TEST(InterleavedSpinOrbitals, HaveALabelEach) {
  std::string text = "&FCI NORB=4,NELEC=2,UHF=T,ORBSYM=1,3,5,1 &END\n";
  text += "-1 1 1 0 0\n-1 2 2 0 0\n-1 3 3 0 0\n-1 4 4 0 0\n";
  const Integrals integrals = read_text(text + "0.1 3 3 2 2\n");
  EXPECT_EQ(integrals.orbital_irreps[alpha], (std::vector<int>{0, 4}));
  EXPECT_EQ(integrals.orbital_irreps[beta], (std::vector<int>{2, 0}));
  EXPECT_TRUE(warns_of(read_text(text + "0.1 3 1 2 2\n"), "0.1 3 1 2 2"));
}

const std::string zero_line = "0.0 0 0 0 0\n";
const std::string five_sections =
    "&FCI NORB=2,NELEC=2,ORBSYM=1,1,IUHF=1 &END\n"
    "0.11 2 1 1 1\n" +
    zero_line + "0.22 2 1 1 1\n" + zero_line + "0.33 2 1 1 1\n0.44 1 1 2 1\n" + zero_line +
    "0.5 2 1 0 0\n-2.1 1 1 0 0\n-1.1 2 2 0 0\n-0.9 1 0 0 0\n-0.7 2 0 0 0\n" + zero_line +
    "0.6 2 1 0 0\n-2.2 1 1 0 0\n-1.2 2 2 0 0\n-0.8 1 0 0 0\n-0.6 2 0 0 0\n" + zero_line;

TEST(SixSections, AreToldApartByZeroLines) {
  const Integrals integrals = read_text(five_sections + "3.5 0 0 0 0\n");
  expect_unrestricted(integrals);
  EXPECT_EQ(integrals.core_energy, 3.5);
  EXPECT_EQ(integrals.orbital_irreps[beta], (std::vector<int>{0, 0}));
}

TEST(SixSections, MayEndWithAZeroCoreEnergyOrNoneOrAClosingLine) {
  EXPECT_EQ(read_text(five_sections + zero_line).core_energy, 0.0);
  EXPECT_EQ(read_text(five_sections).core_energy, 0.0);
  EXPECT_EQ(read_text(five_sections + "3.5 0 0 0 0\n" + zero_line).core_energy, 3.5);
}

TEST(UnrestrictedFile, LacksDiagonalsOnlyWhenAllowed) {
  FcidumpOptions options;
  options.allow_missing_diagonal = true;
  const Integrals integrals =
      read_text("&FCI NORB=4,NELEC=2,UHF=.TRUE. &END\n-1 1 1 0 0\n-1 4 4 0 0\n", options);
  EXPECT_TRUE(warns_of(integrals, "orbital 2, 3: taken as zero"));
}

}  // namespace
}  // namespace cisolve
