// Spellings of the FCIDUMP header.
#include "hamiltonian/integrals/fcidump/fcidump_header.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cisolve {
namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;

FcidumpHeader parse(const std::string& text) {
  return parse_fcidump_header({"test", text});
}

class HeaderSpelling : public ::testing::TestWithParam<std::string> {};

TEST_P(HeaderSpelling, MeansTheSame) {
  const std::string text = GetParam() + "0.7 1 1 1 1\n";
  EXPECT_TRUE(opens_fcidump_header(text));
  const FcidumpHeader header = parse(text);
  EXPECT_EQ(header.norb, 2);
  EXPECT_EQ(header.orbitals, 2);
  EXPECT_EQ(header.electrons, 2);
  EXPECT_EQ(header.ms2.value_or(0), 0);
  EXPECT_EQ(header.layout, FcidumpLayout::restricted);
  EXPECT_EQ(header.irreps, (std::vector<int>{0, 4}));
  EXPECT_TRUE(header.warnings.empty());
  EXPECT_EQ(text.substr(header.end), text.substr(GetParam().size() - 1));
  EXPECT_EQ(header.end_line, std::size_t(std::count(text.begin(), text.end(), '\n')) - 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, HeaderSpelling,
    ::testing::Values(
        "&FCI NORB=2,NELEC=2,MS2=0,ORBSYM=1,5,ISYM=1 &END\n",
        " &FCI NORB=  2,NELEC=  2,MS2= 0,\n  ORBSYM=1,5,\n  ISYM=1,\n &END\n",
        "&fcidump norb=2 nelec=2 ms2=0 orbsym=1 5 /\n",
        "\n\n  &Fci\nNORB\n=\n2\nNELEC=2 ORBSYM=1,5/\n",
        "&FCI NORB=2,NELEC=2,ORBSYM=1,\n5,\n$END\n", "$FCI NORB=2,NELEC=2,ORBSYM=1,5, $end\n",
        "&FCI NORB=+2,NELEC=2,MS2=,ORBSYM=1*1 1*5,UHF=.FALSE.,IUHF=0\n&End\n",
        "&FCI NORB=2, ! a comment, with x=1 / and 'quotes\n NELEC=2 ORBSYM=1,5 / ! the end\n",
        "&FCI NORB=2,NELEC=2,PNTGRP='a / b = c, &END',ORBSYM=1,5,UHF=F\n/\n",
        "! of H2\n# by hand\n\n &FCI NORB=2,NELEC=2,ORBSYM=1,5 &END\n",
        "&FCI norb(1)=2,NELEC=2,ORBSYM(1)=1,5 &END\n",
        "&FCI NORB=2,NELEC=2,ORBSYM=1,5, /  i   a   j   b\n",
        "&FCI\r\n NORB=2,NELEC=2,\r\n ORBSYM=1,5\r\n &END\r\n"));

TEST(Header, KeepsTheKeysThatChangeNothingAsWritten) {
  const FcidumpHeader header = parse(
      "&FCI NORB=2,NELEC=2,\n OCC=  1,  0,\n  0,0,\n Isym=1, PNTGRP='D2h, or / not',TREL=.FALSE.\n"
      " SYML(1)=2*0, EMPTY=\n &END\n");
  EXPECT_EQ(header.other_keys, (Keys{{"OCC", "1,  0,   0,0"},
                                     {"Isym", "1"},
                                     {"PNTGRP", "'D2h, or / not'"},
                                     {"TREL", ".FALSE."},
                                     {"SYML(1)", "2*0"},
                                     {"EMPTY", ""}}));
}

TEST(Header, TakesRepeatCountsAndContinuedLabels) {
  EXPECT_EQ(parse("&FCI NORB=8,NELEC=2,ORBSYM=3*1,2\n 2*8\n 2*1 &END\n").irreps,
            (std::vector<int>{0, 0, 0, 1, 7, 7, 0, 0}));
}

TEST(Header, TellsTheLayouts) {
  const FcidumpHeader interleaved = parse("&FCI NORB=6,UHF=.true. /");
  EXPECT_EQ(interleaved.layout, FcidumpLayout::interleaved);
  EXPECT_EQ(interleaved.norb, 6);
  EXPECT_EQ(interleaved.orbitals, 3);
  const FcidumpHeader sections = parse("&FCI NORB=6,IUHF=1,UHF=.FALSE. /");
  EXPECT_EQ(sections.layout, FcidumpLayout::sections);
  EXPECT_EQ(sections.orbitals, 6);
  EXPECT_EQ(parse("&FCI NORB=6,IUHF=0,UHF=F /").layout, FcidumpLayout::restricted);
}

TEST(Header, HasNoElectronsWhenTheyAreAbsentOrZero) {
  EXPECT_EQ(parse("&FCI NORB=6 /").electrons, std::nullopt);
  EXPECT_EQ(parse("&FCI NORB=6,NELEC=0 /").electrons, std::nullopt);
}

}  // namespace
}  // namespace cisolve
