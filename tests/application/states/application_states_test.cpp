// The states in the report of `eigen`.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "io/vector_file.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

double sum(const nlohmann::json& list) {
  const auto values = list.get<std::vector<double>>();
  return std::accumulate(values.begin(), values.end(), 0.0);
}

class States : public Application {
 protected:
  nlohmann::json eigen(const std::string& arguments) const {
    const Outcome outcome =
        run("eigen " + arguments + " --backend cpu --set solver.p_space=100 --json r.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json("r.json");
  }
  nlohmann::json report(const std::string& file, const std::string& arguments) const {
    return eigen(data + file + " " + arguments);
  }
};

TEST_F(States, SpinsAreThoseOfTheReferences) {
  const YAML::Node all = YAML::LoadFile(data + "references.yaml");
  const auto check = [&](const std::string& file, const char* key, const char* arguments) {
    const auto expected = all[file][key].as<std::vector<double>>();
    const nlohmann::json states =
        report(file, arguments + (" --states " + std::to_string(expected.size())))["states"];
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(states[i]["s_squared"].get<double>(), expected[i], 1e-6) << file << i;
      EXPECT_EQ(states[i]["multiplicity"], expected[i] == 0.0 ? 1 : 3) << file << i;
    }
  };
  check("nh3_sto3g.fcidump", "s_squared", "");
  check("lih_ccpvdz.fcidump", "a1_s_squared", "--irrep 0");
}

TEST_F(States, AreLabelledByTheirIrrep) {
  ASSERT_EQ(run("eigen " + data + "n2_sto3g.fcidump --states 4 --backend cpu --json r.json").status,
            0);
  std::vector<int> irreps;
  const auto all = json("r.json")["states"];
  for (const auto& state : all) {
    irreps.push_back(state["irrep"]);
    EXPECT_EQ(state["ms2"], 0);
  }
  EXPECT_EQ(irreps[0], 0);          // the ground state is totally symmetric
  EXPECT_NE(irreps[1], irreps[2]);  // the two of a degenerate level are not
  // Each is found alone where its irrep is asked for.
  for (std::size_t i = 0; i < all.size(); ++i) {
    run("eigen " + data + "n2_sto3g.fcidump --states 4 --backend cpu --json one.json --irrep " +
        std::to_string(irreps[i]));
    const auto alone = json("one.json")["states"];
    bool found = false;
    for (const auto& state : alone) {
      found =
          found || std::abs(state["energy"].get<double>() - all[i]["energy"].get<double>()) < 1e-8;
    }
    EXPECT_TRUE(found) << i;
  }
  // nh3 is without symmetry.
  run("eigen " + data + "nh3_sto3g.fcidump --backend cpu --json r.json");
  EXPECT_TRUE(json("r.json")["states"][0]["irrep"].is_null());
}

TEST_F(States, DegenerateLevelsAreOfOneSpin) {
  // Beryllium: 1S, then 3P and 1P, each three times.
  const nlohmann::json states = report("be_ccpvdz.fcidump", "--states 7")["states"];
  const std::vector<int> expected{1, 3, 3, 3, 1, 1, 1};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(states[i]["multiplicity"], expected[i]) << i;
    EXPECT_LE(states[i]["residual_norm"].get<double>(), 1e-6);
    EXPECT_NEAR(sum(states[i]["rank_weights"]), 1.0, 1e-12);
    EXPECT_NEAR(sum(states[i]["natural_occupations"]), 4.0, 1e-10);
  }
}

TEST_F(States, SingletsAndTripletsOfOneEnergyComeApart) {
  const nlohmann::json states = eigen("generate:hubbard,sites=4,U=0 --states 4")["states"];
  std::vector<int> multiplicities;
  for (const nlohmann::json& state : states) {
    EXPECT_NEAR(state["energy"].get<double>(), -4.0, 1e-10);
    multiplicities.push_back(state["multiplicity"].is_null() ? 0
                                                             : state["multiplicity"].get<int>());
  }
  std::ranges::sort(multiplicities);
  EXPECT_EQ(multiplicities, (std::vector{1, 1, 1, 3}));
}

TEST_F(States, TheHighestMsOfATripletHasItsSpin) {
  const nlohmann::json state = report("nh3_sto3g.fcidump", "--ms2 2")["states"][0];
  EXPECT_NEAR(state["s_squared"].get<double>(), 2.0, 1e-9);
  EXPECT_EQ(state["multiplicity"], 3);
}

TEST_F(States, UnrestrictedOrbitalsHaveNoSpinAndTheReportSaysWhy) {
  const nlohmann::json r = report("o2_sto3g_uhf.fcidump", "");
  const nlohmann::json& state = r["states"][0];
  EXPECT_TRUE(state.at("s_squared").is_null());
  EXPECT_TRUE(state.at("multiplicity").is_null());
  EXPECT_TRUE(state.at("natural_occupations").is_null());
  EXPECT_NEAR(sum(state["rank_weights"]), 1.0, 1e-12);
  EXPECT_EQ(state["leading"][0]["excitation"], "reference");
  bool said = false;
  for (const nlohmann::json& note : r["notes"]) {
    said = said || note.get<std::string>().find("unrestricted") != std::string::npos;
  }
  EXPECT_TRUE(said) << r["notes"];
}

