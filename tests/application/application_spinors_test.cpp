// FCIDUMP files of complex integrals and complex matrices, as users of the program meet them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/application.hpp"
#include "tests/support/archive.hpp"

namespace cisolve {
namespace {

using Complex = std::complex<double>;

/// Energies (Hartree) of tests/data/spinors/h2o_x2c_10e14s.fcidump.gz, from dense and ARPACK
/// diagonalisation of matrices built by other programs.
const std::vector<double> water{-75.0519982168, -74.6546043292, -74.6546041242, -74.6546036568,
                                -74.5950390816, -74.5508189520, -74.5508183291, -74.5508174466,
                                -74.5485807220, -74.5485778660, -74.5485776104, -74.5113850856};

class SpinorApplication : public Application {
 protected:
  nlohmann::json report(const std::string& arguments) const {
    const Outcome outcome = run(arguments + " --backend cpu --force --json r.json");
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
    return outcome.status == 0 ? json("r.json") : nlohmann::json();
  }
  double energy(const std::string& flags) const {
    return report(eigen + flags)["states"][0]["energy"];
  }
  void expect_refused(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, words);
  }
  const std::string file = data + "spinors/h2o_x2c_10e14s.fcidump.gz ";
  const std::string eigen = "eigen " + file;
  const std::string fluorine = data + "spinors/f_atom_kramers_7e16s.fcidump.gz ";
  const std::string core = "--frozen 1,2 --active 3-13";
};

TEST_F(SpinorApplication, EnergiesAreThoseOfOtherPrograms) {
  const nlohmann::json r = report(eigen + "--states 12 --verify thorough");
  EXPECT_EQ(r["summary"], "converged, verified");
  EXPECT_EQ(r["units"], "hartree");
  for (std::size_t i = 0; i < water.size(); ++i) {
    EXPECT_NEAR(r["states"][i]["energy"], water[i], 1e-9) << i;
  }
  EXPECT_EQ(r["matrix"]["elements"], "complex");
  EXPECT_EQ(r["matrix"]["rows"], 1001);
  EXPECT_EQ(r["matrix"]["nonzeros"], 311311);
}

TEST_F(SpinorApplication, ASolveBeginsFromComplexVectors) {
  const std::string solve = eigen + "--states 4 --set solver.p_space=1 ";
  for (const std::string name : {"v.npy", "v.npz"}) {
    EXPECT_GT(report(solve + "--vectors " + name)["iterations"], 5);
    const nlohmann::json r = report(solve + "--restart " + name);
    EXPECT_LE(r["iterations"], 1) << name;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(r["states"][i]["energy"], water[i], 1e-9);
  }
  write(
      "r.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1001 1001 1001\n" + [] {
        std::string entries;
        for (int i = 1; i <= 1001; ++i) {
          entries += std::to_string(i) + " " + std::to_string(i) + " " + std::to_string(i) + "\n";
        }
        return entries;
      }());
  expect_refused("eigen r.mtx --restart v.npy", "found complex vectors, expected real ones");
}

/// States 2 to 4 are closer to each other than the tolerance: fewer of them are asked for nowhere.
TEST_F(SpinorApplication, EveryMethodFindsLevelsWhole) {
  for (const std::string method : {"davidson", "lobpcg", "lanczos"}) {
    for (const std::size_t states : {1, 4, 5, 8, 11, 12}) {
      const nlohmann::json r = report(eigen + "--verify thorough --method " + method +
                                      " --states " + std::to_string(states));
      EXPECT_TRUE(r["verified"]) << method << ", " << states;
      for (std::size_t i = 0; i < states; ++i) {
        EXPECT_NEAR(r["states"][i]["energy"], water[i], 1e-9) << method << ", " << states;
      }
    }
  }
}

TEST_F(SpinorApplication, PackedHasTheEnergiesInAThirdOfTheBytes) {
  const nlohmann::json r = report(eigen + "--states 4 --format packed");
  EXPECT_EQ(r["matrix"]["format"], "packed");
  EXPECT_TRUE(r["verified"]);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(r["states"][i]["energy"], water[i], 1e-9) << i;
  const nlohmann::json csr = report(eigen + "--format csr");
  EXPECT_LT(3 * r["matrix"]["bytes"].get<std::int64_t>(),
            csr["matrix"]["bytes"].get<std::int64_t>());
  expect_refused("convert " + file + "w.h5 --format packed",
                 "a packed file: the elements are complex, expected real ones");
}

TEST_F(SpinorApplication, HalfTheMatrixHasTheEnergies) {
  const nlohmann::json r = report(eigen + "--states 4 --format csr_symmetric");
  EXPECT_EQ(r["matrix"]["format"], "csr_symmetric");
  EXPECT_TRUE(r["verified"]);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(r["states"][i]["energy"], water[i], 1e-9) << i;
  EXPECT_EQ(r["matrix"]["bytes"], 20 * (311311 + 1001) / 2 + 8 * 1002);
}

TEST_F(SpinorApplication, LeadingRowsHaveOccupationsAndComplexCoefficients) {
  const nlohmann::json r = report(eigen + "--states 2");
  EXPECT_EQ(r["states"][0]["leading"][0]["occupation"], "11111111110000");
  for (const nlohmann::json& row : r["states"][1]["leading"]) {
    const std::string occupation = row["occupation"];
    EXPECT_EQ(std::ranges::count(occupation, '1'), 10);
    EXPECT_EQ(occupation.size(), 14u);
    const Complex value(row["components"][0], row["components"][1]);
    EXPECT_NEAR(std::abs(value), row["coefficient"], 1e-12);
  }
  EXPECT_FALSE(r["states"][0].contains("s_squared"));
}

TEST_F(SpinorApplication, FrozenAndActiveSpinorsGiveTheLabelsOfTheFile) {
  const nlohmann::json r = report(eigen + core);
  EXPECT_EQ(r["matrix"]["rows"], 165);  // 8 electrons in 11 spinors
  const double expected = r["states"][0]["energy"];
  EXPECT_GT(expected, water[0]);
  EXPECT_EQ(r["states"][0]["leading"][0]["occupation"], "11111111110000");
  EXPECT_NEAR(energy("--frozen 2,1 --active 13,12,11,10,9,8,7,6,5,4,3"), expected, 1e-9);
}

TEST_F(SpinorApplication, SpacesAreBetweenTheReferenceAndFullCi) {
  double above = energy("--space 0");
  for (const std::string space : {"cis", "cisd", "cisdtq"}) {
    const double here = energy("--space " + space);
    EXPECT_LE(here, above + 1e-9) << space;
    EXPECT_GE(here, water[0] - 1e-9) << space;
    above = here;
  }
  EXPECT_NEAR(energy("--ras1 1-4 --ras-holes 4 --ras3 13,14 --ras-particles 2"), water[0], 1e-9);
}

TEST_F(SpinorApplication, ListsOfDeterminantsAreReadAsTheyArePrinted) {
  write("bits.txt", "11111111110000\n11110011110011\n11111100111100\n");
  write("letters.txt", "0.9 aaaaaaaaaa0000\n0.1 aaaa00aaaa00aa\n0.1 aaaaaa00aaaa00\n");
  const double expected = energy("--determinants bits.txt");
  EXPECT_EQ(json("r.json")["matrix"]["rows"], 3);
  EXPECT_LT(expected, energy("--space 0"));
  EXPECT_NEAR(energy("--determinants letters.txt"), expected, 1e-10);
  write("other.txt", "22222000000000\n");
  expect_refused(eigen + "--determinants other.txt", "a determinant: 14 characters 1 and 0");
}

TEST_F(SpinorApplication, NaturalSpinorsAreThoseOfTheVectors) {
  const nlohmann::json r = report(eigen + "--states 2 --vectors x.npz");
  const auto ci = npz_member(folder_ / "x.npz", "ci").as<std::complex<double>>();
  const Stored stored = npz_member(folder_ / "x.npz", "rdm1");
  EXPECT_NE(stored.header.find("'shape': (2,14,14,)"), std::string::npos) << stored.header;
  const auto density = stored.as<std::complex<double>>();
  const auto occupations = npz_member(folder_ / "x.npz", "natural_occupations").as<double>();
  for (int state = 0; state < 2; ++state) {
    std::vector<double> in_spinor(14, 0.0);
    int row = 0;
    for (unsigned string = 0; string < 1u << 14; ++string) {
      if (std::popcount(string) != 10) continue;
      const double weight = std::norm(ci[1001 * state + row++]);
      for (int p = 0; p < 14; ++p) in_spinor[p] += (string >> p & 1) * weight;
    }
    double sum = 0.0;
    for (int p = 0; p < 14; ++p) {
      EXPECT_NEAR(std::abs(density[(14 * state + p) * 14 + p] - in_spinor[p]), 0.0, 1e-13);
      EXPECT_EQ(r["states"][state]["natural_occupations"][p], occupations[14 * state + p]);
      sum += occupations[14 * state + p];
    }
    EXPECT_NEAR(sum, 10.0, 1e-12);
    EXPECT_LT(occupations[14 * state], 1.0);
    EXPECT_GT(occupations[14 * state + 13], 0.0);
  }
}

TEST_F(SpinorApplication, DensitiesOfStatesAreComplex) {
  ASSERT_EQ(run(eigen + core + " --states 2 --vectors x.npz --rdm1 d.npz --rdm2 d2.npz").status, 0);
  const Stored one = npz_member(folder_ / "d2.npz", "rdm1"),
               two = npz_member(folder_ / "d2.npz", "rdm2");
  EXPECT_NE(two.header.find("'shape': (2,11,11,11,11,)"), std::string::npos) << two.header;
  const auto gamma = one.as<std::complex<double>>(), pairs = two.as<std::complex<double>>();
  EXPECT_EQ(npz_member(folder_ / "x.npz", "rdm1").as<std::complex<double>>(), gamma);
  // Σ_r Γ_pqrr = (N − 1) γ_qp for 8 electrons, of both states.
  for (int state = 0; state < 2; ++state) {
    for (int pq = 0; pq < 121; ++pq) {
      std::complex<double> sum = 0.0;
      for (int r = 0; r < 11; ++r) sum += pairs[((state * 121 + pq) * 11 + r) * 11 + r];
      EXPECT_LT(std::abs(sum - 7.0 * gamma[state * 121 + pq % 11 * 11 + pq / 11]), 1e-12);
    }
  }
  const Stored transitions = npz_member(folder_ / "d.npz", "transition_rdm1");
  EXPECT_NE(transitions.header.find("'shape': (2,2,11,11,)"), std::string::npos);
  const auto between = transitions.as<std::complex<double>>();
  for (int pq = 0; pq < 121; ++pq) {  // ⟨0| and |1⟩, ⟨1| and |0⟩
    EXPECT_LT(std::abs(between[121 + pq] - std::conj(between[242 + pq % 11 * 11 + pq / 11])),
              1e-14);
  }
}

TEST_F(SpinorApplication, VectorsAreComplexInEveryFile) {
  ASSERT_EQ(run(eigen + core + " --states 2 --vectors x.npz --json r.json").status, 0);
  const Stored ci = npz_member(folder_ / "x.npz", "ci");
  EXPECT_NE(ci.header.find("'descr': '<c16'"), std::string::npos) << ci.header;
  EXPECT_NE(ci.header.find("'shape': (2,165,)"), std::string::npos) << ci.header;
  const auto states = ci.as<Complex>();
  ASSERT_EQ(states.size(), 330u);
  const nlohmann::json leading = json("r.json")["states"][0]["leading"][0];
  const std::size_t row = leading["row"].get<std::size_t>() - 1;
  EXPECT_NEAR(states[row].real(), leading["components"][0], 1e-12);
  EXPECT_NEAR(states[row].imag(), leading["components"][1], 1e-12);
  Complex overlap = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < 165; ++i) {
    overlap += std::conj(states[i]) * states[165 + i];
    norm += std::norm(states[i]);
  }
  EXPECT_LT(std::abs(overlap), 1e-10);
  EXPECT_NEAR(norm.real(), 1.0, 1e-10);

