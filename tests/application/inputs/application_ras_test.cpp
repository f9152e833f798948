// Restricted active spaces as users ask for them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

class RestrictedActiveSpaces : public Application {
 protected:
  /// The report of `cisolve eigen`; its JSON is empty where the run failed.
  nlohmann::json solve(const std::string& file, const std::string& flags) const {
    const Outcome outcome =
        run("eigen " + data + file + " " + flags + " --tolerance 1e-7 --json report.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? json("report.json") : nlohmann::json();
  }
  void expect_energies(const nlohmann::json& report, const std::vector<double>& expected) const {
    ASSERT_EQ(report["states"].size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(report["states"][i]["energy"].get<double>(), expected[i], 1e-9);
    }
  }
  std::vector<double> energies(const nlohmann::json& report) const {
    std::vector<double> list;
    for (const auto& state : report["states"]) list.push_back(state["energy"]);
    return list;
  }
  void expect_refused(const std::string& flags, const std::string& words) const {
    const Outcome outcome = run("eigen " + data + "nh3_sto3g.fcidump " + flags);
    EXPECT_EQ(outcome.status, 1) << flags;
    expect_says(outcome, words);
  }
};

/// Energies of PySCF's full CI Hamiltonian (fci.direct_spin1.contract_2e) over the determinants
/// allowed.
TEST_F(RestrictedActiveSpaces, HaveTheEnergiesOfTheirDeterminantsInPySCF) {
  const nlohmann::json ammonia =
      solve("nh3_sto3g.fcidump", "--states 3 --ras1 1 --ras-holes 1 --ras3 6-8 --ras-particles 2");
  EXPECT_EQ(ammonia["matrix"]["rows"], 307);
  expect_energies(ammonia, {-55.517556266662, -54.999704718207, -54.959748454267});
  const nlohmann::json both = solve(
      "nh3_sto3g.fcidump", "--states 3 --ras1 2,3 --ras-holes 2 --ras3 7,8 --ras-particles 1");
  EXPECT_EQ(both["matrix"]["rows"], 388);
  expect_energies(both, {-55.485628642730, -54.997767049046, -54.957837722266});
  const nlohmann::json chain = solve(
      "h8_chain_sto3g.fcidump", "--states 3 --ras1 1,2 --ras-holes 2 --ras3 7,8 --ras-particles 2");
  EXPECT_EQ(chain["matrix"]["rows"], 2694);
  expect_energies(chain, {-3.788269784822, -3.759453078362, -3.716577381496});
}

TEST_F(RestrictedActiveSpaces, OfIrrepsTogetherAreThatOfAll) {
  const std::string flags = " --ras1 1-4 --ras-holes 1 --ras3 8-10 --ras-particles 3";
  const nlohmann::json all = solve("n2_sto3g.fcidump", "--states 3" + flags);
  EXPECT_EQ(all["matrix"]["rows"], 1482);
  expect_energies(all, {-107.273990057157, -107.228490955011, -107.181002592217});
  int rows = 0;
  double lowest = 0.0;
  for (int irrep = 0; irrep < 8; ++irrep) {
    const nlohmann::json one =
        solve("n2_sto3g.fcidump", "--irrep " + std::to_string(irrep) + flags);
    rows += one["matrix"]["rows"].get<int>();
    lowest = std::min(lowest, energies(one)[0]);
  }
  EXPECT_EQ(rows, 1482);
  EXPECT_NEAR(lowest, -107.273990057157, 1e-9);
}

TEST_F(RestrictedActiveSpaces, ThatAllowEverythingAreFullCi) {
  const nlohmann::json full = solve("nh3_sto3g.fcidump", "--states 3");
  const nlohmann::json ras = solve(
      "nh3_sto3g.fcidump", "--states 3 --ras1 1,2 --ras-holes 4 --ras3 7,8 --ras-particles 4");
  EXPECT_EQ(ras["matrix"]["rows"], full["matrix"]["rows"]);
  expect_energies(ras, energies(full));
  EXPECT_NE(ras["notes"].dump().find("it excludes nothing: full CI"), std::string::npos)
      << ras["notes"];
}

TEST_F(RestrictedActiveSpaces, OfTwoHolesAndTwoParticlesAreSinglesAndDoubles) {
  const nlohmann::json cisd = solve("nh3_sto3g.fcidump", "--states 3 --space cisd");
  const nlohmann::json ras = solve(
      "nh3_sto3g.fcidump", "--states 3 --ras1 1-5 --ras-holes 2 --ras3 6-8 --ras-particles 2");
  EXPECT_EQ(ras["matrix"]["rows"], cisd["matrix"]["rows"]);
  expect_energies(ras, energies(cisd));
  // Spin eigenfunctions, and what they are made of.
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ras["states"][i]["multiplicity"], cisd["states"][i]["multiplicity"]);
    EXPECT_NEAR(ras["states"][i]["s_squared"].get<double>(),
                cisd["states"][i]["s_squared"].get<double>(), 1e-6);
  }
}

