// `--molden`: natural orbitals in the functions that the orbitals of a Molden file are in.
#include <cmath>

#include "core/dense/host_matrix.hpp"
#include "io/molden/molden.hpp"
#include "tests/support/application.hpp"
#include "tests/support/archive.hpp"

namespace cisolve {
namespace {

const std::string molden_head =
    "[Molden Format]\nby hand\n[Atoms] (AU)\nN 1 7 0 0 0\n[GTO]\n1 0\n\n[5d]\n";

class Molden : public Application {
 protected:
  /// Orbitals: m over m + 2 functions, some zeros left out, every other one of symmetry B1.
  void write_orbitals(const std::string& name, int m) const {
    std::string text = molden_head + "[MO]\n";
    for (int i = 0; i < m; ++i) {
      text += " Sym= " + std::string(i % 2 == 0 ? "A1" : "B1") +
              "\n Ene= " + std::to_string(i - 9) + ".5\n Spin= Alpha\n Occup= 7.0\n";
      for (int f = 0; f < m + 2; ++f) {
        if ((f + i) % 5 == 3) continue;
        text +=
            "  " + std::to_string(f + 1) + "  " + std::to_string(std::sin(1.0 + 3 * f + i)) + "\n";
      }
    }
    write(name, text + "[CORE]\n1 : 0\n");
  }
  static HostMatrix density(const MoldenOrbitals& orbitals) {
    HostVector n(orbitals.coefficients.cols());
    for (Eigen::Index i = 0; i < n.size(); ++i) n[i] = orbitals.labels[i].occupation;
    return orbitals.coefficients * n.asDiagonal() * orbitals.coefficients.transpose();
  }
  void expect_refused(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run("eigen " + arguments + options_);
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, words);
  }

  const std::string options_ = " --backend cpu --threads 1 --set spmv.cache=none ";
};

TEST_F(Molden, OfAListThatGrew) {
  write_orbitals("mo.molden", 8);
  const Outcome outcome = run("select " + data +
                              "nh3_sto3g.fcidump --determinants 600 --orbitals mo.molden"
                              " --molden no.molden" +
                              options_);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_molden(folder_ / "no.molden").coefficients.cols(), 8);
}

/// C n Cᵀ of every file is C γ Cᵀ with the state's density, the frozen orbital and the one that is
/// neither frozen nor active.
TEST_F(Molden, HasTheDensityOfEachState) {
  write_orbitals("mo.molden", 8);
  const std::string nh3 =
      "eigen " + data + "nh3_sto3g.fcidump --states 2 --tolerance 1e-9" + options_;
  ASSERT_EQ(run(nh3 + "--frozen 1 --active 2,3,5-8 --orbitals mo.molden --molden no.molden"
                      " --rdm1 d.npz")
                .status,
            0);
  const MoldenOrbitals given = read_molden(folder_ / "mo.molden");
  ASSERT_EQ(given.coefficients.rows(), 10);
  const auto densities = npz_member(folder_ / "d.npz", "rdm1").as<double>();
  const std::vector<int> active{1, 2, 4, 5, 6, 7};
  for (int state = 0; state < 2; ++state) {
    HostMatrix gamma = HostMatrix::Zero(8, 8);
    gamma(0, 0) = 2.0;
    for (int spin = 0; spin < 2; ++spin) {
      gamma(active, active) +=
          Eigen::Map<const HostMatrix>(densities.data() + (state * 2 + spin) * 36, 6, 6);
    }
    const std::string name = "no." + std::to_string(state + 1) + ".molden";
    const std::string text = contents(folder_ / name);
    EXPECT_TRUE(text.starts_with(molden_head)) << text.substr(0, 200);
    EXPECT_TRUE(text.ends_with("[CORE]\n1 : 0\n"));
    const MoldenOrbitals made = read_molden(folder_ / name);
    const HostMatrix expected = given.coefficients * gamma * given.coefficients.transpose();
    EXPECT_LT((density(made) - expected).cwiseAbs().maxCoeff(), 1e-9) << name;
    EXPECT_EQ(made.labels[0].occupation, 2.0);
    EXPECT_EQ(made.labels[3].occupation, 0.0);
    for (const int kept : {0, 3}) {
      EXPECT_LT((made.coefficients.col(kept) - given.coefficients.col(kept)).norm(), 1e-12);
      EXPECT_EQ(made.labels[kept].energy, given.labels[kept].energy);
      EXPECT_EQ(made.labels[kept].symmetry, given.labels[kept].symmetry);
    }
    for (std::size_t i = 1; i < active.size(); ++i) {
      EXPECT_GE(made.labels[active[i - 1]].occupation, made.labels[active[i]].occupation);
    }
  }
}

