// FCIDUMP files of orbitals with momenta, whose integrals have fourfold symmetry.
#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"
#include "hamiltonian/spinor/spinor_fcidump.hpp"
#include "tests/support/integrals/fcidump_text.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

const std::filesystem::path folder = test_data() / "dialects";

SpinorIntegrals with_momenta(const std::string& text, const FcidumpOptions& options = {}) {
  return read_spinor_fcidump(NamedText{"test", text}, options);
}

void expect_error(const std::string& text, const std::string& why,
                  const FcidumpOptions& options = {}) {
  try {
    with_momenta(text, options);
    ADD_FAILURE() << "was read: " << text;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

/// Two orbitals with momenta 1 and -1 about an axis.
std::string two_orbitals(const std::string& keys, const std::string& lines) {
  return "&FCI NORB=2,NELEC=2,MS2=0," + keys + " &END\n" + lines +
         "0.5 1 1 1 1\n0.5 2 2 2 2\n0.4 1 1 2 2\n0.1 1 2 2 1\n-1 1 1 0 0\n-1 2 2 0 0\n0.3 0 0 0 "
         "0\n";
}

TEST(MomentaFcidump, TellsTheSymmetryOfItsIntegrals) {
  const auto values = [](const std::string& text) { return integral_values({"test", text}); };
  EXPECT_EQ(values(two_orbitals("SYMLZ=1,-1,", "")), IntegralValues::fourfold);
  EXPECT_EQ(values(two_orbitals("KSYM=0,1,KMOD=2,", "")), IntegralValues::fourfold);
  EXPECT_EQ(values(two_orbitals("SYMLZ=0,0,SYML=1,1,", "")), IntegralValues::real);
  EXPECT_EQ(values(contents_of(folder / "h2_three_k_points.fcidump")), IntegralValues::complex);
}

TEST(MomentaFcidump, MakesTwoSpinorsOfAnOrbital) {
  const SpinorIntegrals in = with_momenta(two_orbitals("SYMLZ=1,-1,", ""));
  EXPECT_EQ(in.spinors, 4);
  EXPECT_EQ(in.electrons, 2);
  EXPECT_EQ(in.core_energy, 0.3);
  for (const int spin : {0, 1}) {
    EXPECT_EQ(in.h(spin, spin), -1.0);
    EXPECT_EQ(in.h(spin, 1 - spin), 0.0);
    for (const int other : {0, 1}) {
      EXPECT_EQ(in.g(spin, spin, 2 + other, 2 + other), 0.4);
      EXPECT_EQ(in.g(spin, 2 + spin, 2 + other, other), 0.1);
      EXPECT_EQ(in.g(2 + spin, spin, other, 2 + other), 0.1);
      EXPECT_EQ(in.g(spin, 2 + spin, other, 2 + other), 0.0);  // of other momentum
      EXPECT_EQ(in.g(spin, 1 - spin, other, 1 - other), 0.0);
    }
  }
}

TEST(MomentaFcidump, ReadsOrbitalsOfAnAxisAndOfKPoints) {
  const SpinorIntegrals lz = read_spinor_fcidump(folder / "lz_bh.fcidump");
  EXPECT_EQ(lz.spinors, 12);
  EXPECT_EQ(lz.electrons, 6);
  EXPECT_EQ(lz.g(0, 0, 1, 1), 2.8906941855089925);
  const SpinorIntegrals waves = read_spinor_fcidump(folder / "h2_three_k_points.fcidump");
  EXPECT_EQ(waves.spinors, 12);
  EXPECT_NE(waves.g(0, 4, 9, 5).imag(), 0.0);
  EXPECT_EQ(waves.g(0, 4, 9, 5), std::conj(waves.g(4, 0, 5, 9)));
  EXPECT_EQ(waves.g(0, 4, 8, 4), waves.g(1, 5, 8, 4));
}

TEST(MomentaFcidump, CountsSpinorsWhereItsHeaderSaysSo) {
  EXPECT_EQ(with_momenta(two_orbitals("SYMLZ=1,-1,TREL=.TRUE.,", "")).spinors, 2);
  FcidumpOptions options;
  options.kind = OrbitalKind::spin;
  EXPECT_EQ(with_momenta(two_orbitals("SYMLZ=1,-1,", ""), options).spinors, 2);
  const std::string unsaid = two_orbitals("SYMLZ=1,-1,IGENERAL=1,", "");
  expect_error(unsaid, "expected input.orbital_kind spatial or spin");
  options.kind = OrbitalKind::spatial;
  EXPECT_EQ(with_momenta(unsaid, options).spinors, 4);
  EXPECT_EQ(
      with_momenta("&FCI NORB=1,NELEC=2 /\n(0.5,0) 1 1 1 1\n(-1,0) 1 1 0 0\n", options).spinors, 2);
}

/// One in eight permutations of the integrals of real orbitals, (xy|xy) without (xy|yx), would be
/// read as none of the others.
TEST(MomentaFcidump, RefusesIntegralsThatMomentaForbid) {
  const std::string where =
      "test:2: found an integral with the orbitals 1 2 1 2, which the momenta";
  expect_error(two_orbitals("SYMLZ=1,-1,", "0.1 1 2 1 2\n"), where);
  expect_error(
      "&FCI NORB=2,NELEC=2,SYMLZ=1,-1 /\n(0.1,0) 1 2 1 2\n(0.1,0) 1 2 2 1\n(-1,0) 1 1 0 0\n"
      "(-1,0) 2 2 0 0\n",
      where);
  expect_error(two_orbitals("SYMLZ=1,-1,", "0.1 1 2 0 0\n"), "do not allow");
  expect_error(two_orbitals("KSYM=0,1,", "0.1 1 2 1 2\n"), "do not allow");
  EXPECT_EQ(with_momenta(two_orbitals("KSYM=0,1,KMOD=2,", "0.1 1 2 1 2\n")).g(0, 2, 0, 2), 0.1);
  EXPECT_EQ(with_momenta(two_orbitals("SYMLZ=1,-1,", "1e-10 1 2 1 2\n")).g(0, 2, 0, 2), 1e-10);
}

/// Files whose momenta forbid nothing, and complex ones, are told by the exchange that is missing.
TEST(MomentaFcidump, RefusesOneInEightPermutationsOfRealOrbitals) {
  const std::string real = "0.5 1 1 1 1\n0.1 2 1 2 1\n-1 1 1 0 0\n-1 2 2 0 0\n0 0 0 0 0\n";
  for (const char* keys : {"SYMLZ=1,1", "KSYM=0,1,KMOD=1", "KSYM=0,1,KMOD=2"}) {
    const std::string head = std::string("&FCI NORB=2,NELEC=2,") + keys + " /\n";
    expect_error(head + real, "test:3: found \"0.1 2 1 2 1\", (pq|pq), and no line with (pq|qp)");
    EXPECT_EQ(with_momenta(head + real + "0.2 1 2 2 1\n").g(0, 2, 3, 1), 0.2) << keys;
    EXPECT_EQ(with_momenta(head + real + "0 1 2 2 1\n").g(0, 2, 3, 1), 0.0) << keys;
  }
  FcidumpOptions options;
  options.kind = OrbitalKind::spatial;
  const std::string complex = "(0.5,0) 1 1 1 1\n(0.1,0) 2 1 2 1\n(-1,0) 1 1 0 0\n(-1,0) 2 2 0 0\n";
  expect_error("&FCI NORB=2,NELEC=2 /\n" + complex, "test:3: found \"(0.1,0) 2 1 2 1\"", options);
}

TEST(MomentaFcidump, RefusesWhatItCannotTell) {
  expect_error(two_orbitals("SYMLZ=1,-1,NPROP=2,1,1,", ""), "NPROP says momenta in three");
  expect_error("&FCI NORB=2,NELEC=2,SYMLZ=one /\n(1,0) 1 1 0 0\n", "SYMLZ");
  expect_error("&FCI NORB=2,NELEC=2,KSYM=0,1,KMOD=-2 /\n(1,0) 1 1 0 0\n", "KMOD = -2 is negative");
  expect_error(two_orbitals("NPROP=2,1,1,PROPBITLEN=15,", ""), "expected (re,im) i j k l");
  expect_error(two_orbitals("SYMLZ=1,", ""), "SYMLZ");
  expect_error(two_orbitals("SYMLZ=1,-1,UHF=.TRUE.,", ""), "UHF=.TRUE. says that each orbital has");
  expect_error(two_orbitals("SYMLZ=1,-1,", "0.4 1 1 2 2\n0.5 2 2 1 1\n"),
               "found \"0.5 2 2 1 1\", but by line 2 this quantity is 0.4; expected");
  expect_error("&FCI NORB=65,NELEC=2,SYMLZ=65*1 /\n1 1 1 1 1\n", "expected at most 64 spatial");
  expect_error("&FCI NORB=1,NELEC=3,SYMLZ=1 /\n1 1 1 1 1\n", "expected at most two in each");
  FcidumpOptions options;
  options.ms2 = 0;
  expect_error(two_orbitals("SYMLZ=1,-1,", ""), "there is no M_s to choose", options);
}

}  // namespace
}  // namespace cisolve
