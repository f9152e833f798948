// Several multiplicities in one run, each in the space of fewest rows, and the exchange coupling.
#include <map>
#include <string>
#include <vector>

#include "tests/support/application.hpp"
#include "tests/support/archive.hpp"

namespace cisolve {
namespace {

class Ladder : public Application {
 protected:
  nlohmann::json solve(const std::string& arguments, int status = 0) {
    const Outcome outcome = run("eigen " + arguments + " --backend cpu --json r.json --force");
    EXPECT_EQ(outcome.status, status) << arguments << outcome.err;
    return json("r.json");
  }
  void expect_refused(const std::string& arguments, const std::string& reason) {
    const Outcome outcome = run("eigen " + arguments + " --backend cpu --json no.json");
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, reason);
    EXPECT_FALSE(fs::exists(folder_ / "no.json"));
  }
  /// Energies of states of that multiplicity, in the order of the report.
  static std::vector<double> energies(const nlohmann::json& report, int multiplicity) {
    std::vector<double> found;
    for (const nlohmann::json& state : report["states"]) {
      if (state["multiplicity"] == multiplicity) found.push_back(state["energy"]);
    }
    return found;
  }
  /// The states of a ladder are the first ones of each spin among `all`.
  static void expect_first_of(const nlohmann::json& all, const nlohmann::json& ladder) {
    std::map<int, std::size_t> count;
    double before = -1e9;
    for (const nlohmann::json& state : ladder["states"]) {
      const int multiplicity = state["multiplicity"];
      const std::vector<double> expected = energies(all, multiplicity);
      const std::size_t i = count[multiplicity]++;
      EXPECT_EQ(state["state_of_multiplicity"], i + 1);
      ASSERT_LT(i, expected.size()) << multiplicity;
      EXPECT_NEAR(state["energy"].get<double>(), expected[i], 1e-9) << multiplicity;
      EXPECT_GE(state["energy"], before);
      before = state["energy"];
    }
  }
  const std::string n2 = data + "n2_sto3g.fcidump --set solver.tolerance=1e-8 ";
};

TEST_F(Ladder, HasTheStatesOfTheWholeSpaceBySpin) {
  const std::string model =
      "generate:molecule,orbitals=5,electrons=4,irreps=2 --set solver.tolerance=1e-8 ";
  const nlohmann::json all = solve(model + "--states 100");
  const nlohmann::json ladder = solve(model + "--multiplicity 1:3,3:2,5 --verify thorough");
  EXPECT_EQ(ladder["verified"], true);
  ASSERT_EQ(ladder["states"].size(), 6u);
  expect_first_of(all, ladder);
  ASSERT_EQ(ladder["multiplicities"].size(), 3u);
  EXPECT_NEAR(ladder["verification"]["probability"].get<double>(), 1e-6, 1e-12);
  EXPECT_NEAR(ladder["multiplicities"][0]["verification"]["probability"].get<double>(), 1e-6 / 3,
              1e-12);
}

TEST_F(Ladder, OfOddNumbersOfElectronsToo) {
  const std::string model =
      "generate:molecule,orbitals=5,electrons=5,irreps=2 --set solver.tolerance=1e-8 ";
  const nlohmann::json all = solve(model + "--ms2 1 --states 60");
  const nlohmann::json ladder = solve(model + "--multiplicity 6,4:2,2:2");
  ASSERT_EQ(ladder["states"].size(), 5u);
  expect_first_of(all, ladder);
  const nlohmann::json& parts = ladder["multiplicities"];
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(parts[i]["ms2"], 5 - 2 * static_cast<int>(i));
}

TEST_F(Ladder, TakesTheSpaceOfFewestRows) {
  const nlohmann::json ladder = solve(n2 + "--multiplicity 1,3,5,7");
  const nlohmann::json& parts = ladder["multiplicities"];
  // C(10,7)² = 14400 determinants, C(10,8) C(10,6) = 9450, C(10,9) C(10,5), C(10,10) C(10,4).
  const int ms2[] = {0, 0, 4, 6}, rows[] = {7260, 7140, 2520, 210};
  const char* parity[] = {"even", "odd", "all", "all"};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(parts[i]["ms2"], ms2[i]);
    EXPECT_EQ(parts[i]["matrix"]["rows"], rows[i]);
    EXPECT_EQ(parts[i]["config"]["input"]["spin_inversion"], parity[i]);
    EXPECT_EQ(parts[i]["states"][0]["ms2"], ms2[i]);
  }
  // A stored matrix cannot have functions as rows: the determinants of M_s = S are then the fewest.
  const nlohmann::json stored = solve(n2 + "--multiplicity 1,3 --operator stored");
  EXPECT_EQ(stored["multiplicities"][1]["ms2"], 2);
  EXPECT_EQ(stored["multiplicities"][1]["matrix"]["rows"], 9450);
  for (const int multiplicity : {1, 3}) {
    EXPECT_NEAR(energies(stored, multiplicity)[0], energies(ladder, multiplicity)[0], 1e-9);
  }
}