  ASSERT_EQ(run(eigen + core + " --states 2 --vectors x.npy").status, 0);
  const std::string text = contents(folder_ / "x.npy");
  EXPECT_NE(text.find("'descr': '<c16'"), std::string::npos);
  EXPECT_NE(text.find("'shape': (165,2,)"), std::string::npos);
}

TEST_F(SpinorApplication, InfoSaysSpinorsDeterminantsNonzerosAndBytes) {
  Outcome outcome = run("info " + file);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const std::string words :
       {"spinors         14", "electrons       10", "1,001 determinants, 311,311 complex nonzeros",
        "the matrix in csr 6.23 MB", "elements        complex", "in sell "}) {
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  }
  EXPECT_EQ(outcome.out.find("in csr5"), std::string::npos) << outcome.out;  // of real ones alone

  ASSERT_EQ(run("info " + file + core + " --json r.json").status, 0);
  const nlohmann::json r = json("r.json");
  EXPECT_EQ(r["spinors"]["spinors"], 14);
  EXPECT_EQ(r["spinors"]["active_spinors"], 11);
  EXPECT_EQ(r["spinors"]["electrons"], 8);
  EXPECT_EQ(r["spinors"]["full_ci"]["determinants"], r["matrix"]["rows"]);
  EXPECT_EQ(r["spinors"]["full_ci"]["nonzeros"], r["matrix"]["nonzeros"]);
  EXPECT_EQ(r["spinors"]["full_ci"]["bytes"]["csr"], r["formats"][0]["bytes"]);

  EXPECT_FALSE(r["spinors"].contains("kramers_pairs"));
  // 11,440 determinants with 820 nonzeros each are not counted for this.
  outcome = run("info " + fluorine + "--json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json f = json("r.json");
  EXPECT_EQ(f["spinors"]["full_ci"]["nonzeros"], 11440 * 820);
  EXPECT_EQ(f["spinors"]["kramers_pairs"]["rows"], 5720);
  EXPECT_LT(f["spinors"]["kramers_pairs"]["bytes"]["csr"].get<double>(),
            0.51 * f["spinors"]["full_ci"]["bytes"]["csr"].get<double>());
  EXPECT_FALSE(f.contains("matrix"));
  EXPECT_NE(run("info " + fluorine)
                .out.find("Kramers pairs   eigenstates of a matrix of quaternions "
                          "with 5,720 rows"),
            std::string::npos);
}

