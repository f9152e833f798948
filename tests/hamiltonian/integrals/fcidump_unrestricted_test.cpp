// The two dialects for unrestricted orbitals.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/integrals/fcidump_text.hpp"

namespace cisolve {
namespace {

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