TEST_F(Ladder, KeepsTheMsThatIsGivenOrThatDeterminantsDependOn) {
  const auto ms_of = [](const nlohmann::json& report) {
    std::vector<int> found;
    for (const nlohmann::json& part : report["multiplicities"]) found.push_back(part["ms2"]);
    return found;
  };
  EXPECT_EQ(ms_of(solve(n2 + "--ms2 0 --multiplicity 3,5")), (std::vector{0, 0}));
  EXPECT_EQ(ms_of(solve(n2 + "--ms2 2 --multiplicity 3,5")), (std::vector{2, 2}));
  EXPECT_EQ(ms_of(solve(n2 + "--space cisd --multiplicity 1,3")), (std::vector{0, 0}));
  EXPECT_EQ(ms_of(solve(n2 + "--ras1 3-7 --ras-holes 10 --multiplicity 1,5")), (std::vector{0, 0}));
}

TEST_F(Ladder, WithIrrepsHasAPartForEveryPair) {
  const nlohmann::json report = solve(n2 + "--irrep 0,5 --multiplicity 1:2,3");
  ASSERT_EQ(report["parts"].size(), 4u);
  EXPECT_EQ(report["parts"][1]["name"], "irrep 0, triplets");
  EXPECT_EQ(report["parts"][2]["irrep"], 5);
  EXPECT_EQ(report["parts"][2]["multiplicity"], 1);
  ASSERT_EQ(report["states"].size(), 6u);
  for (const nlohmann::json& part : report["parts"]) {
    const std::string kind = "--irrep " + std::to_string(part["irrep"].get<int>()) +
                             " --multiplicity " + std::to_string(part["multiplicity"].get<int>());
    const nlohmann::json alone = solve(n2 + kind + " --states 2");
    EXPECT_NEAR(part["states"][0]["energy"].get<double>(),
                alone["states"][0]["energy"].get<double>(), 1e-9);
  }
  EXPECT_EQ(report["states"][0]["state_of_part"], 1);
}