TEST_F(Molden, OfOneStateOrOfAnIrrepIsReplaced) {
  write_orbitals("mo.molden", 2);
  const std::string h2 =
      "eigen " + data + "h2_sto3g.fcidump --orbitals mo.molden --molden no.molden";
  for (int time = 0; time < 2; ++time) ASSERT_EQ(run(h2 + options_).status, 0);
  const MoldenOrbitals made = read_molden(folder_ / "no.molden");
  EXPECT_GT(made.labels[0].occupation, 1.9);
  // Orbitals of different irreps do not mix.
  EXPECT_EQ(made.labels[0].symmetry, "A1");
  EXPECT_EQ(made.labels[1].symmetry, "B1");
  ASSERT_EQ(run(h2 + " --irrep 0 --states 2" + options_).status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "no.2.molden"));
}

TEST_F(Molden, WhatDoesNotFitIsRefused) {
  const std::string nh3 = data + "nh3_sto3g.fcidump --molden no.molden ";
  write_orbitals("mo.molden", 7);
  expect_refused(nh3 + "--orbitals mo.molden", "mo.molden: found 7 orbitals, expected 8");
  expect_refused(nh3, "--molden: found no --orbitals");
  expect_refused(nh3 + "--orbitals none.molden", "none.molden");
  write("atoms.molden", molden_head);
  expect_refused(nh3 + "--orbitals atoms.molden", "atoms.molden: no section [MO]");
  write("beta.molden", molden_head + "[MO]\n Spin= Beta\n 1 1.0\n");
  expect_refused(nh3 + "--orbitals beta.molden",
                 "beta.molden:10: [MO]: found \"Beta\", expected Alpha");
  write("word.molden", molden_head + "[MO]\n Spin= Alpha\n 1 one\n");
  expect_refused(nh3 + "--orbitals word.molden", "word.molden:11: [MO]: found \"one\"");
  write("twice.molden", molden_head + "[MO]\n Spin= Alpha\n 1 1\n[MO]\n");
  expect_refused(nh3 + "--orbitals twice.molden", "twice.molden:12: a second section [MO]");
  write_orbitals("o2.molden", 10);
  expect_refused(data + "o2_sto3g_uhf.fcidump --orbitals o2.molden --molden no.molden",
                 "orbitals of two spins");
  const Outcome alone = run("eigen " + data + "nh3_sto3g.fcidump --orbitals mo.molden" + options_);
  EXPECT_EQ(alone.status, 1);
  expect_says(alone, "found no --molden");
  fs::create_directories(folder_ / "runs");
  write_orbitals("runs/of_the_run.molden", 7);  // a run file's names start from its folder
  write("runs/run.yaml", "input: {file: " + data +
                             "nh3_sto3g.fcidump, orbitals: of_the_run.molden}\n"
                             "output: {molden: ../no.molden}\n");
  expect_says(run("run runs/run.yaml"), "of_the_run.molden: found 7 orbitals");
  write_pair();
  expect_says(run("linear pair.mtx --set input.orbitals=mo.molden"), "input.orbitals");
  expect_refused("pair.mtx --orbitals mo.molden --molden no.molden", "pair.mtx is a matrix");
  expect_refused(nh3 + "--orbitals no.molden", "an input is never overwritten");
  write("no.molden", "mine\n");
  write_orbitals("mo.molden", 8);
  expect_refused(nh3 + "--orbitals mo.molden", "expected a new file or a Molden file");
  EXPECT_EQ(contents(folder_ / "no.molden"), "mine\n");
  EXPECT_EQ(run("linear pair.mtx --set output.molden=new.molden" + options_).status, 1);
}

}  // namespace
}  // namespace cisolve
