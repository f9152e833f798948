// Full CI without a matrix, as users run it.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "backends/backend.hpp"
#include "io/vector_file.hpp"
#include "tests/support/application.hpp"
#include "tests/support/reference_cases.hpp"

namespace cisolve {
namespace {

class Direct : public Application {
 protected:
  nlohmann::json solve(const std::string& arguments) const {
    const Outcome outcome = run("eigen " + arguments + " --operator direct --backend cpu --json -");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(Direct, GivesTheEnergiesOfTheReferences) {
  int cases = 0;
  for (const auto& entry : YAML::LoadFile((test_data() / "references.yaml").string())) {
    const auto file = entry.first.as<std::string>();
    for (const ReferenceCase& c : cases_of(file, entry.second)) {
      if (c.space.max_excitation || file.starts_with("n2_631g") || file.starts_with("ch2") ||
          file.starts_with("h2o")) {
        continue;  // truncated, or of many determinants
      }
      SCOPED_TRACE(file + " " + c.name);
      const std::string irrep = c.space.irrep ? " --irrep " + std::to_string(*c.space.irrep) : "";
      const nlohmann::json found =
          solve(data + file + irrep + " --states " + std::to_string(c.states) + " --verify quick");
      std::vector<double> energies;
      for (const auto& state : found["states"]) energies.push_back(state["energy"].get<double>());
      EXPECT_LE(largest_error(c, energies), 1e-8);
      EXPECT_EQ(found["matrix"]["format"], "direct");
      EXPECT_EQ(found["matrix"]["nonzeros"], nullptr);
      ++cases;
    }
  }
  EXPECT_GE(cases, 8);
}

/// States that are the same but for rounding: energies to 1e-9, all else that is said to 1e-4.
void expect_same(const nlohmann::json& found, const nlohmann::json& expected) {
  EXPECT_NEAR(found["energy"].get<double>(), expected["energy"].get<double>(), 1e-9);
  for (const char* key : {"irrep", "multiplicity", "spin_inversion", "ms2"}) {
    EXPECT_EQ(found[key], expected[key]) << key;
  }
  EXPECT_NEAR(found["s_squared"].get<double>(), expected["s_squared"].get<double>(), 1e-4);
  for (const char* key : {"rank_weights", "natural_occupations"}) {
    ASSERT_EQ(found[key].size(), expected[key].size()) << key;
    for (std::size_t i = 0; i < found[key].size(); ++i) {
      EXPECT_NEAR(found[key][i].get<double>(), expected[key][i].get<double>(), 1e-4) << key;
    }
  }
  ASSERT_FALSE(found["leading"].empty());
  const nlohmann::json &first = found["leading"][0], &other = expected["leading"][0];
  EXPECT_EQ(first["row"], other["row"]);
  EXPECT_EQ(first["occupation"], other["occupation"]);
  EXPECT_NEAR(first["coefficient"].get<double>(), other["coefficient"].get<double>(), 1e-4);
}

// No two states of one irrep and spin have one energy here.
const std::string nh3_states = data + "nh3_sto3g.fcidump --states 4 ";

TEST_F(Direct, SaysOfAllStatesWhatAStoredMatrixDoes) {
  const nlohmann::json direct = solve(nh3_states);
  const nlohmann::json stored = nlohmann::json::parse(
      run("eigen " + nh3_states + "--operator stored --backend cpu --json -").out);
  ASSERT_EQ(direct["states"].size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) expect_same(direct["states"][i], stored["states"][i]);
}

TEST_F(Direct, EvenAndOddStatesTogetherAreAll) {
  const nlohmann::json all = solve(nh3_states);
  nlohmann::json even = solve(nh3_states + "--spin-inversion even"),
                 odd = solve(nh3_states + "--spin-inversion odd");
  EXPECT_EQ(even["matrix"]["rows"].get<int>() + odd["matrix"]["rows"].get<int>(),
            all["matrix"]["rows"].get<int>());
  std::size_t e = 0, o = 0;
  for (const nlohmann::json& state : all["states"]) {
    const bool is_even = state["spin_inversion"] == 1;
    expect_same((is_even ? even : odd)["states"][is_even ? e++ : o++], state);
  }
  EXPECT_GT(e, 0u);
  EXPECT_GT(o, 0u);
}

TEST_F(Direct, FindsStatesOfOneMultiplicity) {
  const nlohmann::json triplets = solve(nh3_states + "--multiplicity 3");
  // The projector is planned for, beside vectors over odd functions.
  const nlohmann::json odd = solve(nh3_states + "--spin-inversion odd");
  EXPECT_EQ(triplets["matrix"]["rows"], odd["matrix"]["rows"]);
  EXPECT_GT(triplets["memory"]["other_vectors"], odd["memory"]["other_vectors"]);
  const nlohmann::json stored = nlohmann::json::parse(
      run("eigen " + nh3_states + "--multiplicity 3 --operator stored --backend cpu --json -").out);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(triplets["states"][i]["multiplicity"], 3);
    EXPECT_NEAR(triplets["states"][i]["energy"].get<double>(),
                stored["states"][i]["energy"].get<double>(), 1e-9);
  }
}

TEST_F(Direct, GoesOnFromAStoredMatrixAndTheOtherWayRound) {
  // The second input has blocks with equally many rows, in another order in the stored matrix.
  for (const std::string& input :
       {nh3_states, data + "h8_chain_sto3g.fcidump --states 4 --ms2 2 "}) {
    SCOPED_TRACE(input);
    const nlohmann::json expected = solve(input);
    for (const std::string first : {"stored", "direct"}) {
      const std::string second = first == "stored" ? "direct" : "stored";
      fs::remove(folder_ / "ck.h5");
      EXPECT_EQ(run("eigen " + input +
                    "--backend cpu --max-iterations 3 --checkpoint ck.h5 --operator " + first)
                    .status,
                2);
      const Outcome rest =
          run("eigen " + input + "--backend cpu --restart ck.h5 --json - --operator " + second);
      ASSERT_EQ(rest.status, 0) << rest.err;
      const nlohmann::json found = nlohmann::json::parse(rest.out);
      for (std::size_t i = 0; i < 4; ++i) expect_same(found["states"][i], expected["states"][i]);
      EXPECT_EQ(found["restart"]["iterations"], 3);
    }
  }
}

/// Strings nearest to the lowest one, of seven electrons in ten orbitals.
std::string listed_strings(std::size_t count) {
  std::vector<std::uint64_t> strings;
  for (std::uint64_t s = 0; s < 1024; ++s) {
    if (std::popcount(s) == 7) strings.push_back(s);
  }
  std::ranges::stable_sort(strings, {}, [](std::uint64_t s) { return std::popcount(s & 896); });
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    for (int p = 9; p >= 0; --p) text += (strings[i] >> p & 1) != 0 ? '1' : '0';
    text += '\n';
  }
  return text;
}

TEST_F(Direct, OverPairsOfListedStringsSaysWhatAStoredMatrixDoes) {
  write("a.txt", listed_strings(70));
  write("b.txt", listed_strings(45));
  for (const std::string more : {"", "--irrep 5 "}) {
    SCOPED_TRACE(more);
    const std::string listed = data + "n2_sto3g.fcidump --strings a.txt,b.txt --states 3 " + more;
    const nlohmann::json direct = solve(listed);
    const nlohmann::json stored = nlohmann::json::parse(
        run("eigen " + listed + "--operator stored --backend cpu --json -").out);
    EXPECT_EQ(direct["matrix"]["format"], "direct");
    EXPECT_EQ(direct["matrix"]["rows"], stored["matrix"]["rows"]);
    ASSERT_EQ(direct["states"].size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(direct["states"][i]["energy"].get<double>(),
                  stored["states"][i]["energy"].get<double>(), 1e-9);
    }
    expect_same(direct["states"][0], stored["states"][0]);
  }
}

TEST_F(Direct, OverPairsOfListedStringsIsTakenWhereAMatrixHasNoRoom) {
  write("a.txt", listed_strings(120));
  const std::string listed =
      data + "n2_sto3g.fcidump --strings a.txt --backend cpu --set solver.p_space=20 --json - ";
  const Outcome outcome = run("eigen " + listed + "--set backend.memory_limit=12MB");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto found = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(found["matrix"]["format"], "direct");
  EXPECT_NE(found["operator"]["reason"].get<std::string>().find("does not fit"), std::string::npos);
}

TEST_F(Direct, OverPairsOfListedStringsIsTheSameOnAGpu) {
  if (!cuda_unavailable_reason().empty()) GTEST_SKIP() << cuda_unavailable_reason();
  write("a.txt", listed_strings(70));
  const std::string listed = data + "n2_sto3g.fcidump --strings a.txt --states 3 ";
  const nlohmann::json expected = solve(listed);
  const Outcome outcome = run("eigen " + listed + "--operator direct --backend cuda --json -");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json found = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(found["matrix"]["format"], "direct");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found["states"][i]["energy"].get<double>(),
                expected["states"][i]["energy"].get<double>(), 1e-9);
  }
  expect_same(found["states"][0], expected["states"][0]);
}