TEST_F(States, EnergiesAreGivenForPeople) {
  const nlohmann::json r = report("nh3_sto3g.fcidump", "--states 2");
  const double hartree = 55.5192190010 - 55.0386430072;
  EXPECT_NEAR(r["states"][1]["excitation_ev"].get<double>(), hartree * 27.211386245988, 1e-7);
  EXPECT_NEAR(r["states"][1]["excitation_cm1"].get<double>(), hartree * 219474.63136320, 1e-3);
  EXPECT_EQ(r["states"][0]["excitation_ev"], 0.0);
  EXPECT_EQ(r["reference"]["occupation"], "22222000");
  EXPECT_NEAR(r["reference"]["energy"].get<double>() + r["correlation_energy"].get<double>(),
              -55.5192190010, 1e-9);
  EXPECT_LT(r["correlation_energy"].get<double>(), -0.01);
}

TEST_F(States, CorrelationIsOfTheLowestStateWithTheReferencesSpinAndIrrep) {
  // Methylene: the closed-shell reference lies above a triplet ground state of another irrep.
  const nlohmann::json r = report("ch2_631g.fcidump", "--space cisd --frozen 1 --states 3");
  EXPECT_EQ(r["states"][0]["multiplicity"], 3);
  EXPECT_EQ(r["reference"]["multiplicity"], 1);
  EXPECT_EQ(r["correlation_state"], 2);
  EXPECT_EQ(r["states"][1]["multiplicity"], 1);
  EXPECT_EQ(r["states"][1]["irrep"], r["reference"]["irrep"]);
  EXPECT_NEAR(r["correlation_energy"].get<double>(),
              r["states"][1]["energy"].get<double>() - r["reference"]["energy"].get<double>(),
              1e-11);
  EXPECT_FALSE(r.contains("correlation_reason"));

  // At M_s = 1 the reference is the triplet's, and of its irrep.
  const nlohmann::json triplet = report("ch2_631g.fcidump", "--space cisd --frozen 1 --ms2 2");
  EXPECT_EQ(triplet["reference"]["multiplicity"], 3);
  EXPECT_EQ(triplet["correlation_state"], 1);
}

TEST_F(States, AStateOfTheReferencesSpinButAnotherIrrepHasNoCorrelationEnergy) {
  const nlohmann::json r = report("n2_sto3g.fcidump", "--space cis --ms2 2");
  EXPECT_EQ(r["states"][0]["multiplicity"], r["reference"]["multiplicity"]);
  EXPECT_NE(r["states"][0]["irrep"], r["reference"]["irrep"]);
  EXPECT_TRUE(r.at("correlation_energy").is_null());
}

TEST_F(States, CorrelationOfAHighSpinReferenceIsGivenWhereItsSpaceMixesSpins) {
  const nlohmann::json r = report("h8_chain_sto3g.fcidump", "--space cisd --ms2 2");
  EXPECT_EQ(r["reference"]["multiplicity"], 3);
  EXPECT_TRUE(r["states"][0]["multiplicity"].is_null());
  EXPECT_EQ(r["correlation_state"], 1);
  EXPECT_LT(r["correlation_energy"].get<double>(), -0.01);
}

TEST_F(States, WithoutAStateOfTheReferencesSpinAndIrrepThereIsNoCorrelationEnergy) {
  const std::string none = "no state found has the reference's spin and irrep";
  for (const char* arguments : {"--multiplicity 3", "--multiplicity 3 --states 2"}) {
    const nlohmann::json r = report("nh3_sto3g.fcidump", arguments);
    EXPECT_TRUE(r.at("correlation_energy").is_null());
    EXPECT_TRUE(r.at("correlation_state").is_null());
    EXPECT_EQ(r["correlation_reason"], none);
  }
  const Outcome text = run("eigen " + data + "nh3_sto3g.fcidump --multiplicity 3 --backend cpu");
  EXPECT_NE(text.out.find("Hartree; no correlation energy: " + none), std::string::npos)
      << text.out;
  EXPECT_EQ(text.out.find("correlation energy 0"), std::string::npos);
}

TEST_F(States, UnrestrictedOrbitalsHaveACorrelationEnergyByIrrep) {
  const nlohmann::json r = report("o2_sto3g_uhf.fcidump", "");
  EXPECT_TRUE(r["reference"].at("multiplicity").is_null());
  EXPECT_EQ(r["states"][0]["irrep"], r["reference"]["irrep"]);
  EXPECT_EQ(r["correlation_state"], 1);
  EXPECT_LT(r["correlation_energy"].get<double>(), 0.0);
}

TEST_F(States, AReferenceOutsideTheSpaceHasNoEnergy) {
  const nlohmann::json r = report("lih_ccpvdz.fcidump", "--irrep 1 --space cisd");
  EXPECT_TRUE(r["reference"].at("energy").is_null());
  EXPECT_TRUE(r.at("correlation_energy").is_null());
  EXPECT_EQ(r["states"][0]["rank_weights"][0], 0.0);
}

