// States of one multiplicity, by the program itself.
#include <cmath>
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "io/vector_file.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

class Multiplicity : public Application {
 protected:
  nlohmann::json eigen(const std::string& arguments) const {
    const Outcome outcome =
        run("eigen " + arguments + " --backend cpu --set solver.p_space=200 --json r.json");
    EXPECT_EQ(outcome.status, 0) << arguments << outcome.err;
    return json("r.json");
  }

  /// The energies of this multiplicity among the lowest `states` of the space with M_s = S, where
  /// lower multiplicities are not there.
  std::vector<double> filtered(const std::string& input, int multiplicity, int states) const {
    const nlohmann::json r = eigen(input + " --ms2 " + std::to_string(multiplicity - 1) +
                                   " --states " + std::to_string(states));
    std::vector<double> energies;
    for (const nlohmann::json& state : r["states"]) {
      if (state["multiplicity"] == multiplicity) energies.push_back(state["energy"]);
    }
    return energies;
  }

  void expect_states(const nlohmann::json& r, int multiplicity,
                     const std::vector<double>& energies) const {
    EXPECT_EQ(r["multiplicity_requested"], multiplicity);
    ASSERT_LE(r["states"].size(), energies.size());
    const double s = 0.5 * (multiplicity - 1);
    for (std::size_t i = 0; i < r["states"].size(); ++i) {
      const nlohmann::json& state = r["states"][i];
      EXPECT_NEAR(state["energy"].get<double>(), energies[i], 1e-9) << multiplicity << " " << i;
      EXPECT_NEAR(state["s_squared"].get<double>(), s * (s + 1), 1e-9) << multiplicity << " " << i;
    }
  }

  /// `count` states of each multiplicity 1, 3, 5 against the filtered ones of `states`.
  void expect_filtered(const std::string& input, int count, int states) const {
    for (const int multiplicity : {1, 3, 5}) {
      const nlohmann::json r =
          eigen(input + " --ms2 0 --verify thorough --states " + std::to_string(count) +
                " --multiplicity " + std::to_string(multiplicity));
      EXPECT_EQ(r["verified"], true) << multiplicity;
      expect_states(r, multiplicity, filtered(input, multiplicity, states));
    }
  }

  void expect_refused(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run("eigen " + arguments + " --backend cpu");
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, words);
  }
};

TEST_F(Multiplicity, StatesAreThoseFoundAmongAll) {
  expect_filtered(data + "h8_chain_sto3g.fcidump", 3, 7);
}

TEST_F(Multiplicity, DegenerateStatesAreComplete) {
  expect_filtered(data + "be_ccpvdz.fcidump", 4, 7);
}

TEST_F(Multiplicity, StatesOfEightSymmetryBlocks) {
  expect_filtered(data + "n2_sto3g.fcidump", 2, 8);
}

TEST_F(Multiplicity, StatesOfATruncatedSpace) {
  const std::string input = data + "nh3_sto3g.fcidump --space cisd";
  const nlohmann::json all = eigen(input + " --states 8");
  for (const int multiplicity : {1, 3}) {
    std::vector<double> energies;
    for (const nlohmann::json& state : all["states"]) {
      if (state["multiplicity"] == multiplicity) energies.push_back(state["energy"]);
    }
    const nlohmann::json r =
        eigen(input + " --states 3 --multiplicity " + std::to_string(multiplicity));
    expect_states(r, multiplicity, energies);
  }
}

TEST_F(Multiplicity, StatesOfOpenShells) {
  // Five electrons in six orbitals, two symmetry blocks.
  const std::string input = "generate:molecule,orbitals=6,electrons=5,irreps=2 ";
  for (const int multiplicity : {2, 4, 6}) {
    const auto energies = filtered(input, multiplicity, multiplicity == 6 ? 6 : 8);
    const int count = std::min<int>(4, static_cast<int>(energies.size()));
    const nlohmann::json r =
        eigen(input + "--ms2 1 --multiplicity " + std::to_string(multiplicity) + " --states " +
              std::to_string(count));
    expect_states(r, multiplicity, energies);
    EXPECT_TRUE(r["states"][0]["spin_inversion"].is_null());
  }
}

TEST_F(Multiplicity, OtherMethodsFindTheSameStates) {
  const std::string input = data + "nh3_sto3g.fcidump ";
  for (const int multiplicity : {1, 3, 5}) {
    const auto energies = filtered(input, multiplicity, 6);
    for (const std::string method : {"lobpcg", "lanczos"}) {
      const nlohmann::json r = eigen(input + "--states 2 --method " + method + " --multiplicity " +
                                     std::to_string(multiplicity));
      EXPECT_EQ(r["verified"], true) << method;
      expect_states(r, multiplicity, energies);
    }
  }
}

