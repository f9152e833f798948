// FCIDUMP files of complex integrals, in the forms in which programs write them.
#include <gtest/gtest.h>

#include <complex>
#include <string>

#include "core/error.hpp"
#include "hamiltonian/spinor/spinor_fcidump.hpp"
#include "tests/support/integrals/fcidump_text.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

SpinorIntegrals read_spinors(const std::string& text, const FcidumpOptions& options = {}) {
  return read_spinor_fcidump(NamedText{"test", text}, options);
}

/// The error's words; empty: the text was read.
std::string spinor_refusal(const std::string& text, const FcidumpOptions& options = {}) {
  try {
    read_spinors(text, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_refused(const std::string& text, const std::string& why,
                    const FcidumpOptions& options = {}) {
  const std::string said = spinor_refusal(text, options);
  EXPECT_NE(said.find(why), said.npos) << "said: " << said << "\nfor: " << text;
}

bool warns(const SpinorIntegrals& integrals, const std::string& part) {
  return std::ranges::any_of(integrals.warnings, [&](const std::string& warning) {
    return warning.find(part) != warning.npos;
  });
}

const std::string trel = "&FCI NORB=2,NELEC=1,MS2=0,TREL=.TRUE.,\n ORBSYM=1,1,\n ISYM=0,\n&END\n";
const std::string h = "(-1.5,0.0) 1 1 0 0\n(0.1,-0.2) 2 1 0 0\n(-0.5,0.0) 2 2 0 0\n";
const std::string core = "(0.7,0.0) 0 0 0 0\n";
/// h and the core energy on lines 5 to 8 behind that header.
const std::string head = trel + h + core;

void expect_two_spinors(const SpinorIntegrals& in) {
  EXPECT_EQ(in.spinors, 2);
  EXPECT_EQ(in.electrons, 1);
  EXPECT_EQ(in.core_energy, 0.7);
  EXPECT_EQ(in.h(1, 0), Complex(0.1, -0.2));
  EXPECT_EQ(in.h(0, 1), Complex(0.1, 0.2));
  EXPECT_EQ(in.h(0, 0), -1.5);
  EXPECT_EQ(in.g(0, 0, 0, 0), 0.6);
  for (const auto& [p, q, r, s] : {std::array{1, 0, 0, 0}, {0, 0, 1, 0}}) {
    EXPECT_EQ(in.g(p, q, r, s), Complex(0.01, 0.02));
    EXPECT_EQ(in.g(q, p, s, r), Complex(0.01, -0.02));
  }
  EXPECT_EQ(in.g(1, 0, 0, 1), 0.3);
  EXPECT_EQ(in.g(1, 0, 1, 0), Complex(0.05, 0.06));
  EXPECT_EQ(in.g(0, 1, 0, 1), Complex(0.05, -0.06));
}

TEST(SpinorFcidump, ReadsOnePermutationOfEach) {
  expect_two_spinors(read_spinors(
      head + "(0.6,0) 1 1 1 1\n(1.e-2,2.D-2) 2 1 1 1\n(.3,0.) 2 1 1 2\n(.05,-.06) 1 2 1 2\n"));
}

TEST(SpinorFcidump, ReadsAllPermutationsAndOnesWithABlank) {
  expect_two_spinors(read_spinors(
      "&FCI NORB=2,NELEC=1 /\n( -1.5, 0.0 ) 1 1 0 0\n(0.1, -0.2) 2 1 0 0\n(0.1, 0.2) 1 2 0 0\n"
      "(-0.5, 0) 2 2 0 0\n  (0.6, 0.0) 1 1 1 1\n(0.01, 0.02) 2 1 1 1 ! of four\n"
      "(0.01, 0.02) 1 1 2 1\n(0.01, -0.02) 1 2 1 1\n(0.01, -0.02) 1 1 1 2\n(0.3, 0) 2 1 1 2\n"
      "(0.3, 0) 1 2 2 1\n(0.05, 0.06) 2 1 2 1\n(0.05, -0.06) 1 2 1 2\n(0.7, 0) 0 0 0 0\n"));
}

TEST(SpinorFcidump, ReadsSixColumns) {
  const std::string text =
      "&FCI NORB=2,NELEC=1,MS2=1,IGENERAL=1,ITGENERAL=1,ICMPLX=1,&END\n-1.5 0 1 1 0 0\n"
      "0.1 -0.2 2 1 0 0\n0.1 0.2 1 2 0 0\n-0.5 0.0 2 2 0 0\n0.6 0.0 1 1 1 1\n"
      "0.01 -0.02 1 2 1 1\n0.3 0 1 2 2 1\n0.05 0.06 2 1 2 1\n0.7 0 0 0 0\n";
  expect_two_spinors(read_spinors(text));
  EXPECT_EQ(integral_values({"test", text}),
            IntegralValues::complex);  // the header says so of -1.5 0 1 1 0 0
  EXPECT_EQ(
      integral_values({"test", "&FCI NORB=2,NELEC=1,IGENERAL=0,ICMPLX=0 /\n-1.5 0 1 1 0 0\n"}),
      IntegralValues::real);
}

TEST(SpinorFcidump, TellsComplexFilesFromRealOnes) {
  EXPECT_EQ(integral_values({"test", head}), IntegralValues::complex);
  EXPECT_EQ(integral_values({"test", "&FCI NORB=1 /\n! no\n\n -1.5 0.0 1 1 0 0\n"}),
            IntegralValues::complex);
  EXPECT_EQ(integral_values({"test", trel + "-1.5 1 1 0 0\n"}), IntegralValues::real);
  EXPECT_EQ(integral_values({"test", trel}), IntegralValues::real);
  EXPECT_THROW(integral_values({"test", "-1.5 1 1 0 0\n"}), InputError);
}

TEST(SpinorFcidump, SaysWhatNorbCounts) {
  const SpinorIntegrals in = read_spinors(head + "(0.1,0) 1 0 0 0\n");
  EXPECT_TRUE(warns(in, "NORB counts spinors, all 1 electrons are of one kind"));
  EXPECT_FALSE(warns(in, "ORBSYM"));
  EXPECT_EQ(in.other_keys.size(), 2U);  // TREL, ISYM
  EXPECT_TRUE(warns(read_spinors("&FCI NORB=2,NELEC=1,ORBSYM=1,2 /\n" + h), "ORBSYM is not used"));
  EXPECT_TRUE(warns(read_spinors(trel + h), "no core energy line"));
  FcidumpOptions options;
  options.electrons = 2;
  EXPECT_EQ(read_spinors(head, options).electrons, 2);
}

TEST(SpinorFcidump, TakesRoundingOfSymmetry) {
  const SpinorIntegrals in = read_spinors(
      head + "(0.6,1e-16) 1 1 1 1\n(0.3,1e-15) 1 2 1 2\n(0.3,-2e-15) 2 1 2 1\n(0.3,0) 1 2 2 1\n");
  EXPECT_EQ(in.g(0, 0, 0, 0), 0.6);
  EXPECT_EQ(in.g(0, 1, 0, 1), std::conj(in.g(1, 0, 1, 0)));
}

TEST(SpinorFcidump, RefusesLinesThatContradictEachOther) {
  expect_refused(head + "(0.3,0.1) 1 2 1 2\n(0.3,0.1) 2 1 2 1\n",
                 "test:10: found \"(0.3,0.1) 2 1 2 1\", but by line 9 this quantity is (0.3,-0.1)");
  expect_refused(head + "(0.3,0.1) 1 2 1 1\n(0.3,0.2) 1 1 1 2\n", "test:10: found");
  expect_refused(head + "(0.3,0.1) 1 1 1 2\n(0.4,0.1) 1 1 1 2\n", "but by line 9");
  expect_refused(head + "(0.1,-0.2) 1 2 0 0\n",
                 "test:9: found \"(0.1,-0.2) 1 2 0 0\", but by line 6 this quantity is (0.1,0.2)");
  expect_refused(head + "(0.8,0) 0 0 0 0\n", "but by line 8 this quantity is (0.7,0)");
  // Integrals in another unit, too.
  expect_refused(
      "&FCI NORB=2,NELEC=1 /\n(-1e-9,0) 1 1 0 0\n(1e-10,0) 2 2 0 0\n(1e-10,1e-18) 1 2 0 0\n"
      "(1e-10,1e-18) 2 1 0 0\n",
      "test:5");
}

TEST(SpinorFcidump, RefusesValuesThatShouldBeReal) {
  expect_refused(head + "(0.6,0.1) 1 1 2 2\n",
                 "test:9: found \"(0.6,0.1) 1 1 2 2\": this quantity");
  expect_refused(head + "(0.6,0.1) 1 2 2 1\n", "this quantity is real");
  expect_refused(trel + "(-1.5,0.1) 1 1 0 0\n(1,0) 2 2 0 0\n", "test:5");
  expect_refused(trel + h + "(0.7,0.1) 0 0 0 0\n", "test:8: found \"(0.7,0.1) 0 0 0 0\"");
}

TEST(SpinorFcidump, RefusesLinesOfAnotherForm) {
  const std::string expected = "expected (re,im) i j k l or re im i j k l on one line";
  for (const char* line : {"(0.6,0.1) 1 1 2", "(0.6,0.1 1 1 2 2", "(0.6,\n0.1) 1 1 2 2",
                           "(0.6 0.1) 1 1 2 2", "(0.6+0.1j) 1 1 2 2", "0.6 0.1 1 1 2 2 2"}) {
    expect_refused(head + line + "\n", expected);
  }
  expect_refused(head + "(0.6,0.1,0.2) 1 1 2 2\n", "found \"0.1,0.2\", expected a number");
  expect_refused(head + "0.6 1 1 2 2\n",
                 "test:9: found \"0.6 1 1 2 2\", a real integral in a file");
  expect_refused(head + "(0.6,nan) 1 1 2 1\n", "finite number");
  expect_refused(head + "(0.6,x) 1 1 2 1\n", "expected a number");
  expect_refused(head + "(0.6,0.0) 1 1 2 3\n", "found orbital number 3, expected 0 to NORB = 2");
  expect_refused(head + "(0.6,0.0) 1 1 2 0\n", "these indices mean nothing");
  expect_refused(trel, "no integrals follow the header");
}

TEST(SpinorFcidump, ReadsNoIntegralBehindWords) {
  EXPECT_TRUE(warns(read_spinors(head + "Done. (1,2)\n"), "from line 9 on"));
  expect_refused(head + "Done.\n(0.6,0.0) 1 1 1 1\n", "test:9: found");
}

TEST(SpinorFcidump, RefusesAFileThatIsCutShort) {
  const std::string cut = trel + "(0.6,0.0) 1 1 1 1\n(-1.5,0.0) 1 1 0 0\n";
  expect_refused(cut, "no diagonal one-electron integral h_pp for spinor 2");
  FcidumpOptions options;
  options.allow_missing_diagonal = true;
  EXPECT_TRUE(warns(read_spinors(cut, options), "for spinor 2: taken as zero"));
  EXPECT_TRUE(warns(read_spinors(trel + "(0,1) 1 2 0 0\n"), "a model, the diagonal"));
}

TEST(SpinorFcidump, RefusesHeadersThatSaySomethingElse) {
  const auto with = [](const std::string& keys) {
    return "&FCI NORB=2,NELEC=1," + keys + " /\n" + h;
  };
  expect_refused(with("UHF=.TRUE."), "UHF=.TRUE. says that each orbital has one spin");
  expect_refused(with("IUHF=1"), "IUHF=1 says that each orbital has one spin");
  expect_refused(with("SPINS=1"), "the key SPINS = 1, which is not known");
  expect_refused("&FCI NORB=2,NELEC=3 /\n" + h, "3 electrons in NORB = 2 spinors");
  expect_refused("&FCI NORB=2 /\n" + h, "--electrons N");
  expect_refused("&FCI NORB=129,NELEC=3 /\n" + h, "expected at most 128 spin orbitals");
  FcidumpOptions options;
  options.ms2 = 0;
  expect_refused(head, "there is no M_s to choose", options);
}

TEST(SpinorFcidump, IsRefusedByTheReaderOfRealIntegrals) {
  EXPECT_THROW(read_fcidump(NamedText{"test", head}), InputError);
  EXPECT_THROW(read_fcidump(test_data() / "spinors" / "h2o_x2c_10e14s.fcidump.gz"), InputError);
}

TEST(SpinorFcidump, ReadsACompressedFile) {
  const SpinorIntegrals in =
      read_spinor_fcidump(test_data() / "spinors" / "h2o_x2c_10e14s.fcidump.gz");
  EXPECT_EQ(in.spinors, 14);
  EXPECT_EQ(in.electrons, 10);
  EXPECT_EQ(in.g(0, 0, 0, 2), Complex(2.2193683027664130e-02, -2.6488560997905970e-03));
  EXPECT_EQ(in.g(0, 0, 2, 0), Complex(2.2193683027664130e-02, 2.6488560997905970e-03));
  EXPECT_NEAR(in.core_energy, 9.1882584177461126, 1e-14);
}

}  // namespace
}  // namespace cisolve
