// Selected CI: lists, corrections and limits against full CI, what is kept, and what is refused.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <string>
#include <vector>

#include "tests/support/application.hpp"
#include "tests/support/markup.hpp"

namespace cisolve {
namespace {

using SelectReport = nlohmann::json;

class Select : public Application {
 protected:
  /// The report of `select` with these arguments.
  SelectReport selected(const std::string& arguments) const {
    const Outcome outcome = run("select " + data + arguments + " --backend cpu --json r.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json("r.json");
  }
  SelectReport steps(const std::string& arguments) const {
    return selected(arguments)["selection"]["steps"];
  }
  void expect_refusal(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run("select " + arguments + " --backend cpu");
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }

  // Full CI, tests/data/references.yaml.
  const std::vector<double> water_{-76.1198505705, -75.8348546553};
};

TEST_F(Select, GoesToFullCi) {
  const SelectReport last =
      steps("h2o_631g_frozen_core.fcidump --determinants 20000 --states 2").back();
  EXPECT_GE(last["determinants"], 20000);
  EXPECT_LE(last["determinants"], 20100);
  for (int j = 0; j < 2; ++j) {
    const SelectReport& state = last["states"][j];
    const double variational = state["variational"], total = state["total"];
    EXPECT_GT(variational, water_[j]);
    EXPECT_LT(variational, water_[j] + 1e-3);
    EXPECT_NEAR(total, water_[j], 0.1 * (variational - water_[j]));
    EXPECT_LE(state["deviation"], 1e-5);
    const SelectReport& limit = state["extrapolated"];
    EXPECT_NEAR(limit["energy"], water_[j], 2.0 * limit["uncertainty"].get<double>());
  }
}

TEST_F(Select, EndsWhereEnergiesAreKnown) {
  const SelectReport report = selected("h2o_631g_frozen_core.fcidump");
  const SelectReport& last = report["selection"]["steps"].back();
  EXPECT_LE(last["states"][0]["extrapolated"]["uncertainty"], 1e-3);
  EXPECT_NEAR(last["states"][0]["extrapolated"]["energy"], water_[0], 1e-3);
  EXPECT_NEAR(report["states"][0]["energy"].get<double>(),
              last["states"][0]["variational"].get<double>(), 1e-12);
}

TEST_F(Select, TakesAllThatMatters) {
  const SelectReport all = steps("n2_sto3g.fcidump --epsilon 1e-9");
  EXPECT_NEAR(all.back()["states"][0]["variational"], -107.6541224478, 1e-8);
  const SelectReport some = steps("n2_sto3g.fcidump --epsilon 1e-4");
  EXPECT_LE(some.back()["epsilon"], 1e-4 * (1.0 + 1e-12));
  EXPECT_LT(some.back()["determinants"], all.back()["determinants"]);
}

TEST_F(Select, EndsWithAllDeterminants) {
  const SelectReport report = selected("n2_sto3g.fcidump --determinants 100000 --deviation 0");
  EXPECT_EQ(report["selection"]["complete"], true);
  const SelectReport& state = report["selection"]["steps"].back()["states"][0];
  EXPECT_NEAR(state["variational"], -107.6541224478, 1e-8);
  EXPECT_NEAR(state["correction"], 0.0, 1e-12);
}

TEST_F(Select, StatesOfAnIrrepAndOfUnrestrictedOrbitals) {
  const SelectReport methylene = steps("ch2_631g.fcidump --irrep 3 --determinants 5000").back();
  const SelectReport oxygen = steps("o2_sto3g_uhf.fcidump --determinants 120").back();
  for (const SelectReport& last : {methylene, oxygen}) {
    EXPECT_LT(last["states"][0]["correction"], 0.0);
    EXPECT_GT(last["states"][0]["correction"], -0.05);
  }
}

TEST_F(Select, GoesOnFromWhatIsKept) {
  const std::string input = "n2_sto3g.fcidump --deviation 0 ";
  const SelectReport first = steps(input + "--determinants 300 --checkpoint s.h5");
  const SelectReport second =
      steps(input + "--determinants 900 --restart s.h5 --checkpoint s.h5 --force");
  ASSERT_GT(second.size(), first.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(second[i], first[i]);
  const SelectReport third = steps(input + "--determinants 900 --restart s.h5");
  EXPECT_EQ(third.size(), second.size());
  EXPECT_EQ(run("eigen " + data + "n2_sto3g.fcidump --determinants s.h5 --backend cpu").status, 0);
}

TEST_F(Select, NaturalOrbitalsNeedFewerDeterminants) {
  const std::string input = "h2o_631g_frozen_core.fcidump --determinants 3000 ";
  const double usual = steps(input).back()["states"][0]["variational"];
  const SelectReport report = selected(input +
                                       "--natural --natural-fcidump n.fcidump --checkpoint s.h5 "
                                       "--determinants-out list.h5 --vectors v.npz");
  EXPECT_EQ(report["selection"]["natural"], true);
  const SelectReport& all = report["selection"]["steps"];
  EXPECT_EQ(all.front()["natural"], false);
  const SelectReport& last = all.back();
  EXPECT_EQ(last["natural"], true);
  EXPECT_LE(last["determinants"], 3100);
  const double energy = last["states"][0]["variational"];
  EXPECT_GT(energy, water_[0]);
  EXPECT_LT(energy - water_[0], 0.9 * (usual - water_[0]));
  const auto listed = [&](const char* file) {
    return run(std::string("eigen n.fcidump --backend cpu --json e.json --determinants ") + file);
  };
  for (const char* file : {"list.h5", "s.h5", "v.npz"}) {
    const Outcome told = listed(file);
    ASSERT_EQ(told.status, 0) << told.err;
    EXPECT_NE(told.err.find("natural orbitals"), std::string::npos) << told.err;
    EXPECT_NEAR(json("e.json")["states"][0]["energy"], energy, 1e-9);
  }
  const Outcome begun = run("eigen n.fcidump --backend cpu --determinants list.h5 --restart v.npz");
  ASSERT_EQ(begun.status, 0) << begun.err;
  EXPECT_NE(begun.err.find("its vectors are over natural orbitals"), std::string::npos);
  ASSERT_EQ(run("eigen n.fcidump --backend cpu --json e.json").status, 0);
  EXPECT_NEAR(json("e.json")["states"][0]["energy"], water_[0], 1e-8);
}

TEST_F(Select, ExtrapolationsAreOverOneSetOfOrbitals) {
  const SelectReport all = steps("h2o_631g_frozen_core.fcidump --determinants 700 --natural");
  const auto natural =
      std::ranges::count_if(all, [](const SelectReport& step) { return step["natural"] == true; });
  ASSERT_LT(natural, 5) << "of more lists the last five are taken";
  ASSERT_GT(all.size(), static_cast<std::size_t>(natural));
  EXPECT_EQ(all.back()["states"][0]["extrapolated"]["lists"], natural);
}

TEST_F(Select, GoesOnOverNaturalOrbitalsWithoutBeingAsked) {
  const std::string input = "n2_sto3g.fcidump --deviation 0 ";
  const SelectReport first = steps(input + "--determinants 600 --natural --checkpoint s.h5");
  ASSERT_EQ(first.back()["natural"], true);
  const SelectReport report =
      selected(input + "--determinants 1200 --restart s.h5 --natural-fcidump n.fcidump");
  EXPECT_EQ(report["selection"]["natural"], true);
  EXPECT_EQ(report["selection"]["steps"].back()["natural"], true);
  EXPECT_TRUE(fs::exists(folder_ / "n.fcidump"));
  for (const char* of_file :
       {"--dipole d.npz", "--set input.follow=v.npy", "--set input.orbitals=o.molden"})
    expect_refusal(data + input + "--determinants 1200 --restart s.h5 " + of_file, "natural ones");
}

TEST_F(Select, IntegralsThatAreNotWrittenAreAnError) {
  const Outcome outcome = run("select " + data +
                              "n2_sto3g.fcidump --determinants 50 --natural --natural-fcidump "
                              "n.fcidump --backend cpu");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("n.fcidump: not written"), std::string::npos) << outcome.err;
  const Outcome eigen = run("eigen " + data + "n2_sto3g.fcidump --set output.fcidump=n.fcidump");
  EXPECT_EQ(eigen.status, 1);
  EXPECT_NE(eigen.err.find("output.fcidump"), std::string::npos) << eigen.err;
}

/// The fifth and sixth states of methylene cross from list to list.
TEST_F(Select, ExtrapolationFollowsStatesThatCross) {
  // Without irreps the first list has all of them.
  std::string integrals = contents(data + "ch2_631g.fcidump");
  const std::size_t labels = integrals.find("ORBSYM");
  integrals.erase(labels, integrals.find('\n', labels) + 1 - labels);
  write("ch2.fcidump", integrals);
  ASSERT_EQ(run("select ch2.fcidump --states 6 --determinants 1500 --deviation 0 --verify off "
                "--html p.html --backend cpu --json r.json")
                .status,
            0);
  const SelectReport report = json("r.json");
  const SelectReport& all = report["selection"]["steps"];
  const SelectReport& third = all[2]["states"];
  ASSERT_EQ(third[4]["continues"], 6);
  ASSERT_EQ(third[5]["continues"], 5);
  ASSERT_EQ(third[3]["continues"], 4);
  EXPECT_FALSE(all[0]["states"][0].contains("continues"));
  EXPECT_LT(third[4]["variational"], third[5]["variational"]);
  EXPECT_NE(report["selection"]["notes"].dump().find("5 was 6, 6 was 5"), std::string::npos);
  EXPECT_NE(contents(folder_ / "p.html").find(">5 (was 6)<"), std::string::npos);

  // The line through (E2, E + E2) of the last lists, by 1/E2².
  const auto limit = [&](bool followed) {
    std::size_t j = 4;
    double w = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (std::size_t i = all.size(); i-- > 0 && all.size() - i <= 5;) {
      const SelectReport& state = all[i]["states"][j];
      const double e2 = state["correction"], e = state["total"].get<double>() + 38.6;
      const double weight = 1.0 / (e2 * e2);
      w += weight, x += weight * e2, y += weight * e, xx += weight * e2 * e2, xy += weight * e2 * e;
      if (followed && i > 0) j = state["continues"].get<std::size_t>() - 1;
    }
    return (xx * y - x * xy) / (w * xx - x * x) - 38.6;
  };
  const double found = all.back()["states"][4]["extrapolated"]["energy"];
  EXPECT_NEAR(found, limit(true), 1e-9);
  EXPECT_GT(std::abs(found - limit(false)), 1e-5);
}

TEST_F(Select, PageHasTheReportsLists) {
  const std::string line = "select " + data +
                           "h2o_631g_frozen_core.fcidump --determinants 2000 --states 2 --backend "
                           "cpu --json r.json --html p.html";
  ASSERT_EQ(run(line).status, 0);
  const std::string page = contents(folder_ / "p.html");
  EXPECT_EQ(markup_problem(page), "");
  for (const SelectReport& step : json("r.json")["selection"]["steps"]) {
    for (const SelectReport& state : step["states"]) {
      char energy[64];
      std::snprintf(energy, sizeof energy, ">%.10f<", state["variational"].get<double>());
      EXPECT_NE(page.find(energy), std::string::npos) << energy;
    }
  }
  EXPECT_NE(page.find("second-order correction / 10⁻³ Hartree"), std::string::npos);
}

TEST_F(Select, GoesOnToTheSameEndFromAllDeterminants) {
  const std::string input = "n2_sto3g.fcidump --determinants 100000 --deviation 0 ";
  const SelectReport whole = steps(input + "--checkpoint s.h5");
  const SelectReport report = selected(input + "--restart s.h5");
  EXPECT_EQ(report["selection"]["complete"], true);
  EXPECT_EQ(report["selection"]["steps"].size(), whole.size());
}

TEST_F(Select, KeepsTheLastListWhereMoreHaveNoRoom) {
  const std::string input = "select " + data +
                            "n2_631g_frozen_core.fcidump --backend cpu --verify off --deviation "
                            "1e-3 --json r.json --force ";
  const Outcome outcome = run(input +
                              "--determinants 200000 --checkpoint s.h5 "
                              "--set 'backend.memory_limit=100 MB'");
  EXPECT_EQ(outcome.status, 3);
  const SelectReport report = json("r.json");
  const SelectReport& all = report["selection"]["steps"];
  ASSERT_GT(all.size(), 3u);
  const std::int64_t kept = all.back()["determinants"];
  EXPECT_GT(kept, 1000);
  EXPECT_LT(kept, 200000);
  const std::string fits = "the result is of " + std::to_string(kept) + " determinants";
  EXPECT_NE(outcome.err.find(fits), std::string::npos) << outcome.err;
  EXPECT_NE(report["selection"]["ended"].get<std::string>().find(fits), std::string::npos);
  EXPECT_EQ(report["matrix"]["rows"], kept);
  EXPECT_NEAR(report["states"][0]["energy"], all.back()["states"][0]["variational"], 1e-12);
  ASSERT_EQ(run(input + "--determinants " + std::to_string(kept) + " --restart s.h5").status, 0);
  EXPECT_EQ(json("r.json")["selection"]["steps"].size(), all.size());
}

TEST_F(Select, KilledLosesNoList) {
  const std::string command =
      "timeout -s KILL 0.SECONDS \"$CISOLVE\" select " + data +
      "n2_631g_frozen_core.fcidump --determinants 6000 --backend cpu --checkpoint s.h5 ";
  std::size_t kept = 0;
  for (const char* seconds : {"05", "1", "15", "2", "3"}) {
    std::string killed = command + (fs::exists(folder_ / "s.h5") ? "--restart s.h5" : "");
    killed.replace(killed.find("SECONDS"), 7, seconds);
    shell(killed);
    if (!fs::exists(folder_ / "s.h5")) continue;
    const SelectReport so_far =
        steps("n2_631g_frozen_core.fcidump --determinants 100 --restart s.h5");
    EXPECT_GE(so_far.size(), kept);
    kept = so_far.size();
  }
  const std::string goes_on = kept > 0 ? "--restart s.h5" : "";
  const SelectReport last =
      steps("n2_631g_frozen_core.fcidump --determinants 6000 " + goes_on).back();
  EXPECT_GE(last["determinants"], 6000);
}

TEST_F(Select, RefusesWhatCannotBe) {
  const std::string n2 = data + "n2_sto3g.fcidump ";
  expect_refusal(n2 + "--epsilon 0", "above 0");
  expect_refusal(n2 + "--determinants 0", "at least 1");
  expect_refusal(n2 + "--determinants 10 --epsilon 1e-3", "both say where to end");
  expect_refusal(n2 + "--set input.space=cisd", "chooses determinants");
  expect_refusal(n2 + "--set solver.multiplicity=1", "multiplicity");
  expect_refusal(n2 + "--irrep 9", "irrep");
  expect_refusal(n2 + "--natural-fcidump n.fcidump", "no --natural");
  expect_refusal(n2 + "--natural --dipole d.npz", "natural ones");
  expect_refusal(data + "o2_sto3g_uhf.fcidump --determinants 200 --natural", "restricted");
  expect_refusal(data + "h2_sto3g.fcidump --states 40", "40");
  write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 2.0\n");
  expect_refusal("a.mtx", "determinants");
  ASSERT_EQ(run("select " + n2 + "--determinants 300 --backend cpu --checkpoint s.h5").status, 0);
  expect_refusal(n2 + "--restart s.h5 --states 2", "of 1 states, expected 2");
  expect_refusal(n2 + "--restart s.h5 --irrep 0", "irrep");
  expect_refusal(data + "nh3_sto3g.fcidump --restart s.h5", "expected");
  EXPECT_EQ(run("eigen " + n2 + "--restart s.h5").status, 1);
  EXPECT_EQ(run("select " + n2 + "--restart " + data + "n2_sto3g.fcidump").status, 1);
}

TEST_F(Select, FullCiBeginsFromASelection) {
  const std::string solve = "eigen " + data +
                            "h2o_631g_frozen_core.fcidump "
                            "--operator direct --backend cpu --verify off --json r.json ";
  ASSERT_EQ(run(solve + "--set solver.start=p_space").status, 0);
  const SelectReport usual = json("r.json");
  ASSERT_EQ(run(solve + "--set solver.start=selection").status, 0);
  const SelectReport begun = json("r.json");
  EXPECT_NEAR(begun["states"][0]["energy"].get<double>(),
              usual["states"][0]["energy"].get<double>(), 1e-9);
  EXPECT_LT(3 * begun["operator_applications"].get<int>(),
            2 * usual["operator_applications"].get<int>());
  EXPECT_GT(begun["inner_applications"], 0);
  EXPECT_EQ(usual["inner_applications"], 0);
  ASSERT_EQ(run(solve + "--set solver.start=selection --spin-inversion even").status, 0);
  EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(),
              usual["states"][0]["energy"].get<double>(), 1e-9);
  const Outcome small = run("eigen " + data +
                            "n2_sto3g.fcidump --operator direct --backend cpu "
                            "--set solver.start=selection");
  EXPECT_EQ(small.status, 0) << small.err;
  EXPECT_NE(small.err.find("begun from the p-space"), std::string::npos) << small.err;
  const Outcome refused = run("eigen " + data +
                              "n2_sto3g.fcidump --operator stored --backend cpu "
                              "--set solver.start=selection");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("without a matrix"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace cisolve
