// Matrices without a unit, of any size: what is promised of them is relative to the matrix.
#include <spdlog/fmt/fmt.h>

#include <cmath>

#include "formats/matrix/csr_matrix.hpp"
#include "io/matrix_file.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

const std::string wild = data + "wild/";

bool holds(const std::string& text, const std::string& words) {
  return text.find(words) != text.npos;
}

class ScaleOfRuns : public Application {
 protected:
  nlohmann::json eigen(const std::string& arguments, int status = 0) const {
    const Outcome outcome = run("eigen " + arguments + " --backend cpu --force --json r.json");
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return json("r.json");
  }
};

TEST_F(ScaleOfRuns, AMatrixInJouleHasTheStatesThatItHas) {
  // 1e-18 tridiag(-1, 2, -1) of n rows: 4e-18 sin²(kπ/2(n + 1)).
  const nlohmann::json report = eigen(wild + "F2_joule.npz --states 3");
  EXPECT_EQ(report["verified"], true);
  EXPECT_LT(report["verification"]["verified_gap"], 2e-21);
  for (int k = 1; k <= 3; ++k) {
    const double exact = 4e-18 * std::pow(std::sin(k * M_PI / 2002.0), 2);
    EXPECT_NEAR(report["states"][k - 1]["energy"].get<double>() / exact, 1.0, 1e-4) << k;
  }
  const Outcome shown = run("eigen " + wild + "F2_joule.npz --states 3 --backend cpu");
  EXPECT_TRUE(holds(shown.out, "9.8498")) << shown.out;
  EXPECT_TRUE(holds(shown.out, "scale       8.67362e-19")) << shown.out;
}

TEST_F(ScaleOfRuns, SymmetryIsJudgedByTheRowsThatItConcerns) {
  const Outcome refused = run("eigen " + wild + "F3_unsym_1e-15.npz --backend cpu");
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(holds(refused.err, "not symmetric: row 1, column 2")) << refused.err;
  EXPECT_TRUE(holds(refused.err, "--symmetrize")) << refused.err;
  EXPECT_EQ(eigen(wild + "F4_rounding.npy")["verified"], true);
}

TEST_F(ScaleOfRuns, SymmetrizeTakesTheMeanOfAMatrixAndItsTranspose) {
  write("a.mtx",
        "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n1 2 4\n2 2 2\n2 3 1e300\n"
        "3 1 6\n");
  EXPECT_EQ(run("eigen a.mtx --backend cpu").status, 1);
  ASSERT_EQ(run("convert a.mtx s.npz --symmetrize").status, 0);
  const CsrMatrix s = read_matrix(folder_ / "s.npz", Storage::full);
  EXPECT_EQ(s.row_offsets, (Array<Offset>{0, 3, 6, 8}));
  EXPECT_EQ(s.column_indices, (Array<Index>{0, 1, 2, 0, 1, 2, 0, 1}));
  EXPECT_EQ(s.values, (Array<double>{1.0, 2.0, 3.0, 2.0, 2.0, 5e299, 3.0, 5e299}));
  const Outcome integrals = run("eigen " + data + "nh3_sto3g.fcidump --symmetrize");
  EXPECT_EQ(integrals.status, 1);
  EXPECT_TRUE(holds(integrals.err, "--symmetrize: of matrices alone")) << integrals.err;
}

TEST_F(ScaleOfRuns, AHugeElementHidesNoState) {
  for (const std::string method : {"davidson", "lobpcg"}) {
    const nlohmann::json report =
        eigen(wild + "dynrange_default.npz --states 5 --method " + method);
    EXPECT_EQ(report["verified"], true) << method;
    EXPECT_NEAR(report["states"][0]["energy"].get<double>(), -3.0, 1e-9) << method;
  }
  const nlohmann::json report =
      eigen(wild + "dynrange_v0.npz --restart " + wild + "dynrange_v0.npy --set solver.p_space=10");
  EXPECT_EQ(report["verified"], true);
  EXPECT_NEAR(report["states"][0]["energy"].get<double>(), -0.0499736945, 1e-9);
  // Lanczos has the element's rounding in every vector, and says so.
  const nlohmann::json lanczos = eigen(wild + "dynrange_v0.npz --method lanczos", 2);
  EXPECT_EQ(lanczos["verified"], false);
  EXPECT_TRUE(holds(lanczos["notes"].dump(), "davidson")) << lanczos["notes"];
}

/// A symmetric matrix as a file, times a factor; numbers in full.
std::string matrix_times(double factor) {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n40 40 80\n";
  const auto entry = [&](int i, int j, double value) {
    text += fmt::format("{} {} {}\n", i, j, factor * value);
  };
  for (int i = 1; i <= 40; ++i) entry(i, i, 0.3 * i);
  for (int i = 2; i <= 40; ++i) entry(i, i - 1, 0.1 + 1.0 / i);
  entry(30, 2, 0.5);
  return text;
}

TEST_F(ScaleOfRuns, OfAFactorOfTwoTheReportHasTheSameBits) {
  write("one.mtx", matrix_times(1.0));
  for (const std::string flags :
       {"", "--method lanczos", "--method lobpcg", "--set spmv.off_diagonal=float32"}) {
    const std::string arguments =
        " --states 3 --verify thorough --set solver.p_space=8 --format csr " + flags;
    const nlohmann::json one = eigen("one.mtx" + arguments);
    for (const int s : {-50, -3, 50}) {
      const double factor = std::ldexp(1.0, s);
      write("scaled.mtx", matrix_times(factor));
      const nlohmann::json scaled = eigen("scaled.mtx" + arguments);
      for (const char* key : {"status", "verified", "iterations", "operator_applications"}) {
        EXPECT_EQ(one[key], scaled[key]) << flags << s << key;
      }
      EXPECT_EQ(one["scale"].get<double>(), scaled["scale"].get<double>() / factor) << flags << s;
      for (int i = 0; i < 3; ++i) {
        for (const char* key : {"energy", "residual_norm"}) {
          EXPECT_EQ(one["states"][i][key].get<double>(),
                    scaled["states"][i][key].get<double>() / factor)
              << flags << s << key;
        }
      }
    }
  }
}

TEST_F(ScaleOfRuns, UnitsAreWhatTolerancesMean) {
  ASSERT_EQ(run("generate a.mtx --kind hubbard --sites 6").status, 0);
  EXPECT_EQ(eigen("a.mtx --units hartree")["tolerance"], 1e-6);
  EXPECT_EQ(eigen("a.mtx --units hartree")["scale"], 1.0);
  EXPECT_EQ(eigen("a.mtx --units ev")["tolerance"], 16e-6);
  EXPECT_EQ(eigen("a.mtx --tolerance 3e-5")["tolerance"], 3e-5);
  const double scale = eigen("a.mtx")["scale"];
  EXPECT_EQ(eigen("a.mtx")["tolerance"], 1e-6 * scale);
}

}  // namespace
}  // namespace cisolve
