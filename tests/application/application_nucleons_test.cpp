// Nuclei by interaction files: energies that other programs publish, J, parities, the ways to hold
// the matrix, ranks, and what is refused.

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

const std::string usdb = data + "../../docs/tutorials/usdb.snt";

class Nuclei : public Application {
 protected:
  nlohmann::json solved(const std::string& arguments) const {
    const Outcome outcome = run("eigen " + arguments + " --backend cpu --json r.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json("r.json");
  }
  static std::vector<int> spins(const nlohmann::json& report) {
    std::vector<int> all;
    for (const auto& state : report["states"]) all.push_back(state["twice_j"].get<int>());
    return all;
  }
};

/// NuclearToolkit.jl, test/shellmodel_test.jl, to three decimals.
TEST_F(Nuclei, BerylliumHasThePublishedLevels) {
  const auto report = solved(data + "ckpot.snt --protons 2 --neutrons 2 --states 10");
  const std::vector<double> energies{-31.119, -27.300, -19.162, -18.249, -16.722,
                                     -14.925, -14.517, -14.017, -13.951, -13.478};
  for (std::size_t i = 0; i < energies.size(); ++i) {
    EXPECT_NEAR(report["states"][i]["energy"].get<double>(), energies[i], 5.1e-4);
    EXPECT_EQ(report["states"][i]["parity"], 1);
  }
  EXPECT_EQ(spins(report), (std::vector{0, 4, 8, 4, 2, 4, 6, 2, 0, 8}));
  EXPECT_EQ(report["units"], "mev");
  EXPECT_EQ(report["verified"], true);
  const std::string shells =
      "outside a core of 2 protons and 2 neutrons, proton orbits 0p1/2, 0p3/2";
  EXPECT_NE(report["notes"].dump().find(shells), std::string::npos) << report["notes"];
}

/// KSHELL's energies by USDB, which BIGSTICK has too.
TEST_F(Nuclei, MagnesiumHasThePublishedEnergies) {
  const auto report = solved(usdb + " --protons 4 --neutrons 4 --states 3");
  const std::vector<double> energies{-87.104449, -85.602148, -82.988299};
  for (std::size_t i = 0; i < energies.size(); ++i) {
    EXPECT_NEAR(report["states"][i]["energy"].get<double>(), energies[i], 5.1e-7);
  }
  EXPECT_EQ(report["matrix"]["rows"], 28503);
  double nucleons = 0.0;
  for (const auto& number : report["states"][0]["orbit_occupations"]) {
    nucleons += number.get<double>();
  }
  EXPECT_NEAR(nucleons, 8.0, 1e-9);
}

/// USDB is the same for protons and neutrons: states of one isospin have one energy.
TEST_F(Nuclei, MirrorNucleiAndMultipletsAgree) {
  const auto neutrons = solved(usdb + " --protons 0 --neutrons 2 --states 3");
  const auto protons = solved(usdb + " --protons 2 --neutrons 0 --states 3");
  const auto mixed = solved(usdb + " --protons 1 --neutrons 1 --states 20");
  EXPECT_EQ(spins(neutrons), spins(protons));
  for (int i = 0; i < 3; ++i) {
    const double energy = neutrons["states"][i]["energy"];
    EXPECT_NEAR(protons["states"][i]["energy"].get<double>(), energy, 1e-9);
    double nearest = 1.0;
    for (const auto& state : mixed["states"]) {
      nearest = std::min(nearest, std::abs(state["energy"].get<double>() - energy));
    }
    EXPECT_LT(nearest, 1e-6) << "as the file's seven decimals have it";
  }
}

TEST_F(Nuclei, ALargerMHasTheLevelsOfLargerJ) {
  const auto all = solved(usdb + " --protons 2 --neutrons 2 --states 8");
  const auto some = solved(usdb + " --protons 2 --neutrons 2 --states 2 --twice-m -4");
  std::vector<double> expected;
  for (const auto& state : all["states"]) {
    if (state["twice_j"].get<int>() >= 4) expected.push_back(state["energy"]);
  }
  ASSERT_GE(expected.size(), 2U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(some["states"][i]["energy"].get<double>(), expected[i], 1e-9);
    EXPECT_EQ(some["states"][i]["twice_j"], 4 * (i + 1));
  }
}

TEST_F(Nuclei, FormatsMethodsAndRanksAgree) {
  const std::string nucleus = usdb + " --protons 2 --neutrons 2 --states 3 ";
  const auto expected = solved(nucleus);
  std::vector<std::string> ways{"--format packed", "--format csr_symmetric", "--method lanczos",
                                "--method lobpcg"};
  for (const std::string& way : ways) {
    const auto found = solved(nucleus + way);
    EXPECT_EQ(spins(found), spins(expected)) << way;
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(found["states"][i]["energy"].get<double>(),
                  expected["states"][i]["energy"].get<double>(), 1e-9)
          << way;
    }
  }
}

