// Benchmarks and generated matrices through the program.
#include "tests/application.hpp"

#include <cmath>
#include <set>

namespace cisolve {
namespace {

using Json = nlohmann::json;

TEST_F(Application, BenchMeasuresEveryFormatAgainstTheSerialProduct) {
  const Outcome outcome =
      run("bench generate:ci,rows=300,symmetric=true --backend cpu --block 1,3 --repeats 3 "
          "--json b.json --csv b.csv");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json report = json("b.json");
  EXPECT_GT(report["copy_bandwidth"].get<double>(), 1e8);
  std::set<std::string> measured;
  for (const Json& row : report["rows"]) {
    EXPECT_EQ(row["backend"], "cpu");
    if (row.contains("reason")) {
      EXPECT_FALSE(row.contains("seconds")) << row;
      continue;
    }
    measured.insert(row["format"]);
    EXPECT_GT(row["seconds"].get<double>(), 0.0) << row;
    EXPECT_GT(row["gflops"].get<double>(), 0.0) << row;
    EXPECT_GT(row["bytes"].get<double>(), 0.0) << row;
    EXPECT_GT(row["bandwidth"].get<double>(), 0.0) << row;
    EXPECT_LT(row["relative_error"].get<double>(), 1e-15) << row;
  }
  for (const char* format : {"csr", "ell", "hybrid", "eigen"}) {
    EXPECT_EQ(measured.count(format), 1u) << format;
  }
  EXPECT_EQ(measured.count("cusparse_sell"), 0u);
  std::istringstream lines(contents(folder_ / "b.csv"));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  EXPECT_EQ(count, report["rows"].size() + 1);
}

TEST_F(Application, BenchOfAFormatThatCannotRunGivesTheReasonForEveryBlock) {
  const Outcome outcome =
      run("bench generate:banded,rows=20 --backend cpu --format cusparse_csr_alg1 --block 1,4 "
          "--repeats 1 --json b.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json rows = json("b.json")["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1]["block"], 4);
  EXPECT_NE(rows[1]["reason"].get<std::string>().find("only on CUDA"), std::string::npos);
}

TEST_F(Application, BenchRefusesAFormatThatDoesNotExist) {
  const Outcome outcome = run("bench generate:banded,rows=20 --format sparse --backend cpu");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "there is no format 'sparse'");
}

TEST_F(Application, ParametersOfFormatsOutOfRangeAreRefused) {
  const Outcome outcome =
      run("bench generate:banded,rows=20 --backend cpu --set spmv.slice_height=0");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "spmv.slice_height: found '0', expected integer (1 to 1024)");
}

TEST_F(Application, GenerateWritesTheMatrixThatTheNameMakes) {
  ASSERT_EQ(run("generate a.mtx --kind random --rows 50 --per-row 4 --seed 7 --symmetric").status,
            0);
  const Outcome file = run("info a.mtx --json a.json");
  ASSERT_EQ(file.status, 0) << file.err;
  const Outcome name =
      run("info generate:random,rows=50,per_row=4,seed=7,symmetric=true --json n.json");
  ASSERT_EQ(name.status, 0) << name.err;
  EXPECT_EQ(json("a.json")["matrix"], json("n.json")["matrix"]);
  EXPECT_EQ(json("a.json")["matrix"]["symmetric"], true);
}

TEST_F(Application, HubbardRingGivesItsExactEnergy) {
  const Outcome outcome = run("eigen generate:hubbard,sites=2,U=4,t=1 --backend cpu --json h.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NEAR(json("h.json")["states"][0]["energy"].get<double>(), 2.0 - std::sqrt(8.0), 1e-10);
}

TEST_F(Application, GenerateRefusesAKeyThatTheKindDoesNotHave) {
  const Outcome outcome = run("generate a.mtx --kind hubbard --rows 5");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "the keys of hubbard are sites, t, U, electrons");
  EXPECT_EQ(files(), 0);
}

}  // namespace
}  // namespace cisolve
