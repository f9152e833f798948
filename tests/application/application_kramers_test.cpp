// Eigenstates over Kramers pairs of spinors: those of the complex matrix, by half of it.
#include <algorithm>
#include <array>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/application.hpp"
#include "tests/support/archive.hpp"

namespace cisolve {
namespace {

class KramersApplication : public Application {
 protected:
  nlohmann::json report(const std::string& flags) const {
    const Outcome outcome = run("eigen " + file + flags + " --backend cpu --force --json r.json");
    EXPECT_EQ(outcome.status, 0) << flags << "\n" << outcome.err;
    return outcome.status == 0 ? json("r.json") : nlohmann::json();
  }
  void expect_refused(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, words);
  }
  static void expect_elements(const nlohmann::json& r, const std::string& elements, int rows) {
    EXPECT_EQ(r["matrix"]["elements"], elements);
    EXPECT_EQ(r["matrix"]["rows"], rows);
  }
  static std::string notes(const nlohmann::json& r) { return r["notes"].dump(); }

  /// 7 electrons in 16 spinors; with `core` 3 in 12, 220 determinants.
  const std::string file = data + "spinors/f_atom_kramers_7e16s.fcidump.gz ";
  const std::string core = "--frozen 1-4 ";
};

/// Hartree, from another program (tests/data/spinors).
std::vector<double> fluorine_levels() {
  std::vector<double> levels(4, -99.5286199742);
  levels.resize(6, -99.5261289684);
  levels.resize(8, -98.6610637230);
  levels.resize(12, -98.2026775853);
  levels.resize(14, -98.2026266905);
  return levels;
}

TEST_F(KramersApplication, FluorineHasTheEnergiesOfAnotherProgram) {
  const std::vector<double> levels = fluorine_levels();
  const std::vector<std::pair<std::string, std::size_t>> solves{
      {"davidson", 1}, {"davidson", 14}, {"lobpcg", 6}, {"lanczos", 5}};
  for (const auto& [method, states] : solves) {
    const nlohmann::json r =
        report("--verify quick --method " + method + " --states " + std::to_string(states));
    ASSERT_EQ(r["states"].size(), states);
    expect_elements(r, "quaternion", 5720);
    for (std::size_t i = 0; i < states; ++i) {
      EXPECT_NEAR(r["states"][i]["energy"], levels[i], 1e-9) << method << ", " << states;
    }
  }
}

TEST_F(KramersApplication, StatesAreThoseOfTheComplexMatrix) {
  const std::array<std::string, 3> methods{"davidson", "lobpcg", "lanczos"};
  for (std::size_t states = 1; states <= 14; ++states) {
    const std::string flags = core + "--tolerance 1e-7 --verify thorough --states " +
                              std::to_string(states) + " --method " + methods[states % 3];
    const nlohmann::json pairs = report(flags), complex = report(flags + " --kramers off");
    expect_elements(pairs, "quaternion", 110);
    expect_elements(complex, "complex", 220);
    EXPECT_TRUE(pairs["verified"]);
    ASSERT_EQ(pairs["states"].size(), states);
    EXPECT_EQ(pairs["history"].back()["energies"].size(), states);
    for (std::size_t i = 0; i < states; ++i) {
      const nlohmann::json &one = pairs["states"][i], &other = complex["states"][i];
      EXPECT_NEAR(one["energy"], other["energy"], 1e-9) << states;
      ASSERT_EQ(one.size(), other.size());
      for (const auto& [key, value] : other.items()) EXPECT_TRUE(one.contains(key)) << key;
      EXPECT_EQ(one["residual_norm"], pairs["states"][i / 2 * 2]["residual_norm"]);
      EXPECT_EQ(one["energy"], pairs["states"][i / 2 * 2]["energy"]);
    }
  }
}

TEST_F(KramersApplication, VectorsAreOrthonormalComplexOnesOverDeterminants) {
  using Complex = std::complex<double>;
  const nlohmann::json r = report(core + "--states 5 --vectors x.npz");
  const Stored ci = npz_member(folder_ / "x.npz", "ci");
  EXPECT_NE(ci.header.find("'descr': '<c16'"), std::string::npos) << ci.header;
  EXPECT_NE(ci.header.find("'shape': (5,220,)"), std::string::npos) << ci.header;
  const auto states = ci.as<Complex>();
  for (int i = 0; i < 5; ++i) {
    const Complex* const x = states.data() + 220 * i;
    for (int j = 0; j <= i; ++j) {
      Complex overlap = 0.0;
      for (int k = 0; k < 220; ++k) overlap += std::conj(states[220 * j + k]) * x[k];
      EXPECT_LT(std::abs(overlap - (i == j ? 1.0 : 0.0)), 1e-10) << i << ", " << j;
    }
    const nlohmann::json leading = r["states"][i]["leading"][0];
    const Complex value = x[leading["row"].get<int>() - 1];
    EXPECT_NEAR(value.real(), leading["components"][0], 1e-12);
    EXPECT_NEAR(value.imag(), leading["components"][1], 1e-12);
    const std::string occupation = leading["occupation"];
    EXPECT_EQ(occupation.substr(0, 4), "1111");
    EXPECT_EQ(std::ranges::count(occupation, '1'), 7);
  }
}

TEST_F(KramersApplication, EveryFormatOfComplexMatricesHoldsThem) {
  const double expected = report(core)["states"][0]["energy"];
  for (const std::string format :
       {"csr", "ell", "ellr", "sell", "sellr", "sell_c_sigma", "hybrid", "packed"}) {
    const nlohmann::json r = report(core + "--format " + format);
    EXPECT_EQ(r["matrix"]["format"], format);
    EXPECT_EQ(r["matrix"]["stored_elements"], "complex");
    expect_elements(r, "quaternion", 110);
    EXPECT_NEAR(r["states"][0]["energy"], expected, 1e-10);
  }
}

TEST_F(KramersApplication, ProductsWithoutAMatrixHaveTheSameStates) {
  const nlohmann::json stored = report(core + "--states 7 --operator stored --tolerance 1e-7");
  for (const std::string kramers : {"", " --kramers off"}) {
    const nlohmann::json r =
        report(core + "--states 7 --operator direct --tolerance 1e-7" + kramers);
    expect_elements(r, kramers.empty() ? "quaternion" : "complex", kramers.empty() ? 110 : 220);
    EXPECT_EQ(r["matrix"]["format"], "direct");
    EXPECT_TRUE(r["verified"]);
    for (int i = 0; i < 7; ++i) {
      EXPECT_NEAR(r["states"][i]["energy"], stored["states"][i]["energy"], 1e-10);
    }
  }
  expect_refused("eigen " + file + "--space cisd --operator direct",
                 "found direct, expected stored or auto: the space is not that of full CI");
}

TEST_F(KramersApplication, HalfStorageIsOfTheComplexMatrix) {
  expect_elements(report(core + "--format csr_symmetric"), "complex", 220);
  expect_refused("eigen " + file + "--kramers on --format csr_symmetric",
                 "on, but format csr_symmetric has half of a square matrix");
}

TEST_F(KramersApplication, OtherCommandsThanEigenSayThatTheyTakeTheComplexMatrix) {
  for (const std::string& command :
       {"linear " + file, "bench " + file, "convert " + file + " f.h5"}) {
    expect_refused(command + " --kramers on", "--kramers: on is of eigenstates alone");
  }
}

TEST_F(KramersApplication, NotesSayWhatWasDone) {
  const nlohmann::json r = report(core + "--operator stored --html r.html");
  EXPECT_NE(contents(folder_ / "r.html").find(" complex nonzeros"), std::string::npos);
  EXPECT_NE(notes(r).find("one of quaternions over Kramers pairs"), std::string::npos);
  EXPECT_NE(notes(r).find("their mean is taken"), std::string::npos) << notes(r);
  const nlohmann::json off = report(core + "--kramers off");
  EXPECT_EQ(notes(off).find("quaternions"), std::string::npos);
  EXPECT_EQ(notes(off).find("their mean is taken"), std::string::npos);
  EXPECT_NE(notes(off).find("every level has an even number of states"), std::string::npos);
}

TEST_F(KramersApplication, ComplexMatricesAreTakenWhereThereAreNoPairs) {
  expect_elements(report("--space cisd"), "complex", 820);
  expect_elements(report(core + "--ras1 5,6,7 --ras-holes 1"), "complex", 28);
  expect_elements(report("--frozen 1-5 --active 6-16"), "complex", 55);
  expect_elements(report("--frozen 1-4 --active 5-13"), "complex", 84);
  expect_elements(report(core + "--ras1 5,6 --ras-holes 1 --kramers on"), "quaternion", 50);
  write("pair.txt", "1111100010100000\n1111010001010000\n");
  expect_elements(report("--determinants pair.txt --kramers on"), "quaternion", 1);
  write("other.txt", "1111100010100000\n1111010001100000\n");
  expect_elements(report("--determinants other.txt"), "complex", 2);
}

TEST_F(KramersApplication, AskedForWhereTheyAreNotIsRefused) {
  const std::string on = "eigen " + file + "--kramers on ";
  expect_refused(on + "--space cisd", "--kramers: on, but the determinants lack some that time");
  expect_refused(on + "--frozen 1-5", "--kramers: on, but 2 electrons are even in number");
  expect_refused(on + "--frozen 1-4 --active 5-13", "--kramers: on, but 9 active spinors are odd");
  expect_refused(on + "--frozen 1,2,3,5",
                 "--kramers: on, but spinors 1 and 2, 3 and 4 ... are no Kramers pairs: integrals "
                 "and those turned round in time differ by ");
  expect_refused("linear " + file + "--kramers on", "--kramers");
  write("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1.0\n");
  expect_refused("eigen m.mtx --kramers on", "--kramers chooses determinants");
  expect_refused("eigen generate:hubbard,sites=4 --kramers on", "--kramers: on is of complex");
  expect_refused("eigen " + file + "--kramers maybe", "expected name (auto, off, on)");
}

TEST_F(KramersApplication, CheckpointsGoOnOverPairsAlone) {
  const std::string solve = core + "--states 6 --tolerance 1e-9 ";
  const nlohmann::json whole = report(solve + "--checkpoint c.h5");
  const nlohmann::json again = report(solve + "--restart c.h5 --checkpoint d.h5");
  EXPECT_LT(again["operator_applications"].get<int>(),
            whole["operator_applications"].get<int>() + 12);
  EXPECT_LE(again["iterations"].get<int>(), whole["iterations"].get<int>() + 2);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(again["states"][i]["energy"], whole["states"][i]["energy"], 1e-11);
  }
  expect_refused("eigen " + file + solve + "--restart c.h5 --kramers off",
                 "real numbers of an element: found 4, expected 2");
  report(solve + "--kramers off --checkpoint e.h5");
  expect_refused("eigen " + file + solve + "--restart e.h5",
                 "real numbers of an element: found 2, expected 4");
}