TEST_F(Ladder, PartsHaveFilesOfTheirOwnAndGoOnFromThem) {
  const std::string files = "--vectors v.npz --checkpoint c.h5 --html page.html ";
  const nlohmann::json whole = solve(n2 + "--multiplicity 1,3:2,5 " + files);
  EXPECT_FALSE(fs::exists(folder_ / "v.npz"));
  EXPECT_EQ(npz_member(folder_ / "v.triplet.npz", "energies").as<double>().size(), 2u);
  EXPECT_TRUE(fs::exists(folder_ / "v.singlet.npz"));
  EXPECT_TRUE(fs::exists(folder_ / "c.quintet.h5"));
  const std::string page = contents(folder_ / "page.html");
  for (const char* words :
       {"Convergence, triplets", "Exchange coupling", "2S+1 = 5", "class=\"level c2\""}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
  const nlohmann::json again = solve(n2 + "--multiplicity 1,3:2,5 --restart c.h5");
  for (const nlohmann::json& part : again["multiplicities"]) {
    EXPECT_GT(part["restart"]["iterations"], 0);
  }
  fs::remove(folder_ / "c.quintet.h5");
  const nlohmann::json cut_off = solve(n2 + "--multiplicity 1,3:2,5 --restart c.h5");
  EXPECT_EQ(cut_off["states"].size(), 4u);
  EXPECT_TRUE(cut_off["multiplicities"][1].contains("restart"));
  EXPECT_TRUE(cut_off["multiplicities"][2].value("restart", nlohmann::json()).is_null());
  fs::copy_file(folder_ / "c.singlet.h5", folder_ / "c.triplet.h5",
                fs::copy_options::overwrite_existing);
  const nlohmann::json failed = solve(n2 + "--multiplicity 1,3:2,5 --restart c.h5", 1);
  EXPECT_EQ(failed["states"].size(), 1u);
  EXPECT_EQ(failed["verified"], false);
  EXPECT_NE(failed["notes"].dump().find("triplets: not solved"), std::string::npos);
  EXPECT_NE(failed["notes"].dump().find("quintets: not solved"), std::string::npos);
  // The report of parts is an output that may be replaced.
  EXPECT_EQ(run("eigen " + n2 + "--multiplicity 7,5 --backend cpu --json r.json").status, 0);
}

TEST_F(Ladder, OfUnanalysedStatesHasTheirSpins) {
  const nlohmann::json report = solve(n2 + "--multiplicity 5,7 --set output.analysis=false");
  EXPECT_EQ(report["states"][0]["multiplicity"], 5);
  EXPECT_EQ(report["states"][1]["multiplicity"], 7);
}

TEST_F(Ladder, OfThreeSpinsHasTheCouplingBetweenNeighbours) {
  const std::string chain = "generate:hubbard,sites=4,U=8 --set solver.tolerance=1e-9 ";
  const nlohmann::json report = solve(chain + "--multiplicity 1,3,5");
  const nlohmann::json& pairs = report["exchange_coupling"]["pairs"];
  ASSERT_EQ(pairs.size(), 2u);
  for (int s = 1; s <= 2; ++s) {
    EXPECT_EQ(pairs[s - 1]["multiplicities"], nlohmann::json({2 * s - 1, 2 * s + 1}));
    const double below = energies(report, 2 * s - 1)[0], above = energies(report, 2 * s + 1)[0];
    EXPECT_NEAR(pairs[s - 1]["j"].get<double>(), (below - above) / (2 * s), 1e-11);
  }
  EXPECT_LT(pairs[0]["j"], 0.0);
  const Outcome text = run("eigen " + chain + "--multiplicity 1,3,5 --backend cpu");
  EXPECT_NE(text.out.find("H = -2 J S1.S2"), std::string::npos) << text.out;
  // Two spins are no ladder, and spins without a neighbour have no coupling.
  EXPECT_FALSE(solve(chain + "--multiplicity 1,3").contains("exchange_coupling"));
  const nlohmann::json gap = solve(n2 + "--multiplicity 1,3,7");
  EXPECT_EQ(gap["exchange_coupling"]["pairs"].size(), 1u);
  EXPECT_NEAR(gap["exchange_coupling"]["pairs"][0]["j_cm1"].get<double>(),
              gap["exchange_coupling"]["pairs"][0]["j"].get<double>() * 219474.63136, 1e-4);
}

/// The part with the lowest singlet does not converge: another singlet would give J a wrong sign.
TEST_F(Ladder, OfPartsThatDidNotAllConvergeHasNoCoupling) {
  const std::string of_irreps = data + "n2_sto3g.fcidump --irrep 0,5 --multiplicity 1,3,5 ";
  EXPECT_TRUE(solve(of_irreps).contains("exchange_coupling"));
  const nlohmann::json cut = solve(of_irreps + "--set solver.max_iterations=3 --verify off", 2);
  EXPECT_NE(cut["status"], "converged");
  EXPECT_FALSE(cut.contains("exchange_coupling"));
}

TEST_F(Ladder, WhatIsImpossibleIsRefusedBeforeAnyIsSolved) {
  expect_refused(n2 + "--multiplicity 1:2,3 --rdm1 r.trexio", "the densities of one state");
  expect_refused(data + "h2_sto3g.fcidump --multiplicity 1,3 --irrep 0,5",
                 "irrep 0, triplets: --multiplicity 3: with 2 M_s = 0");
  expect_refused(n2 + "--multiplicity 1,9", "multiplicities 1, 3, 5, 7");
  expect_refused(n2 + "--multiplicity 1,2", "multiplicities 1, 3, 5, 7");
  expect_refused(n2 + "--ms2 2 --multiplicity 3,1", "multiplicities 3, 5, 7");
  expect_refused(n2 + "--multiplicity 1,3,1", "--multiplicity: 1 is asked for twice");
  expect_refused(n2 + "--multiplicity 1,0", "--multiplicity: found");
  expect_refused(n2 + "--multiplicity 1:0", "--multiplicity: found");
  expect_refused(n2 + "--multiplicity 1,,3", "--multiplicity: found");
  expect_refused(n2 + "--multiplicity 1:2,3:1 --states 2",
                 "has a number of states for every multiplicity");
  expect_refused(n2 + "--irrep 0:1,5 --multiplicity 1:2,3", "only one of them may");
  expect_refused("generate:molecule,orbitals=4 --multiplicity 3,5:2", "the space has 1");
  expect_refused(data + "o2_sto3g_uhf.fcidump --multiplicity 1,3", "unrestricted");
  write_pair();
  expect_refused("pair.mtx --multiplicity 1,3", "is a matrix");
  const Outcome linear = run("linear pair.mtx --set solver.multiplicity=1,3");
  EXPECT_EQ(linear.status, 1);
  expect_says(linear, "no states");
}

}  // namespace
}  // namespace cisolve
