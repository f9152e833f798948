// Several irreps in one run, each with its number of states.
#include <map>
#include <string>

#include "tests/support/application.hpp"
#include "tests/support/archive.hpp"

namespace cisolve {
namespace {

class SeveralIrreps : public Application {
 protected:
  nlohmann::json solve(const std::string& arguments) {
    const Outcome outcome = run("eigen " + data + arguments + " --backend cpu --json r.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json("r.json");
  }
  void expect_refused(const std::string& arguments, const std::string& reason) {
    const Outcome outcome = run("eigen " + data + arguments + " --backend cpu --json no.json");
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "no.json"));
  }
  const std::string ch2 = "ch2_631g.fcidump --point-group C2v --space cisd ";
};

TEST_F(SeveralIrreps, GiveTheStatesOfEachInOrderOfEnergy) {
  const nlohmann::json report = solve(ch2 + "--irrep A1:2,B1:1,A2 --states 2");
  EXPECT_EQ(report["status"], "converged");
  ASSERT_EQ(report["states"].size(), 5u);
  ASSERT_EQ(report["irreps"].size(), 3u);
  std::map<std::string, std::size_t> count;
  double before = -1e9;
  for (const nlohmann::json& state : report["states"]) {
    const std::string name = state["irrep_name"];
    EXPECT_EQ(state["state_of_irrep"], ++count[name]);
    EXPECT_GE(state["energy"], before);
    before = state["energy"];
    EXPECT_NEAR(state["excitation"].get<double>(),
                before - report["states"][0]["energy"].get<double>(), 1e-11);
  }
  EXPECT_EQ(count, (std::map<std::string, std::size_t>{{"A1", 2}, {"A2", 2}, {"B1", 1}}));
  // Each is as if alone, except excitations.
  const double lowest = report["states"][0]["energy"];
  for (const nlohmann::json& one : report["irreps"]) {
    for (const nlohmann::json& state : one["states"]) {
      const double above = state["energy"].get<double>() - lowest;
      EXPECT_NEAR(state["excitation"].get<double>(), above, 1e-11);
      EXPECT_NEAR(state["excitation_ev"].get<double>(), above * 27.211386245988, 1e-9);
      EXPECT_NEAR(state["excitation_cm1"].get<double>(), above * 219474.6313632, 1e-5);
    }
    const std::string name = one["irrep_name"];
    const nlohmann::json alone =
        solve(ch2 + "--irrep " + name + " --states " + std::to_string(count[name]));
    for (std::size_t i = 0; i < count[name]; ++i) {
      EXPECT_NEAR(one["states"][i]["energy"].get<double>(),
                  alone["states"][i]["energy"].get<double>(), 1e-10);
    }
  }
}

TEST_F(SeveralIrreps, HaveOneNumberOfStatesEach) {
  expect_refused(ch2 + "--irrep A1:2 --states 3",
                 "--states: found 3, and --irrep A1:2 has a number of states for every irrep");
  expect_refused(ch2 + "--irrep A1:2,B1:1 --states 2", "has a number of states for every irrep");
  const nlohmann::json report = solve(ch2 + "--irrep A1:2");
  EXPECT_EQ(report["states"].size(), 2u);
}

TEST_F(SeveralIrreps, AreVerifiedWhereEachIs) {
  const nlohmann::json report = solve("n2_sto3g.fcidump --irrep 0:1,4:1 --verify thorough");
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["summary"], "converged, verified");
  // The probabilities of error of both add up to what `verified` allows.
  EXPECT_NEAR(report["verification"]["probability"].get<double>(), 1e-6, 1e-12);
  EXPECT_NEAR(report["irreps"][0]["verification"]["probability"].get<double>(), 5e-7, 1e-12);
  const nlohmann::json off = solve("n2_sto3g.fcidump --irrep 0:1,4:1 --verify off --force");
  EXPECT_EQ(off["verified"], false);
  EXPECT_EQ(off["summary"], "converged, NOT verified");
}