TEST_F(States, LeadingDeterminantsAreNamedInTheFilesOrbitals) {
  const nlohmann::json r = report("nh3_sto3g.fcidump", "--frozen 1 --active 2-7 --leading 3");
  const nlohmann::json& leading = r["states"][0]["leading"];
  ASSERT_EQ(leading.size(), 3u);
  EXPECT_EQ(leading[0]["occupation"], "22222000");
  EXPECT_EQ(leading[0]["excitation"], "reference");
  EXPECT_EQ(leading[0]["rank"], 0);
  EXPECT_GT(leading[0]["coefficient"].get<double>(), 0.9);
  EXPECT_EQ(leading[1]["rank"], 2);
  EXPECT_EQ(leading[1]["occupation"].get<std::string>().front(), '2');
  EXPECT_EQ(leading[1]["occupation"].get<std::string>().back(), '0');
  EXPECT_GE(std::abs(leading[1]["coefficient"].get<double>()),
            std::abs(leading[2]["coefficient"].get<double>()));
  EXPECT_NEAR(sum(r["states"][0]["natural_occupations"]), 8.0, 1e-10);
}

TEST_F(States, TheLargestCoefficientIsPositiveInTheVectorsToo) {
  // The lowest state of irrep 1 has a pair of equal coefficients.
  const nlohmann::json r =
      report("lih_ccpvdz.fcidump", "--space cisd --irrep 1 --set output.vectors=v.npy");
  const HostMatrix v = read_vectors(folder_ / "v.npy");
  const nlohmann::json& leading = r["states"][0]["leading"];
  for (const nlohmann::json& entry : leading) {
    EXPECT_NEAR(v(entry["row"].get<int>() - 1, 0), entry["coefficient"].get<double>(), 1e-14);
  }
  EXPECT_GT(leading[0]["coefficient"].get<double>(), 0.0);
  EXPECT_NEAR(v.cwiseAbs().maxCoeff(), leading[0]["coefficient"].get<double>(), 1e-6);

  write_pair();  // eigenvector (1, -1)/sqrt(2) of value 1: of equal ones the first is positive
  eigen("pair.mtx --set output.vectors=v.npy");
  const HostMatrix x = read_vectors(folder_ / "v.npy");
  EXPECT_NEAR(x(0, 0), std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(x(1, 0), -std::sqrt(0.5), 1e-9);
}

TEST_F(States, MatricesHaveLeadingRowsAlone) {
  write("m.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 5\n2 2 1\n3 3 1\n3 2 -2\n");
  const nlohmann::json r = eigen("m.mtx --states 2");
  const nlohmann::json& state = r["states"][0];
  ASSERT_EQ(state["leading"].size(), 2u);
  EXPECT_EQ(state["leading"][0]["row"], 2);
  EXPECT_EQ(state["leading"][1]["row"], 3);
  EXPECT_NEAR(state["leading"][1]["coefficient"].get<double>(), std::sqrt(0.5), 1e-9);
  EXPECT_FALSE(state["leading"][0].contains("occupation"));
  EXPECT_FALSE(state.contains("s_squared"));
  EXPECT_FALSE(r.contains("reference"));
  EXPECT_NEAR(r["states"][1]["excitation"].get<double>(), 4.0, 1e-6);
  EXPECT_TRUE(r["states"][1]["excitation_ev"].is_null());
}

TEST_F(States, TheAnalysisCanBeLeftOut) {
  const nlohmann::json r = report("nh3_sto3g.fcidump", "--set output.analysis=false");
  EXPECT_FALSE(r["states"][0].contains("s_squared"));
  EXPECT_FALSE(r["states"][0].contains("leading"));
  EXPECT_TRUE(r["states"][0].contains("excitation_ev"));
  EXPECT_TRUE(r.at("correlation_energy").is_null());
  EXPECT_EQ(r["correlation_reason"],
            "the states were not analysed, their spins and irreps are not known");
}

/// Ammonia has three vacant orbitals, so at most six electrons leave the reference.
TEST_F(States, OfARankOfExcitationLieBetweenThoseOfTheRanksBesideIt) {
  const auto energy = [&](const std::string& space) {
    return report("nh3_sto3g.fcidump", "--space " + space)["states"][0]["energy"].get<double>();
  };
  EXPECT_EQ(energy("2"), energy("cisd"));
  const double quadruples = energy("cisdtq"), quintuples = energy("5"), full = energy("fci");
  EXPECT_LT(quintuples, quadruples - 1e-8);
  EXPECT_GT(quintuples, full + 1e-9);
  EXPECT_NEAR(energy("6"), full, 1e-10);
  const Outcome outcome = run("eigen " + data + "nh3_sto3g.fcidump --space singles");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "cisdtq, or a rank of excitation");
}

TEST_F(States, TheTextSaysTheSame) {
  const Outcome outcome = run("eigen " + data + "nh3_sto3g.fcidump --states 2 --backend cpu");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"2S+1", "<S^2>", "/ cm^-1", "22222000  reference", "natural occupations",
                           "correlation energy -0.", "weights of ranks"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
  }
}

}  // namespace
}  // namespace cisolve
