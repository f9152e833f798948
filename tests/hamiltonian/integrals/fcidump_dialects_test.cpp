// Dialects of FCIDUMP files by program, as docs/file-formats.md lists them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "tests/support/integrals/fcidump_text.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

Integrals read(const std::string& name) {
  return read_fcidump(test_data() / "dialects" / (name + ".fcidump"));
}

/// Reads the text and gives the error's words; empty: it was read.
std::string refusal(const std::string& text, const FcidumpOptions& options = {}) {
  try {
    read_text(text, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string h2 =
    "0.7 1 1 1 1\n0.6 2 2 1 1\n0.2 2 1 2 1\n0.65 2 2 2 2\n-1.2 1 1 0 0\n-0.5 2 2 0 0\n"
    "0.7 0 0 0 0\n";

// --- Keys -----------------------------------------------------------------------------------

TEST(Keys, ThatSayNothingAreRead) {
  // Keys of NECI and HANDE, of Molpro, of block2, of ElemCo, of Knowles and Handy, all switched
  // off.
  for (const char* keys :
       {"SYML=0,1,SYMLZ=0,0,PROPBITLEN=0,NPROP=3*0,TREL=.FALSE.,", "OCC=1,0,CLOSED=1,0,FROZEN=0,0,",
        "KSYM=0,0,KMOD=1,IGENERAL=0,ITGENERAL=1,", "ST=0,III=0,IUHF=.FALSE.,UHF=F,",
        "IPRTIM=1,NROOT=2,MAXIT=30,THR=1.D-5,THRRES=0.1,MEMORY=100000,", "UNKNOWN=,"}) {
    const std::string text = std::string("&FCI NORB=2,NELEC=2,MS2=0,") + keys + " &END\n" + h2;
    EXPECT_EQ(refusal(text), "") << keys;
    EXPECT_EQ(read_text(text).warnings.size(), 0U) << keys;
  }
}

TEST(Keys, ThatMayChangeTheMeaningAreRefusedWithTheKnownOnes) {
  const std::string said = refusal("&FCI NORB=2,NELEC=2,MS2=0,LATTICE=1 &END\n" + h2);
  EXPECT_NE(said.find("the key LATTICE = 1"), said.npos) << said;
  EXPECT_NE(said.find("NORB, NELEC, MS2"), said.npos) << said;
}

// --- Fourfold symmetry ----------------------------------------------------------------------

TEST(FourfoldIntegrals, AreRefusedByTheirKey) {
  EXPECT_THROW(read("lz_bh"), InputError);
}

TEST(FourfoldIntegrals, AreRefusedByTheirLines) {
  std::string text = contents_of(test_data() / "dialects" / "lz_bh.fcidump");
  text.erase(text.find("  SYMLZ"), text.find(" &END") - text.find("  SYMLZ"));
  const std::string said = refusal(text);
  EXPECT_NE(said.find("integrals of less symmetry are read where the header has momenta"),
            said.npos)
      << said;
}

TEST(FourfoldIntegrals, AreRefusedWhereAnExchangeIntegralStandsInTheOrderOfComplexOrbitals) {
  const std::string text =
      "&FCI NORB=2,NELEC=2,MS2=0 &END\n1 1 1 1 1\n1 2 2 2 2\n0.8 1 1 2 2\n0.3 1 2 2 1\n"
      "-1 1 1 0 0\n-1 2 2 0 0\n0 0 0 0 0\n";
  const std::string said = refusal(text);
  EXPECT_NE(said.find("(pq|qp), and no line with (pq|pq)"), said.npos) << said;
}

TEST(RepeatedLines, OfOtherValuesAreNotBlamedOnSymmetry) {
  const std::string said =
      refusal("&FCI NORB=1,NELEC=2,MS2=0 &END\n1 1 1 1 1\n-1 1 1 0 0\n0.5 0 0 0 0\n0 0 0 0 0\n");
  EXPECT_NE(said.find("it is given twice"), said.npos) << said;
}

TEST(EightfoldIntegrals, MayBeWrittenInAllOrdersButForSmallOnes) {
  const std::string text =
      "&FCI NORB=3,NELEC=2,MS2=0 &END\n0.7 1 1 1 1\n0.1 2 1 2 1\n0.1 2 1 1 2\n0.1 1 2 1 2\n"
      "0.2 3 1 3 1\n0.20000000000001 1 3 3 1\n1e-9 3 2 3 1\n-1 1 1 0 0\n-1 2 2 0 0\n-1 3 3 0 0\n";
  EXPECT_EQ(refusal(text), "");
  EXPECT_EQ((*read_text(text).alpha_alpha)(1, 0, 0, 1), 0.1);
}

// --- Spins ----------------------------------------------------------------------------------

TEST(GeneralSpinOrbitals, AreOfOneKind) {
  const Integrals integrals = read("ghf_h4");
  EXPECT_TRUE(integrals.general);
  EXPECT_TRUE(integrals.unrestricted);
  EXPECT_EQ(integrals.orbitals, 8);
  EXPECT_EQ(integrals.ms2, integrals.electrons);
  EXPECT_TRUE(warns_of(integrals, "all 4 electrons are of one kind"));
  // NECI's key says it of any integrals.
  EXPECT_TRUE(read_text("&FCI NORB=2,NELEC=2,TREL=.TRUE. &END\n" + h2).general);
}

TEST(GeneralSpinOrbitals, AreSpatialOnesWithMoreElectronsThanOrbitals) {
  EXPECT_FALSE(read_text("&FCI NORB=2,NELEC=3,MS2=1,IGENERAL=1 &END\n" + h2).general);
}

TEST(GeneralSpinOrbitals, AreAskedForWhereNothingTells) {
  const std::string text = "&FCI NORB=2,NELEC=2,IGENERAL=1 &END\n" + h2;
  EXPECT_NE(refusal(text).find("--orbital-kind"), std::string::npos);
  FcidumpOptions options;
  options.kind = OrbitalKind::spin;
  EXPECT_TRUE(read_text(text, options).general);
  EXPECT_TRUE(read_text("&FCI NORB=2,NELEC=2 &END\n" + h2, options).general);
  options.ms2 = 0;
  EXPECT_NE(refusal(text, options).find("there is no M_s to choose"), std::string::npos);
  options.kind = OrbitalKind::spatial;
  EXPECT_FALSE(read_text(text, options).general);
  options.kind = OrbitalKind::spin;
  EXPECT_NE(refusal("&FCI NORB=2,NELEC=2,IUHF=1 &END\n" + h2, options).find("IUHF=1 says"),
            std::string::npos);
}

TEST(SpatialOrbitals, AreReadAsSuchWhereTheHeaderSaysUhf) {
  const Integrals oh = read("oh_trexio_style");
  EXPECT_FALSE(oh.unrestricted);
  EXPECT_EQ(oh.orbitals, 6);
  EXPECT_TRUE(warns_of(oh, "the same for both spins (ROHF)"));
  // An odd number of them, too.
  std::string text = "&FCI NORB=3,NELEC=3,MS2=1,UHF=.TRUE. &END\n" + h2 +
                     "0.6 3 3 1 1\n0.6 3 3 2 2\n0.6 3 3 3 3\n0.1 3 2 3 2\n-0.4 3 3 0 0\n";
  EXPECT_EQ(read_text(text).orbitals, 3);
}

TEST(SpinOrbitalsOfUhf, AreNotTakenForSpatialOnesByAStrayLine) {
  const std::string text =
      "&FCI NORB=4,NELEC=2,MS2=0,UHF=.TRUE. &END\n0.5 1 1 1 1\n0.1 2 1 2 1\n0.2 3 1 3 1\n"
      "-1 1 1 0 0\n-1 2 2 0 0\n-1 3 3 0 0\n-1 4 4 0 0\n";
  EXPECT_NE(refusal(text).find("pairs an alpha (odd) with a beta (even)"), std::string::npos);
}

TEST(SpinOrbitals, InBlocksAreToldByTheLines) {
  const std::string lines =
      "0.11 2 1 1 1\n0.22 4 3 3 3\n0.33 2 1 3 3\n0.44 1 1 4 3\n0.5 2 1 0 0\n0.6 4 3 0 0\n"
      "-2.1 1 1 0 0\n-1.1 2 2 0 0\n-2.2 3 3 0 0\n-1.2 4 4 0 0\n-0.9 1 0 0 0\n-0.7 2 0 0 0\n"
      "-0.8 3 0 0 0\n-0.6 4 0 0 0\n3.5 0 0 0 0\n";
  for (const char* header :
       {"NORB=4,NELEC=2,UHF=.TRUE.,ORBSYM=1,1,1,1", "NORB=2,NELEC=2,ORBSYM=1,1"}) {
    const Integrals integrals = read_text(std::string("&FCI ") + header + " &END\n" + lines);
    EXPECT_TRUE(integrals.unrestricted) << header;
    EXPECT_EQ(integrals.orbitals, 2);
    EXPECT_EQ((*integrals.alpha_alpha)(0, 1, 0, 0), 0.11);
    EXPECT_EQ((*integrals.beta_beta)(0, 0, 0, 1), 0.22);
    EXPECT_EQ((*integrals.alpha_beta)(1, 0, 0, 0), 0.33);
    EXPECT_EQ((*integrals.alpha_beta)(0, 0, 0, 1), 0.44);
    EXPECT_EQ((*integrals.one_electron[beta])(1, 0), 0.6);
    EXPECT_EQ(integrals.orbital_energies[beta], (std::vector<double>{-0.8, -0.6}));
    EXPECT_EQ(integrals.orbital_irreps[beta], (std::vector<int>{0, 0}));
    EXPECT_EQ(integrals.warnings.size(), 1U);
  }
}

TEST(SpinOrbitals, UpToTwiceNorbMayBeInterleaved) {
  const Integrals integrals = read_text(
      "&FCI NORB=2,NELEC=2,ORBSYM=1,2 &END\n0.11 3 1 3 1\n0.22 4 2 4 2\n0.33 3 1 4 2\n"
      "-2.1 1 1 0 0\n-2.2 2 2 0 0\n-1.1 3 3 0 0\n-1.2 4 4 0 0\n");
  EXPECT_EQ((*integrals.alpha_beta)(0, 1, 0, 1), 0.33);
  EXPECT_EQ(integrals.orbital_irreps[alpha], (std::vector<int>{0, 1}));
  EXPECT_TRUE(warns_of(integrals, "up to 2 NORB: odd ones are taken as alpha"));
  // Nothing that would tell: the first number beyond NORB is the mistake.
  EXPECT_NE(refusal("&FCI NORB=2,NELEC=2 &END\n0.5 1 1 1 1\n-1 1 1 0 0\n-1 2 2 0 0\n-1 3 3 0 0\n"
                    "-1 4 4 0 0\n")
                .find(":5: found orbital number 3, expected 0 to NORB = 2"),
            std::string::npos);
}

// --- Symmetry -------------------------------------------------------------------------------

TEST(LabelsAboveEight, AreThoseOfNoSymmetry) {
  const Integrals integrals = read("o_dooh_highlabels");
  EXPECT_TRUE(integrals.orbital_irreps[alpha].empty());
  EXPECT_TRUE(warns_of(integrals, "ORBSYM holds 11, a label of a group other than D2h"));
}

// --- Lines ----------------------------------------------------------------------------------

TEST(Words, MayStandBeforeAndBehind) {
  EXPECT_EQ(read("comment_first").orbitals, 2);
  EXPECT_EQ(read("h2_trailing").core_energy, 0.7137758743754461);
  const Integrals integrals = read_text("! H2\n&FCI NORB=2,NELEC=2,MS2=0 &END\n# two electrons\n" +
                                        h2 + "\n\nwritten by hand\non 1 January 2 0\n");
  EXPECT_EQ((*integrals.alpha_alpha)(0, 1, 0, 1), 0.2);
  EXPECT_TRUE(warns_of(integrals, "ends in words, from line 13 on"));
  const Integrals commented =
      read_text("&FCI NORB=2,NELEC=2,MS2=0 &END\n" + h2 + "! 0.1 2 1 0 0\n");
  EXPECT_EQ((*commented.one_electron[alpha])(0, 1), 0.0);
  EXPECT_TRUE(commented.warnings.empty());
}

TEST(Models, NeedNoDiagonal) {
  const std::string header = "&FCI NORB=3,NELEC=3,MS2=1 &END\n4 1 1 1 1\n4 2 2 2 2\n4 3 3 3 3\n";
  const Integrals ring = read_text(header + "-1 2 1 0 0\n-1 3 2 0 0\n-1 3 1 0 0\n");
  EXPECT_EQ((*ring.one_electron[alpha])(1, 2), -1.0);
  EXPECT_TRUE(warns_of(ring, "a model, the diagonal is taken as zero"));
  EXPECT_NE(refusal(header + "-1 2 1 0 0\n0.1 2 2 0 0\n").find("for orbital 1, 3"),
            std::string::npos);
}

}  // namespace
}  // namespace cisolve
