// Lists of determinants as users give and get them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/application.hpp"
#include "tests/support/archive.hpp"

namespace cisolve {
namespace {

class DeterminantLists : public Application {
 protected:
  /// Energy of the lowest state; fails the test if the run does.
  double energy(const std::string& flags, const std::string& file = "n2_sto3g") const {
    const Outcome outcome = run("eigen " + data + file + ".fcidump --backend cpu --force " + flags +
                                " --json report.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? json("report.json")["states"][0]["energy"].get<double>() : 0.0;
  }
  void expect_refused(const std::string& flags, const std::string& words) const {
    const Outcome outcome =
        run("eigen " + data + "n2_sto3g.fcidump --backend cpu " + flags + " --json refused.json");
    EXPECT_EQ(outcome.status, 1) << flags;
    expect_says(outcome, words);
    EXPECT_FALSE(fs::exists(folder_ / "refused.json"));
  }
  /// The reference of N2, two double and one single excitation of it, in letters.
  void write_letters() const { write("letters.txt", letters); }

  const std::string letters = "2222222000\n2222022200\n2222202020\n22222ab200\n22222ba200\n";
};

TEST_F(DeterminantLists, InEachFormOfTextGiveTheSameEnergy) {
  write_letters();
  write("dice.txt",
        "# as Dice prints them\n   0       0.9674221       2 2 2 2 2   2 2 0 0 0\r\n"
        "   1  -0.1  2 2 2 2 0   2 2 2 0 0\r\n 2  -0.1  22222 02020\r\n\r\n"
        " 3 0.01 22222 ab200\r\n 4 0.01 22222 ba200\r\n");
  write("pairs.txt",
        "0001111111 0001111111\n0011101111 0011101111\n0101011111 0101011111\n"
        "0010111111 0011011111\n0011011111 0010111111\n");
  write("whole.txt",
        "00011111110001111111\n00111011110011101111\n01010111110101011111\n"
        "00110111110010111111\n00101111110011011111\n");
  std::string mirrored = contents(folder_ / "whole.txt");
  for (std::size_t begin = 0; begin < mirrored.size(); begin += 21) {
    std::reverse(mirrored.begin() + begin, mirrored.begin() + begin + 20);
  }
  write("mirrored.txt", mirrored);
  const double expected = energy("--determinants letters.txt");
  EXPECT_EQ(json("report.json")["matrix"]["rows"], 5);
  for (const std::string name : {"dice", "pairs", "whole", "mirrored --first-orbital left"}) {
    std::string file = name;
    file.insert(name.find(' ') == name.npos ? name.size() : name.find(' '), ".txt");
    EXPECT_NEAR(energy("--determinants " + file), expected, 1e-10) << name;
    EXPECT_EQ(json("report.json")["notes"].dump().find("first_orbital"), std::string::npos);
  }
  ASSERT_EQ(shell("gzip -k letters.txt").status, 0);
  EXPECT_NEAR(energy("--determinants letters.txt.gz"), expected, 1e-10);
  write("run.yaml", "input: {file: " + data +
                        "n2_sto3g.fcidump, determinants: letters.txt}\n"
                        "backend: {name: cpu}\noutput: {json: run.json}\n");
  fs::create_directory(folder_ / "inner");
  ASSERT_EQ(shell("cd inner && \"$CISOLVE\" run ../run.yaml").status, 0);
  EXPECT_NEAR(json("inner/run.json")["states"][0]["energy"].get<double>(), expected, 1e-10);
}

TEST_F(DeterminantLists, ThatLookMirroredAreNoted) {
  write("left.txt", "1111111000 1111111000\n1111110100 1111111000\n");
  const Outcome outcome = run("eigen " + data + "n2_sto3g.fcidump --backend cpu --determinants " +
                              "left.txt --json report.json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  expect_says(outcome, "more electrons in the upper half");
  EXPECT_NE(json("report.json")["notes"].dump().find("upper half"), std::string::npos);
}

TEST_F(DeterminantLists, OfAllDeterminantsAreFullCi) {
  const double expected = energy("");
  for (const std::string name : {"all.txt", "all.npz", "all.h5"}) {
    EXPECT_NEAR(energy("--determinants-out " + name), expected, 1e-10);
    EXPECT_NEAR(energy("--determinants " + name), expected, 1e-10) << name;
    EXPECT_EQ(json("report.json")["matrix"]["rows"], 14400);
  }
  // Files that this program writes of its states are such lists, too.
  for (const std::string name : {"states.npz", "states.h5"}) {
    const double frozen = energy("--frozen 3 --active 1,2,4-8,10 --vectors " + name);
    EXPECT_NEAR(energy("--determinants " + name), frozen, 1e-10) << name;
    EXPECT_NEAR(energy("--frozen 3 --determinants " + name), frozen, 1e-10) << name;
  }
}

TEST_F(DeterminantLists, OfStringsAreTheirProduct) {
  std::string strings;
  for (std::uint64_t s = 0; s < 1024; ++s) {
    if (__builtin_popcountll(s) != 7) continue;
    for (int p = 9; p >= 0; --p) strings += (s >> p & 1) != 0 ? '1' : '0';
    strings += '\n';
  }
  write("s.txt", strings);
  write("a.txt", strings.substr(0, 60 * 11));
  const double expected = energy("");
  EXPECT_NEAR(energy("--strings s.txt"), expected, 1e-10);
  EXPECT_NEAR(energy("--strings s.txt,s.txt"), expected, 1e-10);
  energy("--strings a.txt,s.txt");
  EXPECT_EQ(json("report.json")["matrix"]["rows"], 60 * 120);
}

TEST_F(DeterminantLists, HaveCoefficientsOfTheirOrbitalsInOrder) {
  // Third orbital frozen, between active ones: coefficients as over all orbitals.
  energy("--frozen 3 --determinants-out d.npz --vectors v.npz");
  const auto alpha = npz_member(folder_ / "d.npz", "alpha").as<std::uint64_t>(),
             beta = npz_member(folder_ / "d.npz", "beta").as<std::uint64_t>(),
             active = npz_member(folder_ / "v.npz", "alpha").as<std::uint64_t>();
  const auto found = npz_member(folder_ / "d.npz", "coefficients").as<double>(),
             ci = npz_member(folder_ / "v.npz", "ci").as<double>();
  ASSERT_EQ(alpha.size(), found.size());
  ASSERT_EQ(ci.size(), found.size());
  const auto below = [](std::uint64_t s) { return __builtin_popcountll(s & 3); };
  int negative = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(alpha[i] & 4, 4u);
    EXPECT_EQ(alpha[i], (active[i] & 3) | 4 | (active[i] & ~std::uint64_t{3}) << 1);
    const bool turned = (below(alpha[i]) + below(beta[i])) % 2 != 0;
    EXPECT_EQ(found[i], turned ? -ci[i] : ci[i]);
    negative += turned;
  }
  EXPECT_GT(negative, 0);
}

TEST_F(DeterminantLists, OfSeveralIrrepsHaveAFileEach) {
  energy("--irrep 0,4 --determinants-out d.txt");
  EXPECT_TRUE(fs::exists(folder_ / "d.0.txt"));
  EXPECT_TRUE(fs::exists(folder_ / "d.4.txt"));
}

TEST_F(DeterminantLists, ThatAreWrongAreRefusedAndNothingIsLost) {
  write_letters();
  write("short.txt", letters + "222222200\n");
  write("other.txt", "2222222200\n");
  write("twice.txt", letters + letters);
  expect_refused("--determinants short.txt", "short.txt:6: found 9 characters");
  expect_refused("--determinants other.txt", "determinant 1 of 1: found 8 alpha electrons");
  expect_refused("--determinants twice.txt", "determinant 6 is also determinant 1");
  expect_refused("--determinants none.txt", "none.txt: no such file");
  expect_refused("--determinants letters.txt --strings letters.txt", "both list determinants");
  expect_refused("--strings letters.txt,", "expected a file, or two");
  // An input is no output, and another file is not replaced.
  expect_refused("--determinants letters.txt --determinants-out letters.txt --force",
                 "is the same file as --determinants");
  write("s.txt", "0001111111\n");
  for (const std::string name : {"s.txt", "t.txt"}) {
    write("t.txt", "0001111111\n");
    expect_refused("--strings s.txt,t.txt --determinants-out " + name + " --force",
                   "is the same file as --strings");
  }
  expect_refused("--determinants-out short.txt", "short.txt is there and is text of another kind");
  EXPECT_EQ(contents(folder_ / "short.txt"), letters + "222222200\n");
  EXPECT_EQ(contents(folder_ / "letters.txt"), letters);
  expect_refused("--determinants-out d.csv", "expected a name that ends in .txt, .npz, .h5");
  expect_refused("--determinants-out no/d.txt", "no/d.txt");
  write_pair();
  expect_says(run("eigen pair.mtx --determinants-out d.txt"), "is a matrix");
  expect_says(run("linear " + data + "h2_sto3g.fcidump --set output.determinants=d.txt"),
              "output.determinants");
  EXPECT_FALSE(fs::exists(folder_ / "d.txt"));
}

TEST_F(DeterminantLists, OfGeneralSpinOrbitalsAreOfAlphaAlone) {
  const std::string h4 = "dialects/ghf_h4";
  const double expected = energy("--frozen 2 --determinants-out g.txt --vectors g.npz", h4);
  for (const std::string name : {"g.txt", "g.npz"}) {
    EXPECT_NEAR(energy("--determinants " + name, h4), expected, 1e-10);
    EXPECT_NEAR(energy("--frozen 2 --determinants " + name, h4), expected, 1e-10);
  }
  const std::string lines = contents(folder_ / "g.txt");
  EXPECT_EQ(lines.find('b', lines.find('\n')), lines.npos);  // the first line explains them
}

#ifdef CISOLVE_TREXIO
TEST_F(DeterminantLists, OfTrexioAreThoseOfItsDeterminantGroup) {
  const double expected = energy("--frozen 3 --vectors v.trexio");
  EXPECT_NEAR(energy("--determinants v.trexio"), expected, 1e-10);
  fs::copy(folder_ / "v.trexio", folder_ / "v.h5");
  EXPECT_NEAR(energy("--determinants v.h5"), expected, 1e-10);
  expect_refused("--strings v.trexio", "TREXIO files have determinants");
  expect_refused("--determinants " + data + "h2_text.trexio", "no determinants (determinant_list)");
  energy("--vectors h2.trexio", "h2_sto3g");
  expect_refused("--determinants h2.trexio", "h2.trexio: found 2 orbitals (mo_num), expected 10");
  expect_refused("--determinants v.trexio --determinants-out v.trexio", "--determinants");
}
#endif

}  // namespace
}  // namespace cisolve
