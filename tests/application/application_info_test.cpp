// `cisolve info`: regions, orbitals, the picture, sizes of spaces, settings.
#include <map>
#include <regex>

#include "io/matrix_file.hpp"
#include "tests/support/application.hpp"
#include "tests/support/markup.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

class InfoApplication : public Application {
 protected:
  InfoApplication() {
    write_npz(testing::matrix_of_rows(70, 50, [](Index i) { return std::vector<Index>{i % 50}; }),
              folder_ / "a.npz");
  }
};

TEST_F(InfoApplication, RegionsOfTheHybridFormatByColumnAndByCount) {
  write("a.mtx",
        "%%MatrixMarket matrix coordinate real general\n3 4 7\n"
        "1 1 1\n1 2 1\n1 4 1\n2 3 1\n2 4 1\n3 1 1\n3 2 1\n");
  const std::string info = "info a.mtx --json r.json --set spmv.boundary.by=";
  ASSERT_EQ(run(info + "column --set spmv.boundary.value=2").status, 0);
  nlohmann::json report = json("r.json");
  EXPECT_EQ(report["boundary"],
            nlohmann::json({{"by", "column"}, {"value", 2}, {"chosen", false}, {"width", 2}}));
  EXPECT_EQ(report["matrix"]["density"], 7.0 / 12);
  EXPECT_EQ(report["matrix"]["sparsity"], 5.0 / 12);
  EXPECT_EQ(report["regions"]["reference"], nlohmann::json({{"rows", 3},
                                                            {"columns", 2},
                                                            {"nonzeros", 4},
                                                            {"row_minimum", 0},
                                                            {"row_mean", 4.0 / 3},
                                                            {"row_maximum", 2},
                                                            {"longest_row", 1},
                                                            {"density", 4.0 / 6},
                                                            {"sparsity", 2.0 / 6}}));
  EXPECT_EQ(report["regions"]["expansion"], nlohmann::json({{"rows", 3},
                                                            {"columns", 2},
                                                            {"nonzeros", 3},
                                                            {"row_minimum", 0},
                                                            {"row_mean", 1.0},
                                                            {"row_maximum", 2},
                                                            {"longest_row", 2},
                                                            {"density", 3.0 / 6},
                                                            {"sparsity", 3.0 / 6}}));

  ASSERT_EQ(run(info + "count --set spmv.boundary.value=1").status, 0);
  report = json("r.json");
  EXPECT_EQ(report["boundary"]["width"], 1);
  EXPECT_EQ(report["regions"]["reference"]["nonzeros"], 3);
  EXPECT_EQ(report["regions"]["reference"]["density"], 1.0);
  EXPECT_EQ(report["regions"]["expansion"]["nonzeros"], 4);
  EXPECT_EQ(report["regions"]["expansion"]["row_maximum"], 2);
  EXPECT_EQ(report["regions"]["expansion"]["longest_row"], 1);
  EXPECT_EQ(report["regions"]["expansion"]["density"], 4.0 / 9);

  // A region without columns has no density; chosen by itself, such a short boundary is 0.
  const Outcome outcome = run("info a.mtx --json r.json");
  ASSERT_EQ(outcome.status, 0);
  report = json("r.json");
  EXPECT_EQ(report["boundary"],
            nlohmann::json({{"by", "count"}, {"value", 0}, {"chosen", true}, {"width", 0}}));
  EXPECT_TRUE(report["regions"]["reference"]["density"].is_null());
  EXPECT_EQ(report["regions"]["expansion"]["density"], 7.0 / 12);
  EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << outcome.out;
}