TEST_F(SpinorApplication, WhatSpinorsHaveNotIsRefused) {
  write("strings.txt", "00001111111111\n");
  const std::vector<std::array<std::string, 2>> cases{
      {"--ms2 0", "--ms2: "},
      {"--irrep 0", "--irrep: not of spinors"},
      {"--point-group D2h", "--point-group: not of spinors"},
      {"--spin-inversion even", "--spin-inversion: not of spinors"},
      {"--strings strings.txt", "--strings: not of spinors"},
      {"--freeze 2", "--freeze: not of spinors"},
      {"--multiplicity 1", "--multiplicity: not of complex matrices"},
      {"--operator direct --space cisd", "--operator: found direct"},
      {"--format csr5", "format csr5: holds real matrices"},
      {"--rdm1 d.trexio", "is over spinors; TREXIO files have determinants"},
      {"--determinants-out d.txt", "is over spinors"},
      {"--vectors x.trexio", "is over spinors"},
      {"--active 1,2", "10 electrons in 2 general spin orbitals"}};
  for (const auto& [flags, words] : cases) expect_refused(eigen + flags, words);
  expect_refused("select " + file, "is over spinors; it needs integrals of real orbitals");
}

TEST_F(SpinorApplication, HeadersThatSayComplexDecideOnWholeNumbers) {
  const std::string lines = " 1 0 1 1 0 0\n 2 0 2 2 0 0\n 0 1 1 2 0 0\n 0 0 0 0 0 0\n";
  for (const std::string key : {"ICMPLX=1", "IGENERAL=1", "TREL=.TRUE."}) {
    write("whole.fcidump", " &FCI NORB=2,NELEC=1,MS2=1," + key + " /\n" + lines);
    const nlohmann::json r = report("eigen whole.fcidump --states 2");
    EXPECT_NEAR(r["states"][0]["energy"], 1.5 - std::sqrt(1.25), 1e-10) << key;
    EXPECT_NEAR(r["states"][1]["energy"], 1.5 + std::sqrt(1.25), 1e-10) << key;
  }
  write("whole.fcidump", " &FCI NORB=2,NELEC=1,MS2=1 /\n" + lines);
  expect_refused("eigen whole.fcidump", "whole.fcidump:2: found 6 fields, expected 5");
  write("real.fcidump", " &FCI NORB=2,NELEC=1,ICMPLX=1 /\n 1.0 1 1 0 0\n");
  expect_refused("eigen real.fcidump",
                 "ICMPLX = 1: the integrals are complex, and the first one here is a real number");
}

