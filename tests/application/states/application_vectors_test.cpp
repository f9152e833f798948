// Eigenstates in files for other programs.
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/integrals/hubbard.hpp"
#include "hamiltonian/integrals/restrict_orbitals.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "io/vector_file.hpp"
#include "tests/support/application.hpp"
#include "tests/support/archive.hpp"
#include "tests/support/integrals/data_integrals.hpp"

namespace cisolve {
namespace {

class StatesFile : public Application {
 protected:
  Stored array(const std::string& file, const std::string& name) const {
    return npz_member(folder_ / file, name);
  }

  void expect_coefficients(const Stored& ci) const {
    const HostMatrix x = read_vectors(folder_ / "x.npy");
    const auto values = ci.as<double>();
    ASSERT_EQ(values.size(), static_cast<std::size_t>(x.size()));
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      for (Eigen::Index i = 0; i < x.rows(); ++i) ASSERT_EQ(values[j * x.rows() + i], x(i, j));
    }
  }

  /// Densities of two states: electrons of each spin, occupations as reported, and orbitals that
  /// bring the density to them.
  void expect_densities(const nlohmann::json& report, int m, int electrons) const {
    const auto densities = array("x.npz", "rdm1").as<double>();
    const auto orbitals = array("x.npz", "natural_orbitals").as<double>();
    const auto occupations = array("x.npz", "natural_occupations").as<double>();
    ASSERT_EQ(densities.size(), static_cast<std::size_t>(2 * 2 * m * m));
    ASSERT_EQ(orbitals.size(), static_cast<std::size_t>(2 * m * m));
    ASSERT_EQ(occupations.size(), static_cast<std::size_t>(2 * m));
    for (int state = 0; state < 2; ++state) {
      const Eigen::Map<const HostMatrix> a(densities.data() + 2 * state * m * m, m, m);
      const Eigen::Map<const HostMatrix> b(densities.data() + (2 * state + 1) * m * m, m, m);
      const Eigen::Map<const HostMatrix> c(orbitals.data() + state * m * m, m, m);
      EXPECT_NEAR(a.trace(), electrons, 1e-10);
      EXPECT_NEAR(b.trace(), electrons, 1e-10);
      const HostMatrix diagonal = c.transpose() * (a + b) * c;
      for (int i = 0; i < m; ++i) {
        EXPECT_NEAR(diagonal(i, i), occupations[state * m + i], 1e-10);
        EXPECT_NEAR(occupations[state * m + i],
                    report["states"][state]["natural_occupations"][i].get<double>(), 1e-9);
        for (int j = 0; j < i; ++j) EXPECT_NEAR(diagonal(i, j), 0.0, 1e-10);
      }
    }
  }