TEST_F(InfoApplication, FeaturesAsNumbersAndAsText) {
  write("a.mtx",
        "%%MatrixMarket matrix coordinate real general\n2 5 4\n1 2 1\n1 3 1\n1 5 1\n2 1 1\n");
  const Outcome outcome = run("info a.mtx --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json("r.json")["features"], nlohmann::json({{"m", 2},
                                                        {"n", 5},
                                                        {"nnz", 4},
                                                        {"density", 0.4},
                                                        {"mean", 2},
                                                        {"sd", 1},
                                                        {"var", 1},
                                                        {"max", 3},
                                                        {"maxavg", 1},
                                                        {"distavg", 1.5},
                                                        {"clusteravg", 4.0 / 3},
                                                        {"ndiag", 4},
                                                        {"diagfill", 2},
                                                        {"fill", 1.5}}));
  EXPECT_NE(outcome.out.find("\ndensity                     0.4   -0.3979\n"), std::string::npos)
      << outcome.out;
}

TEST_F(InfoApplication, MatricesWithoutRowsAreRefused) {
  for (const char* size : {"0 0 0", "0 3 0", "3 0 0"}) {
    write("z.mtx", std::string("%%MatrixMarket matrix coordinate real general\n") + size + "\n");
    const Outcome outcome = run("info z.mtx --picture p.png --dump d");
    EXPECT_EQ(outcome.status, 1) << size;
    expect_says(outcome, "z.mtx");
  }
  EXPECT_FALSE(fs::exists(folder_ / "p.png"));
  EXPECT_FALSE(fs::exists(folder_ / "d"));
}

TEST_F(InfoApplication, OrbitalsByIrrepAndTheirEnergies) {
  Outcome outcome = run("info " + data + "lih_ccpvdz.fcidump --space cis --json r.json");
  ASSERT_EQ(outcome.status, 0);
  nlohmann::json fcidump = json("r.json")["fcidump"];
  int orbitals = 0;
  for (const int count : fcidump["orbitals_of_irrep"]) orbitals += count;
  EXPECT_EQ(orbitals, 19);
  EXPECT_EQ(fcidump["orbital_energies"].size(), 19u);
  EXPECT_FALSE(fcidump.contains("orbital_energies_beta"));
  EXPECT_NE(outcome.out.find("\nirreps          0: "), std::string::npos) << outcome.out;

  outcome = run("info " + data + "o2_sto3g_uhf.fcidump --space cis --json r.json");
  ASSERT_EQ(outcome.status, 0);
  fcidump = json("r.json")["fcidump"];
  EXPECT_EQ(fcidump["orbital_energies"].size(), 10u);
  EXPECT_EQ(fcidump["orbital_energies_beta"].size(), 10u);
  EXPECT_NE(outcome.out.find("orbital energies beta / Hartree"), std::string::npos);

  // Named by the point group, and without energies.
  write("c2v.fcidump",
        "&FCI NORB=3,NELEC=2,ORBSYM=1,3,1,PNTGRP='C2v' &END\n-1 1 1 0 0\n-1 2 2 0 0\n"
        "-1 3 3 0 0\n0 0 0 0 0\n");
  outcome = run("info c2v.fcidump");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\nirreps          A1: 2, B2: 1\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("orbital energies"), std::string::npos) << outcome.out;
}