TEST_F(KramersApplication, CheckpointsGoOnWhateverTheProductsAreMadeOf) {
  const std::string solve = core + "--states 4 --tolerance 1e-8 ";
  for (const std::string kramers : {"", "--kramers off "}) {
    for (const std::string way : {"--operator direct ", "--operator stored "}) {
      const nlohmann::json whole = report(solve + kramers + way + "--checkpoint c.h5");
      for (const std::string other :
           {"--operator direct", "--operator stored", "--format csr_symmetric"}) {
        if (kramers.empty() && other.ends_with("symmetric")) continue;
        SCOPED_TRACE(kramers + way + other);
        const nlohmann::json r = report(solve + kramers + other + " --restart c.h5");
        EXPECT_LE(r["iterations"].get<int>(), whole["iterations"].get<int>() + 2);
        EXPECT_NEAR(r["states"][0]["energy"], whole["states"][0]["energy"], 1e-10);
      }
    }
  }
}

TEST_F(KramersApplication, MoreStatesThanDeterminantsAreRefused) {
  write("pair.txt", "1111100010100000\n1111010001010000\n");
  const nlohmann::json r = report("--determinants pair.txt --states 2");
  ASSERT_EQ(r["states"].size(), 2u);
  expect_elements(r, "quaternion", 1);
  expect_refused("eigen " + file + "--determinants pair.txt --states 3",
                 "more states than rows: 3 asked for, the matrix has 2 rows");
}

}  // namespace
}  // namespace cisolve