TEST_F(Direct, OverPairsOfListedStringsRefusesOneMultiplicity) {
  write("a.txt", listed_strings(20));
  const Outcome outcome = run("eigen " + data +
                              "n2_sto3g.fcidump --strings a.txt --backend cpu --operator direct "
                              "--multiplicity 1");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "states of one multiplicity need S² as a matrix");
}

TEST_F(Direct, SaysOfOneParityThatTheOthersWereNotSearchedFor) {
  const Outcome odd = run("eigen " + nh3_states + "--backend cpu --spin-inversion odd");
  EXPECT_NE(odd.out.find("no odd states more than"), std::string::npos) << odd.out;
}

TEST_F(Direct, GoesOnWithEvenStatesAlone) {
  const std::string even = nh3_states + "--spin-inversion even ";
  const nlohmann::json expected = solve(even);
  EXPECT_EQ(run("eigen " + even + "--backend cpu --max-iterations 4 --checkpoint even.h5").status,
            2);
  const nlohmann::json found = solve(even + "--restart even.h5");
  for (std::size_t i = 0; i < 4; ++i) expect_same(found["states"][i], expected["states"][i]);
  // Checkpoints lack the residuals' rate, by which polynomials begin.
  EXPECT_NEAR(found["iterations"], expected["iterations"], 2);
  // It is of another matrix than that of all states.
  EXPECT_EQ(run("eigen " + nh3_states + "--backend cpu --operator direct --restart even.h5").status,
            1);
}