  void expect_determinants(const CiSpace& space) const {
    const auto a = array("x.npz", "alpha").as<std::uint64_t>();
    const auto b = array("x.npz", "beta").as<std::uint64_t>();
    const int words = space.alpha.orbitals > 64 ? 2 : 1;
    ASSERT_EQ(a.size(), static_cast<std::size_t>(space.size() * words));
    ASSERT_EQ(b.size(), a.size());
    for (std::int64_t row = 0; row < space.size(); ++row) {
      const Determinant determinant = space.determinant(row);
      for (int k = 0; k < words; ++k) {
        ASSERT_EQ(a[row * words + k], determinant[alpha].word(k)) << row;
        ASSERT_EQ(b[row * words + k], determinant[beta].word(k)) << row;
      }
    }
  }
};

TEST_F(StatesFile, HasFullCiInTheShapeOfItsStrings) {
  for (const std::string kind : {"stored", "direct"}) {
    const std::string solve = "eigen " + data +
                              "nh3_sto3g.fcidump --states 2 --backend cpu --force "
                              "--operator " +
                              kind;
    ASSERT_EQ(run(solve + " --vectors x.npy").status, 0);
    ASSERT_EQ(run(solve + " --vectors x.npz --json r.json").status, 0);
    const Stored ci = array("x.npz", "ci");
    EXPECT_NE(ci.header.find("'shape': (2,56,56,)"), std::string::npos) << ci.header;
    expect_coefficients(ci);
    expect_determinants(make_ci_space(load("nh3_sto3g"), {}));
    EXPECT_EQ(array("x.npz", "nelec").as<std::int64_t>(), (std::vector<std::int64_t>{5, 5}));
    EXPECT_EQ(array("x.npz", "norb").as<std::int64_t>(), std::vector<std::int64_t>{8});
    EXPECT_EQ(array("x.npz", "status").bytes, "converged");
    expect_densities(json("r.json"), 8, 5);
    const auto energies = array("x.npz", "energies").as<double>();
    ASSERT_EQ(energies.size(), 2u);
    EXPECT_NEAR(energies[1], json("r.json")["states"][1]["energy"].get<double>(), 1e-12);
  }
}

/// fci.direct_spin1 of PySCF 2 with these integrals, six alpha and four beta electrons: a few
/// coefficients of the lowest state by alpha and beta string, and elements of make_rdm1s.
TEST_F(StatesFile, HasTheCoefficientsAndDensitiesOfPyscf) {
  struct Element {
    int row, column;
    double value;
  };
  const std::vector<Element> coefficients{
      {0, 0, 0.96225592},   {1, 1, 0.08370897},   {7, 2, -0.08364604},  {0, 3, 0.08200241},
      {3, 15, -0.07056887}, {3, 0, 0.05369532},   {7, 36, -0.05223569}, {10, 15, 0.02891041},
      {3, 6, -0.01399902},  {22, 55, 0.00743262}, {3, 48, -0.00341153}, {23, 6, 0.00171715}};
  const std::vector<Element> of_alpha{{3, 6, 0.04428247}, {7, 2, 0.04427403}, {1, 5, 0.00613243}};
  const std::vector<Element> of_beta{{3, 6, 0.05777967}, {7, 2, 0.05767578}, {1, 5, -0.00381834}};
  ASSERT_EQ(run("eigen " + data +
                "nh3_sto3g.fcidump --ms2 2 --backend cpu --tolerance 1e-8 "
                "--vectors x.npz")
                .status,
            0);
  const auto ci = array("x.npz", "ci").as<double>();
  ASSERT_EQ(ci.size(), 28u * 70u);
  for (const Element& c : coefficients) {
    EXPECT_NEAR(ci[c.row * 70 + c.column], c.value, 1e-6) << c.row << " " << c.column;
  }
  const auto densities = array("x.npz", "rdm1").as<double>();
  for (const Element& d : of_alpha) EXPECT_NEAR(densities[d.row * 8 + d.column], d.value, 1e-6);
  for (const Element& d : of_beta) EXPECT_NEAR(densities[64 + d.row * 8 + d.column], d.value, 1e-6);
}

TEST_F(StatesFile, OfAPartOfTheDeterminantsNamesEach) {
  const std::string solve = "eigen " + data +
                            "lih_ccpvdz.fcidump --space cisd --irrep 1 --frozen 1 "
                            "--backend cpu --vectors ";
  ASSERT_EQ(run(solve + "x.npy").status, 0);
  ASSERT_EQ(run(solve + "x.npz").status, 0);
  const Integrals active = restrict_orbitals(load("lih_ccpvdz"), {0}, {});
  const CiSpace space = make_ci_space(active, {2, 1});
  expect_determinants(space);
  const Stored ci = array("x.npz", "ci");
  EXPECT_NE(ci.header.find("'shape': (1," + std::to_string(space.size()) + ",)"), std::string::npos)
      << ci.header;
  expect_coefficients(ci);
  EXPECT_EQ(array("x.npz", "frozen").as<std::int64_t>(), std::vector<std::int64_t>{0});
  EXPECT_EQ(array("x.npz", "active").as<std::int64_t>().front(), 1);
  EXPECT_EQ(array("x.npz", "irrep").as<std::int64_t>(), std::vector<std::int64_t>{1});
  EXPECT_EQ(array("x.npz", "ecore").as<double>().front(), active.core_energy);
}

TEST_F(StatesFile, OfMoreThan64OrbitalsHasTwoWordsAString) {
  const std::string solve = "eigen generate:hubbard,sites=66,electrons=2,U=4 --backend cpu ";
  const Outcome outcome = run(solve + "--vectors x.npz --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_determinants(make_ci_space(hubbard_integrals({.sites = 66, .electrons = 2}), {}));
  const Stored strings = array("x.npz", "alpha");
  EXPECT_NE(strings.header.find("'shape': (4356,2,)"), std::string::npos) << strings.header;
  const Outcome again = run(solve + "--restart x.npz --json s.json");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(),
              json("s.json")["states"][0]["energy"].get<double>(), 1e-8);
  EXPECT_LT(json("s.json")["operator_applications"].get<int>(),
            json("r.json")["operator_applications"].get<int>());
  const Outcome other =
      run("eigen generate:hubbard,sites=66,electrons=2,U=4 --space 1 "
          "--backend cpu --restart x.npz");
  EXPECT_EQ(other.status, 1);
}

TEST_F(StatesFile, AsHdf5HoldsTheSame) {
  const std::string solve =
      "eigen " + data + "nh3_sto3g.fcidump --states 2 --backend cpu --vectors x";
  ASSERT_EQ(run(solve + ".npz").status, 0);
  ASSERT_EQ(run(solve + ".h5").status, 0);
  for (const std::string name : {"ci", "energies", "natural_orbitals", "ecore"}) {
    EXPECT_EQ(hdf5_numbers(folder_ / "x.h5", name).values, array("x.npz", name).as<double>());
  }
  EXPECT_EQ(hdf5_numbers(folder_ / "x.h5", "ci").shape, (std::vector<hsize_t>{2, 56, 56}));
  const auto masks = array("x.npz", "alpha").as<std::uint64_t>();
  EXPECT_EQ(hdf5_numbers(folder_ / "x.h5", "alpha").values,
            std::vector<double>(masks.begin(), masks.end()));
  EXPECT_EQ(run(solve + ".h5").status, 0);  // over its like
}

TEST_F(StatesFile, ThatCannotBeWrittenCostsNoReport) {
  // The vectors are larger than the files that the shell allows.
  const Outcome outcome = shell("trap '' XFSZ; ulimit -f 64; \"$CISOLVE\" eigen " + data +
                                "n2_sto3g.fcidump --backend cpu --vectors v.npz --json r.json");
  EXPECT_EQ(outcome.status, 3);
  expect_says(outcome, "v.npz: cannot be written");
  EXPECT_EQ(json("r.json")["status"], "converged");
  EXPECT_FALSE(fs::exists(folder_ / "v.npz"));
}

TEST_F(StatesFile, IsOverwrittenByItsLikeAloneAndNoneForLinearSystems) {
  write_pair();
  ASSERT_EQ(run("eigen pair.mtx --backend cpu --vectors x.npz").status, 0);
  EXPECT_EQ(array("x.npz", "ci").as<double>().size(), 2u);
  EXPECT_EQ(run("eigen pair.mtx --backend cpu --vectors x.npz").status, 0);
  ASSERT_EQ(run("convert pair.mtx a.npz").status, 0);
  EXPECT_EQ(run("eigen pair.mtx --backend cpu --vectors a.npz").status, 1);
  const Outcome outcome = run("linear pair.mtx --backend cpu --vectors y.npz");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "the solution of a linear system is written as .npy");
}

}  // namespace
}  // namespace cisolve