TEST_F(Multiplicity, EveryStateOfASmallSpaceCanBeHad) {
  // Four electrons in four orbitals: 20 singlets, 15 triplets and a quintet.
  const std::string input = "generate:molecule,orbitals=4,irreps=2 ";
  const nlohmann::json all = eigen(input + "--states 36");
  for (const auto& [multiplicity, count] : {std::pair{1, 20}, std::pair{3, 15}, std::pair{5, 1}}) {
    std::vector<double> energies;
    for (const nlohmann::json& state : all["states"]) {
      if (state["multiplicity"] == multiplicity) energies.push_back(state["energy"]);
    }
    ASSERT_EQ(energies.size(), static_cast<std::size_t>(count));
    for (const char* method : {"davidson", "lobpcg", "lanczos"}) {
      const std::string of_method = " --method " + std::string(method) + " --multiplicity " +
                                    std::to_string(multiplicity) + " --states ";
      expect_states(eigen(input + of_method + std::to_string(count)), multiplicity, energies);
    }
    expect_refused(input + "--multiplicity " + std::to_string(multiplicity) + " --states " +
                       std::to_string(count + 1),
                   "the space has " + std::to_string(count));
  }
}

TEST_F(Multiplicity, BlocksOfTheMatrixThatSpinCouplesAreOne) {
  // Every determinant is a block of its own without hopping.
  const nlohmann::json r = eigen("generate:hubbard,sites=4,t=0,U=2 --multiplicity 3 --states 4");
  EXPECT_EQ(r["verified"], true);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(r["states"][i]["multiplicity"], 3);
    EXPECT_NEAR(r["states"][i]["energy"].get<double>(), i < 3 ? 0.0 : 2.0, 1e-10);
  }
}

TEST_F(Multiplicity, SpinInversionExchangesTheStrings) {
  // Two electrons in three orbitals: the determinant of strings a and b is row 3a + b.
  const nlohmann::json r = eigen(
      "generate:molecule,orbitals=3,electrons=2 --states 9 "
      "--set output.vectors=v.npy");
  const HostMatrix v = read_vectors(folder_ / "v.npy");
  for (int j = 0; j < 9; ++j) {
    const nlohmann::json& state = r["states"][j];
    EXPECT_EQ(state["spin_inversion"], state["multiplicity"] == 1 ? 1 : -1);
    const double factor = state["spin_inversion"];
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) EXPECT_NEAR(v(3 * a + b, j), factor * v(3 * b + a, j), 1e-6);
    }
  }
}

TEST_F(Multiplicity, LevelsOfOpenShellsAreOfThatSpin) {
  const auto expect = [&](const std::string& arguments, int multiplicity,
                          const std::vector<double>& energies) {
    const nlohmann::json r =
        eigen(data + arguments + " --multiplicity " + std::to_string(multiplicity) + " --states " +
              std::to_string(energies.size()));
    EXPECT_EQ(r["verified"], true) << arguments;
    const double s = 0.5 * (multiplicity - 1);
    for (std::size_t i = 0; i < energies.size(); ++i) {
      const nlohmann::json& state = r["states"][i];
      EXPECT_NEAR(state["energy"].get<double>(), energies[i], 1e-7) << arguments << " " << i;
      EXPECT_NEAR(state["s_squared"].get<double>(), s * (s + 1), 1e-9) << arguments << " " << i;
    }
  };
  std::vector<double> of_f6(23, -4.2578147028);
  of_f6.insert(of_f6.end(), 3, -4.2546212);
  of_f6.insert(of_f6.end(), 4, -4.2522873);
  expect("f6_shell.fcidump", 3, of_f6);
  expect("d4_rotated.fcidump --operator stored --set solver.p_space=10", 1, {-839.0558514});
  expect("d4_level_of_three.fcidump --set solver.p_space=0", 3,
         {-839.0899640, -839.0899640, -839.0894169, -839.0894169, -839.0890827});
}

TEST_F(Multiplicity, ASearchForAStateThatDoesNotExistEnds) {
  const nlohmann::json r = eigen(data +
                                 "six_orbitals_four_electrons.fcidump --states 5 "
                                 "--multiplicity 1 --operator direct --method lanczos "
                                 "--set solver.seed=6");
  EXPECT_EQ(r["verified"], true);
  EXPECT_LT(r["verification"]["products"].get<int>(), 2000);
}

TEST_F(Multiplicity, LevelsMayLieFarApart) {
  const nlohmann::json r = eigen("generate:hubbard,sites=6,U=-50 --multiplicity 7");
  EXPECT_NEAR(r["states"][0]["energy"].get<double>(), 0.0, 1e-9);
  EXPECT_EQ(r["verified"], true);
}