TEST_F(SpinorApplication, ComplexMatricesAreSolvedFromEveryFile) {
  // Eigenvalues 1 and 3, times 1/√2: (1, -i) and (1, i).
  write("c.mtx",
        "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 2 0\n2 1 0 1\n2 2 2 0\n");
  for (const std::string name : {"c.npz", "c.h5"}) {
    ASSERT_EQ(run("convert c.mtx " + name).status, 0) << name;
  }
  for (const std::string name : {"c.mtx", "c.npz", "c.h5"}) {
    for (const std::string format : {"packed", "csr_symmetric"}) {
      const nlohmann::json other = report("eigen " + name + " --format " + format);
      EXPECT_NEAR(other["states"][0]["energy"], 1.0, 1e-12) << name << ", " << format;
    }
    const nlohmann::json r = report("eigen " + name + " --states 2");
    EXPECT_EQ(r["matrix"]["elements"], "complex") << name;
    EXPECT_NEAR(r["states"][0]["energy"], 1.0, 1e-12) << name;
    EXPECT_NEAR(r["states"][1]["energy"], 3.0, 1e-12) << name;
    for (const nlohmann::json& row : r["states"][0]["leading"]) {
      EXPECT_NEAR(row["coefficient"], std::sqrt(0.5), 1e-12);
      EXPECT_FALSE(row.contains("occupation"));
    }
  }
  ASSERT_EQ(run("linear c.mtx --rhs ones --shift 5 --vectors x.npy").status, 0);
  const std::string text = contents(folder_ / "x.npy");
  std::array<Complex, 2> x;
  ASSERT_GT(text.size(), sizeof x);
  std::memcpy(x.data(), text.data() + text.size() - sizeof x, sizeof x);
  EXPECT_LT(std::abs(-3.0 * x[0] + Complex(0, -1) * x[1] - 1.0), 1e-9);
  EXPECT_LT(std::abs(Complex(0, 1) * x[0] - 3.0 * x[1] - 1.0), 1e-9);
}

TEST_F(SpinorApplication, MatricesThatAreNotHermitianAreRefused) {
  write("d.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1.0 0.5\n");
  expect_refused("eigen d.mtx", "row 1, column 1");
  write("o.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 2 1 1\n2 1 1 1\n");
  expect_refused("eigen o.mtx", "not Hermitian");
}

}  // namespace
}  // namespace cisolve