TEST_F(InfoApplication, ReferenceDeterminantItsEnergyAndOrbitals) {
  // Canonical orbitals of a closed shell: the file's energies are its Fock operator's.
  Outcome outcome = run("info " + data + "nh3_sto3g.fcidump --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  nlohmann::json report = json("r.json");
  nlohmann::json reference = report["reference"];
  EXPECT_EQ(reference["occupation"], "22222000");
  EXPECT_EQ(reference["by"], "orbital energies of the file");
  double last = -1e9;
  for (const nlohmann::json& orbital : reference["orbitals"]) {
    const double energy = orbital["energy_alpha"];
    EXPECT_GE(energy, last);
    last = energy;
    const int p = orbital["orbital"];
    EXPECT_NEAR(energy, report["fcidump"]["orbital_energies"][p - 1].get<double>(), 1e-6);
    EXPECT_EQ(orbital["alpha"], p <= 5 ? 1 : 0);
  }
  EXPECT_NE(outcome.out.find("\nreference       22222000, lowest orbital energies of the file\n"),
            std::string::npos)
      << outcome.out;

  // Values by hand: two electrons in the second orbital, E = 0.5 + 2 · (−2) + 0.25; the first is
  // above.
  write("c2v.fcidump",
        "&FCI NORB=2,NELEC=2,ORBSYM=1,3,PNTGRP='C2v' &END\n0.75 1 1 1 1\n0.25 2 2 2 2\n"
        "0.5 2 2 1 1\n0.125 2 1 2 1\n-1 1 1 0 0\n-2 2 2 0 0\n0.5 0 0 0 0\n");
  outcome = run("info c2v.fcidump --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  reference = json("r.json")["reference"];
  EXPECT_EQ(reference["occupation"], "02");
  EXPECT_EQ(reference["by"], "diagonal of the Fock operator");
  EXPECT_EQ(reference["energy"], -3.25);
  EXPECT_EQ(reference["irrep_name"], "A1");
  EXPECT_EQ(reference["orbitals"][0], nlohmann::json({{"orbital", 2},
                                                      {"irrep", "B2"},
                                                      {"alpha", 1},
                                                      {"beta", 1},
                                                      {"energy_alpha", -1.75},
                                                      {"energy_beta", -1.75}}));
  EXPECT_EQ(reference["orbitals"][1]["energy_alpha"], -0.125);  // −1 + 2 · 0.5 − 0.125

  // Frozen orbitals are part of the determinant and of its energy, and no longer listed.
  const double energy = report["reference"]["energy"];
  ASSERT_EQ(run("info " + data + "nh3_sto3g.fcidump --freeze 1 --json r.json").status, 0);
  reference = json("r.json")["reference"];
  EXPECT_EQ(reference["occupation"], "22222000");
  EXPECT_NEAR(reference["energy"].get<double>(), energy, 1e-10);
  EXPECT_EQ(reference["orbitals"].size(), 7u);
  EXPECT_EQ(reference["orbitals"][0]["orbital"], 2);

  // Spins apart.
  outcome = run("info " + data + "o2_sto3g_uhf.fcidump --space cis --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json orbital = json("r.json")["reference"]["orbitals"][0];
  EXPECT_NE(orbital["energy_alpha"], orbital["energy_beta"]);
  EXPECT_NE(outcome.out.find("Hartree, alpha and beta\n"), std::string::npos) << outcome.out;
}

TEST_F(InfoApplication, PictureIsAPngOfTheSizeItSays) {
  ASSERT_EQ(run("info a.npz --picture p.png --pixels 35 --json r.json").status, 0);
  EXPECT_EQ(json("r.json")["picture"],
            nlohmann::json({{"file", "p.png"}, {"width", 25}, {"height", 35}}));
  EXPECT_TRUE(contents(folder_ / "p.png").starts_with("\x89PNG\r\n"));
  EXPECT_EQ(run("info a.npz --picture absent/p.png").status, 1);
  EXPECT_EQ(run("info a.npz --pixels 35").status, 1);
}

TEST_F(InfoApplication, PictureAsSvgIsThePngBetweenNumbersOfRowsAndColumns) {
  ASSERT_EQ(run("info generate:banded,rows=300 --picture p.png --pixels 600").status, 0);
  ASSERT_EQ(run("info generate:banded,rows=300 --picture p.svg --pixels 600 --json r.json").status,
            0);
  EXPECT_EQ(json("r.json")["picture"],
            nlohmann::json({{"file", "p.svg"}, {"width", 600}, {"height", 600}}));
  const std::string picture = contents(folder_ / "p.svg");
  EXPECT_EQ(markup_problem(picture), "");
  const std::string base64 = shell("base64 -w 0 p.png").out;
  EXPECT_EQ(occurrences(picture, "base64," + base64 + "\""), 1u);
  // Row and column 100 of 300 are at 199 of 600 pixels.
  const auto place = [&](const char* pattern) {
    std::smatch found;
    return std::regex_search(picture, found, std::regex(pattern)) ? std::stod(found[1]) : -1.0;
  };
  const double left = place(R"re(<image x="([0-9.]+)")re");
  const double top = place(R"re(<image x="[0-9.]+" y="([0-9.]+)")re");
  EXPECT_NEAR(place(R"re(x="([0-9.]+)" y="[0-9.]+" text-anchor="middle">100<)re"), left + 199, 0.1);
  EXPECT_NEAR(place(R"re(y="([0-9.]+)" text-anchor="end">100<)re"), top + 199 + 4, 0.1);
  write("notes.svg", "mine\n");
  EXPECT_EQ(run("info generate:banded,rows=300 --picture notes.svg").status, 1);
}

TEST_F(InfoApplication, SizesOfSpacesAreToldWhateverTheyAre) {
  const Outcome outcome = run("info " + data + "n2_631g_frozen_core.fcidump --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("2,388,528"), std::string::npos) << outcome.out;
  const auto report = json("r.json");
  EXPECT_FALSE(report.contains("matrix"));
  // The reason why is said last, where it is read.
  EXPECT_GT(outcome.out.find("\nnote            the matrix, of about"),
            outcome.out.find("2,388,528"));
  EXPECT_EQ(report["spaces"][0]["determinants"], 19079424.0);
  EXPECT_EQ(report["spaces"][1]["irrep"], 0);
  EXPECT_EQ(report["spaces"][1]["determinants"], 2388528.0);
  // The matrix over them has 1.38e9 nonzeros.
  EXPECT_NEAR(report["spaces"][1]["nonzeros"].get<double>(), 1.38e9, 0.15e9);
}

TEST_F(InfoApplication, SettingsAreThoseThatASolveTakes) {
  const std::string input = data + "h2o_631g_frozen_core.fcidump --backend cpu --json r.json";
  const Outcome outcome = run("info " + input + " --threads 1 --set solver.states=9");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\n--tolerance                       1e-06 Hartree  "),
            std::string::npos)
      << outcome.out;
  std::map<std::string, std::string> told;
  const auto report = json("r.json");
  for (const auto& one : report["settings"]) told[one["key"]] = one["value"];
  EXPECT_EQ(told["solver.states"], "9");
  EXPECT_EQ(told["solver.guard"], "3");  // a quarter of the states
  EXPECT_EQ(told["backend.name"], "cpu");
  EXPECT_EQ(told["backend.threads"], "1");
  const std::string solve = "eigen " + input + " --states 9 --max-iterations 1 --verify off";
  ASSERT_EQ(run(solve).status, 2);
  EXPECT_EQ(told["solver.max_basis"], json("r.json")["memory"]["basis_vectors"].dump());
}

TEST_F(InfoApplication, SettingsAreLeftOutWhereThereAreNoEigenstates) {
  ASSERT_EQ(run("info a.npz --json r.json").status, 0);  // 70 x 50
  EXPECT_FALSE(json("r.json").contains("settings"));
  ASSERT_EQ(run("info generate:hubbard,sites=2 --set solver.states=9 --json r.json").status, 0);
  EXPECT_FALSE(json("r.json").contains("settings"));
  ASSERT_EQ(run("info generate:hubbard,sites=2 --json r.json").status, 0);
  EXPECT_EQ(json("r.json")["settings"][1]["value"], "1e-06 of the scale");
}

TEST_F(InfoApplication, BytesWithoutAMatrixAreThoseThatASolvePlans) {
  const std::string water = data + "h2o_631g_frozen_core.fcidump --json r.json";
  ASSERT_EQ(run("info " + water).status, 0);
  EXPECT_EQ(run("info " + water).status, 0);  // a report that has no matrix is one all the same
  const double told = json("r.json")["spaces"][0]["bytes"]["direct"];
  ASSERT_EQ(
      run("eigen " + water + " --operator direct --backend cpu --max-iterations 1 --verify off")
          .status,
      2);
  const auto memory = json("r.json")["memory"];
  const double planned =
      memory["basis_bytes"].get<double>() + memory["other_vectors"].get<double>();
  EXPECT_NEAR(told, planned, 0.05 * planned);
}

}  // namespace
}  // namespace cisolve