TEST_F(Multiplicity, WhatIsImpossibleIsRefused) {
  const std::string nh3 = data + "nh3_sto3g.fcidump ";
  expect_refused(nh3 + "--multiplicity 2", "multiplicities 1, 3, 5, 7");
  expect_refused(nh3 + "--multiplicity 9", "multiplicities 1, 3, 5, 7");
  expect_refused(nh3 + "--ms2 2 --multiplicity 1", "multiplicities 3, 5, 7");
  expect_refused(nh3 + "--multiplicity 0", "at least 1");
  expect_refused(nh3 + "--space cisd --multiplicity 7", "multiplicities 1, 3, 5");
  expect_refused(nh3 + "--ms2 2 --space cisd --multiplicity 3", "not closed under S^2");
  expect_refused(data + "o2_sto3g_uhf.fcidump --multiplicity 3", "unrestricted");
  write_pair();
  expect_refused("pair.mtx --multiplicity 1", "is a matrix");
  const Outcome linear = run("linear pair.mtx --set solver.multiplicity=1");
  EXPECT_EQ(linear.status, 1);
  expect_says(linear, "no states");
}

TEST_F(Multiplicity, ACheckpointIsOfOneMultiplicity) {
  const std::string input = data + "nh3_sto3g.fcidump --states 2 ";
  const nlohmann::json whole = eigen(input + "--multiplicity 3 --checkpoint ck.h5");
  const nlohmann::json again = eigen(input + "--multiplicity 3 --restart ck.h5 --states 3");
  expect_states(again, 3, filtered(input, 3, 5));
  EXPECT_EQ(again["states"][1]["energy"].get<double>(), whole["states"][1]["energy"].get<double>());
  expect_refused(input + "--restart ck.h5",
                 "checkpoint of states of multiplicity 3, expected all multiplicities");
  expect_refused(input + "--multiplicity 1 --restart ck.h5", "expected multiplicity 1");
}

TEST_F(Multiplicity, StartVectorsMayBeOfAnySpin) {
  const std::string input = data + "nh3_sto3g.fcidump ";
  eigen(input + "--states 4 --set output.vectors=v.npy");
  const nlohmann::json r = eigen(input + "--states 2 --multiplicity 1 --restart v.npy");
  expect_states(r, 1, filtered(input, 1, 6));
}

TEST_F(Multiplicity, TheTextNamesTheStates) {
  const Outcome outcome = run("eigen " + data + "nh3_sto3g.fcidump --multiplicity 3 --backend cpu");
  EXPECT_NE(outcome.out.find("no triplets more than"), std::string::npos) << outcome.out;
}

TEST_F(Multiplicity, RowsWithoutAMatrixAreOfItsParity) {
  const std::string n2 = data + "n2_sto3g.fcidump --force --set solver.tolerance=1e-8 ";
  const std::string job = n2 + "--operator direct --states 2 ";
  for (const auto& [multiplicity, rows] : {std::pair{1, 7260}, std::pair{3, 7140}}) {
    const std::string kind = "--multiplicity " + std::to_string(multiplicity);
    const nlohmann::json direct = eigen(job + kind + " --vectors v.npy");
    const nlohmann::json stored =
        eigen(n2 + "--operator stored --states 2 " + kind + " --vectors s.npy");
    EXPECT_EQ(direct["matrix"]["rows"], rows);
    EXPECT_EQ(stored["matrix"]["rows"], 14400);
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(direct["states"][i]["energy"].get<double>(),
                  stored["states"][i]["energy"].get<double>(), 1e-9);
    }
    // Vectors are over the same determinants in the same order; the triplets are a level of two, of
    // which either may come first.
    const HostMatrix v = read_vectors(folder_ / "v.npy"), s = read_vectors(folder_ / "s.npy");
    ASSERT_EQ(v.rows(), 14400);
    EXPECT_NEAR((s.transpose() * v.col(0)).norm(), 1.0, 1e-9);
  }
}

TEST_F(Multiplicity, CheckpointsAreOfEitherOperator) {
  const std::string n2 = data + "n2_sto3g.fcidump --force --set solver.tolerance=1e-8 ";
  const std::string triplets = n2 + "--multiplicity 3 ";
  for (const auto& [first, second] : {std::pair{"direct", "stored"}, std::pair{"stored", "direct"},
                                      std::pair{"direct", "direct"}}) {
    eigen(triplets + "--checkpoint c.h5 --operator " + first);
    const nlohmann::json again = eigen(triplets + "--restart c.h5 --operator " + second);
    EXPECT_GT(again["restart"]["iterations"], 0) << first << second;
  }
  // Vectors of another parity alone are no start; the solve begins as without.
  eigen(n2 + "--multiplicity 1 --vectors v.npy");
  const nlohmann::json begun = eigen(triplets + "--operator direct --restart v.npy");
  EXPECT_EQ(begun["status"], "converged");
  EXPECT_NEAR(begun["states"][0]["energy"].get<double>(),
              eigen(triplets)["states"][0]["energy"].get<double>(), 1e-9);
}

}  // namespace
}  // namespace cisolve