TEST_F(Direct, WritesVectorsOverDeterminants) {
  for (const std::string kind :
       {"--operator stored", "--operator direct", "--spin-inversion even"}) {
    const std::string name = kind.back() == 'd' ? "stored" : kind.back() == 't' ? "direct" : "even";
    EXPECT_EQ(run("eigen " + data + "nh3_sto3g.fcidump --backend cpu " + kind +
                  " --set output.vectors=" + name + ".npy")
                  .status,
              0);
  }
  const HostMatrix stored = read_vectors(folder_ / "stored.npy");
  EXPECT_LE((read_vectors(folder_ / "direct.npy") - stored).norm(), 1e-5);
  EXPECT_LE((read_vectors(folder_ / "even.npy") - stored).norm(), 1e-5);
  const nlohmann::json again =
      solve(data + "nh3_sto3g.fcidump --spin-inversion even --restart stored.npy");
  EXPECT_LE(again["iterations"], 2);
}

TEST_F(Direct, WritesVectorsOfTheSameSignWhateverIsAnalysed) {
  const auto vectors = [&](const std::string& flags) {
    EXPECT_EQ(
        run("eigen " + nh3_states + "--backend cpu --force --set output.vectors=x.npy " + flags)
            .status,
        0);
    return read_vectors(folder_ / "x.npy");
  };
  const HostMatrix expected = vectors("--operator stored");
  for (const std::string less : {"", "--leading 0", "--set output.analysis=false"}) {
    const HostMatrix overlaps = expected.transpose() * vectors("--operator direct " + less);
    for (Eigen::Index j = 0; j < 4; ++j) EXPECT_GT(overlaps(j, j), 0.99) << less;
  }
}

TEST_F(Direct, SaysWhatAStateIsAsAStoredMatrixDoes) {
  const std::string input = data + "n2_sto3g.fcidump --states 4 --irrep 0 --backend cpu --json -";
  const auto state_of = [&](const std::string& kind) {
    return nlohmann::json::parse(run("eigen " + input + " --operator " + kind).out)["states"][2];
  };
  const nlohmann::json direct = state_of("direct"), stored = state_of("stored");
  EXPECT_NEAR(direct["energy"].get<double>(), stored["energy"].get<double>(), 1e-10);
  EXPECT_EQ(direct["multiplicity"], stored["multiplicity"]);
  EXPECT_EQ(direct["leading"][0]["occupation"], stored["leading"][0]["occupation"]);
}

