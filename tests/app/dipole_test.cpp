// Dipole moments and transitions between states.
#include <cmath>
#include <string>
#include <vector>

#include "io/array_archive.hpp"
#include "tests/support/application.hpp"
#include "tests/support/archive.hpp"
#include "tests/support/integrals/data_integrals.hpp"

namespace cisolve {
namespace {

using Parsed = nlohmann::json;

/// Positions that no molecule has, and what its nuclei have.
class Dipole : public Application {
 protected:
  static double position(int axis, int p, int q) {
    return std::cos(1.0 + axis + 0.7 * (p + q)) + (p == q ? 0.3 * p * (axis + 1) : 0.0);
  }
  void write_dipole(const std::string& name, int m, bool nuclear = true) const {
    std::vector<double> values;
    for (int axis = 0; axis < 3; ++axis) {
      for (int p = 0; p < m; ++p) {
        for (int q = 0; q < m; ++q) values.push_back(position(axis, p, q));
      }
    }
    std::vector<NamedArray> arrays{kept_array("dipole", values, {3, m, m})};
    if (nuclear) arrays.push_back(kept_array("nuclear_dipole", nuclear_, {3}));
    write_npz_arrays(arrays, folder_ / name, name);
  }
  Parsed solve(const std::string& arguments) const {
    const Outcome outcome = run("eigen " + arguments + " --backend cpu --json r.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? json("r.json") : Parsed();
  }
  void expect_refused(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run("eigen " + arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, words);
  }

  std::vector<double> nuclear_{0.5, -1.25, 2.0};
};

/// nuclear − 2 Σ frozen − Σ r γ, of the densities in the file.
TEST_F(Dipole, IsThatOfTheDensitiesAndOfFrozenOrbitals) {
  const std::string molecule = data + "nh3_sto3g.fcidump --states 3 --tolerance 1e-9 ";
  write_dipole("r.npz", 8);
  for (const std::string space : {"", "--space cisd ", "--operator stored "}) {
    const Parsed report =
        solve(molecule + space + "--frozen 1 --active 2,3,5-8 --dipole r.npz --rdm1 d.npz --force");
    const auto densities = npz_member(folder_ / "d.npz", "transition_rdm1").as<double>();
    const std::vector<int> active{1, 2, 4, 5, 6, 7};
    ASSERT_EQ(densities.size(), std::size_t{3 * 3 * 2 * 6 * 6});
    const auto expected = [&](std::size_t i, std::size_t j, int axis) {
      double value = i == j ? nuclear_[axis] - 2.0 * position(axis, 0, 0) : 0.0;
      const double* density = densities.data() + (i * 3 + j) * 2 * 36;
      for (int spin = 0; spin < 2; ++spin) {
        for (int p = 0; p < 6; ++p) {
          for (int q = 0; q < 6; ++q) {
            value -= position(axis, active[p], active[q]) * *density++;
          }
        }
      }
      return value;
    };
    std::size_t number = 0;
    ASSERT_EQ(report["transitions"].size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(report["states"][i]["dipole"][axis].get<double>(), expected(i, i, axis), 1e-10);
      }
      for (std::size_t j = i + 1; j < 3; ++j) {
        const Parsed& transition = report["transitions"][number++];
        EXPECT_EQ(transition["from"], i + 1);
        EXPECT_EQ(transition["to"], j + 1);
        double square = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
          const double value = transition["dipole"][axis].get<double>();
          EXPECT_NEAR(value, expected(i, j, axis), 1e-10);
          square += value * value;
        }
        const double energy = transition["energy"].get<double>();
        EXPECT_NEAR(energy,
                    report["states"][j]["energy"].get<double>() -
                        report["states"][i]["energy"].get<double>(),
                    1e-11);
        EXPECT_NEAR(transition["oscillator_strength"].get<double>(), 2.0 / 3.0 * energy * square,
                    1e-10);
      }
    }
  }
}

TEST_F(Dipole, FrozenOrbitalsChangeNothingThatTheyDoNotChangeInTheState) {
  write_dipole("r.npz", 2);
  write_dipole("electrons.npz", 2, false);
  const Parsed with = solve(data + "h2_sto3g.fcidump --dipole r.npz");
  const Parsed without = solve(data + "h2_sto3g.fcidump --dipole electrons.npz");
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(with["states"][0]["dipole"][axis].get<double>() -
                    without["states"][0]["dipole"][axis].get<double>(),
                nuclear_[axis], 1e-12);
  }
}

TEST_F(Dipole, HasNoStrengthsWhereEnergiesHaveNoUnit) {
  write_dipole("r.npz", 2);
  const std::string h2 = data + "h2_sto3g.fcidump --states 2 --ms2 0 --dipole r.npz";
  const Parsed hartree = solve(h2), none = solve(h2 + " --units none");
  EXPECT_TRUE(hartree["transitions"][0]["oscillator_strength"].is_number());
  EXPECT_TRUE(none["transitions"][0]["oscillator_strength"].is_null());
}

TEST_F(Dipole, IsInTheTextAndTheEffectiveConfiguration) {
  write_dipole("r.npz", 2);
  const Outcome outcome =
      run("eigen " + data + "h2_sto3g.fcidump --states 2 --backend cpu --dipole r.npz");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("dipole/(e Bohr)"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("oscillator strength"), std::string::npos) << outcome.out;
  write("run.yaml", "input: {file: " + data + "h2_sto3g.fcidump, dipole: r.npz}\n");
  EXPECT_EQ(run("run run.yaml --set output.json=r.json").status, 0);
  EXPECT_EQ(json("r.json")["states"][0]["dipole"].size(), 3U);
}

TEST_F(Dipole, IsOnThePage) {
  write_dipole("r.npz", 8);
  const std::string nh3 =
      data + "nh3_sto3g.fcidump --states 2 --multiplicity 1 --dipole r.npz --html p.html";
  const Parsed report = solve(nh3);
  for (const Parsed& has : {report["states"][1], report["transitions"][0]}) {
    char z[64];
    std::snprintf(z, sizeof z, ">%.6f<", has["dipole"][2].get<double>());
    EXPECT_NE(contents(folder_ / "p.html").find(z), std::string::npos) << z;
  }
}

TEST_F(Dipole, OfAnotherShapeIsRefusedBeforeTheSolve) {
  write_dipole("r.npz", 7);
  expect_refused(data + "nh3_sto3g.fcidump --dipole r.npz",
                 "found shape (3, 7, 7), expected "
                 "(3, 8, 8)");
  expect_refused(data + "nh3_sto3g.fcidump --dipole none.npz", "none.npz");
  write_npz_arrays({kept_array("other", nuclear_, {3})}, folder_ / "other.npz", "other.npz");
  expect_refused(data + "nh3_sto3g.fcidump --dipole other.npz", "dipole");
  const std::vector<double> skew{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  write_npz_arrays({kept_array("dipole", skew, {3, 2, 2})}, folder_ / "skew.npz", "skew.npz");
  expect_refused(data + "h2_sto3g.fcidump --dipole skew.npz", "not symmetric");
  write_dipole("o2.npz", 10);
  expect_refused(data + "o2_sto3g_uhf.fcidump --dipole o2.npz", "orbitals of two spins");
  write_pair();
  expect_refused("pair.mtx --dipole r.npz", "--dipole: pair.mtx is a matrix");
  EXPECT_EQ(run("eigen " + data + "h2_sto3g.fcidump --dipole r.npz --json r.npz --force").status,
            1);
}

}  // namespace
}  // namespace cisolve