TEST_F(Nuclei, WhatIsWrongIsRefused) {
  const auto refused = [&](const std::string& arguments, const std::string& words) {
    const Outcome outcome = run("eigen " + arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << arguments << '\n' << outcome.err;
  };
  const std::string neon = usdb + " --protons 2 --neutrons 2 ";
  refused(usdb, "--protons is required");
  refused(usdb + " --protons 2", "--neutrons is required");
  refused(usdb + " --protons 2 --neutrons 13", "0 to 12");
  refused(usdb + " --protons 0 --neutrons 0", "no nucleons");
  refused(neon + "--twice-m 1", "an even number");
  refused(neon + "--twice-m 40", "no determinants with 2 protons, 2 neutrons, 2M = 40");
  refused(neon + "--parity negative", "negative parity");
  refused(neon + "--irrep 0", "--irrep: of electrons");
  refused(neon + "--frozen 1", "--frozen: of electrons");
  refused(neon + "--units hartree", "in MeV by convention");
  refused(neon + "--multiplicity 1", "is of nucleons");
  refused(data + "h2_sto3g.fcidump --protons 1", "--protons: of nucleons");
  write("select.yaml", "task: select\ninput: {file: " + usdb +
                           ", protons: 2, neutrons: 2}\nselection: {determinants: 100}\n");
  const Outcome select = run("run select.yaml");
  EXPECT_EQ(select.status, 1);
  EXPECT_NE(select.err.find("is of nucleons"), std::string::npos) << select.err;
}

/// Protons in the p shell, neutrons in the sd shell: other numbers of states, both parities.
TEST_F(Nuclei, ShellsMayDiffer) {
  write("x.snt",
        "2 3 2 2\n1 0 1 1 -1\n2 0 1 3 -1\n3 1 0 1 1\n4 0 2 3 1\n5 0 2 5 1\n"
        "5 0\n1 1 2.0\n2 2 1.0\n3 3 0.5\n4 4 3.0\n5 5 -1.0\n"
        "2 0\n2 2 2 2 0 -3.0\n5 5 5 5 0 -2.5\n");
  const auto report = solved("x.snt --protons 2 --neutrons 2 --states 1");
  // Two protons in 0p3/2 and two neutrons in 0d5/2, each pair with J = 0.
  EXPECT_NEAR(report["states"][0]["energy"].get<double>(), 2.0 - 3.0 - 2.0 - 2.5, 1e-9);
  EXPECT_EQ(report["states"][0]["twice_j"], 0);
  EXPECT_EQ(report["states"][0]["parity"], 1);
  const auto odd = solved("x.snt --protons 1 --neutrons 2 --states 1");
  EXPECT_NEAR(odd["states"][0]["energy"].get<double>(), 1.0 - 2.0 - 2.5, 1e-9);
  EXPECT_EQ(odd["states"][0]["parity"], -1);
  EXPECT_EQ(odd["states"][0]["twice_j"], 3);
}

}  // namespace
}  // namespace cisolve