TEST_F(RestrictedActiveSpaces, CountOrbitalsAsTheFileDoesWithFrozenAndActiveOnes) {
  const nlohmann::json frozen = solve("nh3_sto3g.fcidump", "--frozen 1 --space cisd");
  expect_energies(solve("nh3_sto3g.fcidump",
                        "--frozen 1 --ras1 2-5 --ras-holes 2 --ras3 6-8 --ras-particles 2"),
                  energies(frozen));
  // A RAS1 without holes is frozen, a RAS3 without particles is inactive.
  expect_energies(solve("nh3_sto3g.fcidump", "--ras1 1 --ras-holes 0 --ras3 8 --ras-particles 0"),
                  energies(solve("nh3_sto3g.fcidump", "--frozen 1 --active 2-7")));
}

TEST_F(RestrictedActiveSpaces, TakeOneMultiplicityOfOpenShellsToo) {
  const nlohmann::json all = solve(
      "nh3_sto3g.fcidump", "--states 8 --ras1 1-3 --ras-holes 2 --ras3 7,8 --ras-particles 1");
  std::vector<double> triplets;
  for (const auto& state : all["states"]) {
    if (state["multiplicity"] == 3) triplets.push_back(state["energy"]);
  }
  ASSERT_GE(triplets.size(), 1u);
  const nlohmann::json one =
      solve("nh3_sto3g.fcidump",
            "--ms2 2 --multiplicity 3 --ras1 1-3 --ras-holes 2 --ras3 7,8 --ras-particles 1");
  expect_energies(one, {triplets[0]});
}

TEST_F(RestrictedActiveSpaces, AreWrittenWithTheirDeterminants) {
  const nlohmann::json report =
      solve("nh3_sto3g.fcidump",
            "--ras1 1 --ras-holes 1 --ras3 6-8 --ras-particles 2 --vectors ras.npz "
            "--rdm2 rdm.npz");
  EXPECT_TRUE(fs::exists(folder_ / "ras.npz"));
  EXPECT_TRUE(fs::exists(folder_ / "rdm.npz"));
  const nlohmann::json again = solve(
      "nh3_sto3g.fcidump", "--ras1 1 --ras-holes 1 --ras3 6-8 --ras-particles 2 --restart ras.npz");
  expect_energies(again, energies(report));
}

TEST_F(RestrictedActiveSpaces, HaveTheirSizesInInfo) {
  const std::string flags = " --ras1 1-4 --ras-holes 1 --ras3 8-10 --ras-particles 3";
  const Outcome outcome = run("info " + data + "n2_sto3g.fcidump" + flags + " --json info.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(" ras"), std::string::npos) << outcome.out;
  double all = 0.0, of_irreps = 0.0;
  const nlohmann::json report = json("info.json");
  for (const auto& size : report["spaces"]) {
    if (size["space"] != "ras") continue;
    (size["irrep"].is_null() ? all : of_irreps) += size["determinants"].get<double>();
  }
  EXPECT_EQ(all, 1482.0);
  EXPECT_EQ(of_irreps, 1482.0);
}

TEST_F(RestrictedActiveSpaces, AreReadFromRunFiles) {
  write("ras.yaml", "input: {file: " + data +
                        "nh3_sto3g.fcidump, ras1: [1], ras_holes: 1, ras3: 6-8, "
                        "ras_particles: 2}\nsolver: {tolerance: 1e-7}\n"
                        "output: {json: report.json}\n");
  ASSERT_EQ(run("run ras.yaml").status, 0);
  expect_energies(json("report.json"), {-55.517556266662});
  EXPECT_EQ(json("report.json")["config"]["input"]["ras_holes"], 1);
}

TEST_F(RestrictedActiveSpaces, ThatMeanNothingAreRefused) {
  expect_refused("--ras1 1,2", "--ras1: expected --ras-holes with it");
  expect_refused("--ras-particles 2", "--ras-particles: expected --ras3 with it");
  expect_refused("--ras1 1 --ras-holes 1 --ras3 1,2 --ras-particles 1", "is in --ras1 too");
  expect_refused("--ras1 1,1 --ras-holes 1", "orbital 1 is listed twice");
  expect_refused("--ras1 9 --ras-holes 1", "orbital 9 is not active");
  expect_refused("--frozen 1 --ras1 1,2 --ras-holes 1", "orbital 1 is not active");
  expect_refused("--space cisd --ras1 1 --ras-holes 1", "found cisd, expected fci");
  expect_refused("--ras1 1 --ras-holes -1", "at least 0");
  expect_refused("--ras3 2-8 --ras-particles 2", "do not fit the limits");
  expect_refused("--ras1 1 --ras-holes 1 --operator direct", "not that of full CI");
  write_pair();
  const Outcome matrix = run("eigen pair.mtx --ras1 1 --ras-holes 1");
  EXPECT_EQ(matrix.status, 1);
  expect_says(matrix, "chooses determinants");
}

}  // namespace
}  // namespace cisolve