TEST_F(SeveralIrreps, AreNamedWhereStatesAreNotAnalysed) {
  const nlohmann::json report =
      solve("n2_sto3g.fcidump --irrep 0:1,4:1 --set output.analysis=false");
  EXPECT_EQ(report["states"][0]["irrep"], 0);
  EXPECT_EQ(report["states"][1]["irrep"], 4);
  EXPECT_EQ(report["states"][1]["state_of_irrep"], 1);
  EXPECT_GT(report["seconds"]["read"].get<double>(), 0.0);
}

TEST_F(SeveralIrreps, HaveFilesOfTheirOwn) {
  solve(ch2 + "--irrep A1:2,B1 --vectors v.npz --checkpoint c.h5 --html page.html");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "v.npz"));
  EXPECT_EQ(npz_member(folder_ / "v.A1.npz", "energies").as<double>().size(), 2u);
  EXPECT_EQ(npz_member(folder_ / "v.B1.npz", "energies").as<double>().size(), 1u);
  const std::string page = contents(folder_ / "page.html");
  EXPECT_NE(page.find("Convergence, irrep B1"), std::string::npos);
  EXPECT_NE(page.find(">determinant<"), std::string::npos);
  const nlohmann::json again = solve(ch2 + "--irrep A1:2,B1 --restart c.h5");
  for (const nlohmann::json& one : again["irreps"]) EXPECT_EQ(one["restart"].is_null(), false);
}

TEST_F(SeveralIrreps, FilesOfOneAreNoneOfAnothers) {
  const auto expect_apart = [&](const std::string& files) {
    const Outcome outcome = run("eigen " + data + ch2 + "--irrep A1:2,B1 --backend cpu " + files);
    EXPECT_EQ(outcome.status, 1) << files;
    expect_says(outcome, "each output needs a place of its own");
    EXPECT_EQ(this->files(), 0) << files;
  };
  expect_apart("--vectors v.npz --json v.A1.npz");
  expect_apart("--vectors v.npz --html v.B1.npz");
  write("v.B1.npz", "");
  const Outcome link = shell("ln v.B1.npz w.A1.npz && \"$CISOLVE\" eigen " + data + ch2 +
                             "--irrep A1:2,B1 --backend cpu --vectors v.npz --rdm1 w.npz");
  EXPECT_EQ(link.status, 1);
  expect_says(link, "is the same file as");
}

TEST_F(SeveralIrreps, ThoseBeforeOneThatFailsAreReported) {
  solve(ch2 + "--irrep A1:2,B1 --checkpoint c.h5");
  fs::copy_file(folder_ / "c.A1.h5", folder_ / "c.B1.h5", fs::copy_options::overwrite_existing);
  const Outcome outcome = run("eigen " + data + ch2 +
                              "--irrep A1:2,B1 --backend cpu --json failed.json --restart c.h5");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "c.B1.h5");
  const nlohmann::json report = json("failed.json");
  EXPECT_EQ(report["states"].size(), 2u);
  EXPECT_EQ(report["verified"], false);
  EXPECT_NE(report["status"], "converged");
  EXPECT_NE(report["notes"].dump().find("irrep B1: not solved"), std::string::npos);
}

TEST_F(SeveralIrreps, WrongOnesAreRefusedBeforeAnyIsSolved) {
  expect_refused(ch2 + "--irrep A1:2,B7", "irrep 'B7': C2v has A1, B1, B2, A2");
  expect_refused(ch2 + "--irrep A1,0", "A1 is asked for twice");
  expect_refused(ch2 + "--irrep A1:0", "--irrep: found 'A1:0'");
  expect_refused(ch2 + "--irrep A1:x,B1", "--irrep: found 'A1:x'");
  expect_refused(ch2 + "--irrep A1,,B1", "--irrep: found ''");
  expect_refused("h2_sto3g.fcidump --irrep 0:1,4:9", "--irrep: 4: more states than rows");
  write_pair();
  const Outcome matrix = run("eigen pair.mtx --irrep 0:1,1:2");
  EXPECT_EQ(matrix.status, 1);
  EXPECT_NE(matrix.err.find("is a matrix"), std::string::npos) << matrix.err;
  const Outcome info = run("info " + data + "n2_sto3g.fcidump --irrep 0,4 --matrix");
  EXPECT_EQ(info.status, 1);
  EXPECT_NE(info.err.find("expected one"), std::string::npos) << info.err;
}

}  // namespace
}  // namespace cisolve