TEST_F(Direct, SolvesLinearSystemsOverDeterminantsAsAStoredMatrixDoes) {
  const auto solution = [&](const std::string& arguments) {
    const Outcome outcome =
        run("linear " + arguments +
            " --tolerance 1e-13 --backend cpu --force --vectors x.npy --json r");
    EXPECT_EQ(outcome.status, 0) << arguments << outcome.out << outcome.err;
    return read_vectors(folder_ / "x.npy");
  };
  const auto expect_equal = [&](const std::string& arguments, const std::string& method) {
    const HostMatrix expected = solution(arguments + " --operator stored");
    const HostMatrix found = solution(arguments + " --operator direct" + method);
    ASSERT_EQ(found.rows(), expected.rows());
    EXPECT_LE((found - expected).norm(), 1e-10 * expected.norm()) << arguments << method;
    const nlohmann::json report = json("r");
    EXPECT_EQ(report["matrix"]["format"], "direct");
    EXPECT_EQ(report["operator"]["reason"], "asked for");
  };
  // Below all eigenvalues.
  const std::string nh3 = data + "nh3_sto3g.fcidump --shift -56.5 --rhs ";
  for (const std::string method :
       {"auto", "jor", "srj", "chebyshev_jacobi", "anderson_jacobi", "cg", "minres", "bicgstab",
        "block_jacobi", "block_jacobi --set linear.block_size=30"}) {
    expect_equal(nh3 + "random", " --method " + method);
  }
  // Two columns, a start that is not zero; M_s other than 0, orbitals of two spins, an irrep.
  ASSERT_EQ(run("eigen " + nh3_states + "--backend cpu --vectors start.npy").status, 0);
  ASSERT_EQ(run("linear " + nh3 + "start.npy --backend cpu --vectors four.npy").status, 0);
  expect_equal(nh3 + "four.npy --x0 start.npy", "");
  expect_equal(data + "nh3_sto3g.fcidump --ms2 2 --shift-from-ground -0.7 --rhs unit:7", "");
  expect_equal(data + "o2_sto3g_uhf.fcidump --shift -150 --rhs random", "");
  expect_equal(data + "n2_sto3g.fcidump --irrep 3 --shift -110 --rhs ones", "");
}

TEST_F(Direct, IsTakenForLinearSystemsWhereItIsExpectedToBeFaster) {
  const auto report = [&](const std::string& arguments) {
    const Outcome outcome = run("linear " + arguments + " --backend cpu --json -");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  };
  const std::string system = data + "h2o_631g_frozen_core.fcidump --shift -80 --tolerance 1e-6";
  const nlohmann::json found = report(system);
  EXPECT_EQ(found["matrix"]["format"], "direct");
  EXPECT_NE(found["operator"]["reason"].get<std::string>().find("s expected"), std::string::npos);
  EXPECT_EQ(report(data + "nh3_sto3g.fcidump --space cisd --shift -60")["operator"], nullptr);
  expect_says(run("linear " + data + "nh3_sto3g.fcidump --spin-inversion even"),
              "a linear system is over all determinants");
}

TEST_F(Direct, IsRefusedWhereThereAreNoDirectProducts) {
  const auto complaint = [&](const std::string& arguments) {
    const Outcome outcome = run("eigen " + arguments + " --operator direct --backend cpu");
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    return outcome.err;
  };
  const std::string nh3 = data + "nh3_sto3g.fcidump";
  EXPECT_NE(complaint(nh3 + " --space cisd").find("full CI"), std::string::npos);
  EXPECT_NE(complaint(nh3 + " --spin-inversion even --multiplicity 3").find("such states are odd"),
            std::string::npos);
  EXPECT_NE(complaint(nh3 + " --ms2 2 --spin-inversion odd").find("M_s = 0"), std::string::npos);
  EXPECT_NE(
      complaint(data + "o2_sto3g_uhf.fcidump --ms2 0 --spin-inversion odd").find("restricted"),
      std::string::npos);
  EXPECT_NE(complaint(nh3 + " --format csr").find("--format"), std::string::npos);
  EXPECT_NE(complaint("generate:ci,rows=100").find("integrals"), std::string::npos);
}

}  // namespace
}  // namespace cisolve
