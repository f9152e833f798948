// Benchmarks and generated matrices through the program.
#include "tests/support/application.hpp"
#include "tests/support/markup.hpp"

#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace cisolve {
namespace {

TEST_F(Application, BenchMeasuresEveryFormatAgainstTheSerialProduct) {
  const Outcome outcome =
      run("bench generate:ci,rows=300,symmetric=true --backend cpu --block 2 --repeats 4 "
          "--json b.json --csv b.csv");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json report = json("b.json");
  EXPECT_GT(report["copy_bandwidth"].get<double>(), 1e8);
  EXPECT_EQ(report["copy_bandwidths"].size(), 1u);
  ASSERT_EQ(run("info generate:ci,rows=300,symmetric=true --json i.json").status, 0);
  EXPECT_EQ(report["features"], json("i.json")["features"]);
  EXPECT_EQ(report["features"]["m"], 300);
  std::set<std::string> measured;
  for (const nlohmann::json& row : report["rows"]) {
    EXPECT_EQ(row["backend"], "cpu");
    if (row.contains("reason")) {
      EXPECT_FALSE(row.contains("seconds")) << row;
      continue;
    }
    measured.insert(row["format"]);
    if (row["format"] == "serial") {
      EXPECT_EQ(row["threads"], 1);
    }
    EXPECT_GT(row["seconds"].get<double>(), 0.0) << row;
    EXPECT_GT(row["lower_quartile"], 0.0) << row;
    EXPECT_LE(row["lower_quartile"], row["seconds"]) << row;
    EXPECT_LE(row["seconds"], row["upper_quartile"]) << row;
    EXPECT_GT(row["gflops"].get<double>(), 0.0) << row;
    EXPECT_GT(row["bytes"].get<double>(), 0.0) << row;
    EXPECT_GT(row["bandwidth"].get<double>(), 0.0) << row;
    EXPECT_LT(row["relative_error"].get<double>(), 1e-15) << row;
  }
  for (const char* format : {"csr", "ell", "hybrid", "eigen", "serial"}) {
    EXPECT_EQ(measured.count(format), 1u) << format;
  }
  EXPECT_EQ(measured.count("cusparse_sell"), 0u);
  EXPECT_EQ(occurrences(outcome.out, "only on CUDA"), 1u) << outcome.out;
  std::istringstream lines(contents(folder_ / "b.csv"));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  EXPECT_EQ(count, report["rows"].size() + 1);
}

TEST_F(Application, BenchMeasuresComplexMatricesWhereFormatsHoldThem) {
  const Outcome outcome = run("bench " + data + "spinors/h2o_x2c_10e14s.fcidump.gz" +
                              " --backend cpu --block 1,3 --repeats 1 --json b.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(" nonzeros, complex"), std::string::npos) << outcome.out;
  const nlohmann::json report = json("b.json");
  const double nonzeros = 1001 * (1 + 10 * 4 + 45 * 6);  // of up to two of ten electrons moved
  std::set<std::string> measured;
  for (const nlohmann::json& row : report["rows"]) {
    if (row.contains("reason")) {
      const std::string reason = row["reason"];
      EXPECT_TRUE(reason.find("real") != std::string::npos || reason.starts_with("only on CUDA"))
          << row;
      continue;
    }
    measured.insert(row["format"]);
    EXPECT_LT(row["relative_error"].get<double>(), 1e-14) << row;
    const double flops = 8.0 * nonzeros * row["block"].get<int>();
    EXPECT_NEAR(row["gflops"].get<double>() * row["seconds"].get<double>() * 1e9, flops, 1.0);
  }
  for (const char* format : {"csr", "csr_symmetric", "ell", "hybrid", "packed", "sell_c_sigma"}) {
    EXPECT_EQ(measured.count(format), 1u) << format;
  }
  EXPECT_EQ(measured.count("serial") + measured.count("eigen") + measured.count("coo"), 0u);
}

TEST_F(Application, BenchShowsDirectProductsBesideStoredFormats) {
  const std::string flags =
      " --backend cpu --block 1,2 --repeats 1 --format csr,direct --json b.json";
  ASSERT_EQ(run("bench " + data + "nh3_sto3g.fcidump" + flags).status, 0);
  const auto rows = json("b.json")["rows"];
  ASSERT_EQ(rows.size(), 4u);
  for (const nlohmann::json& row : {rows[2], rows[3]}) {
    EXPECT_EQ(row["format"], "direct");
    EXPECT_LT(row["relative_error"].get<double>(), 1e-14) << row;
  }
  write("strings.txt", "00011111\n00101111\n01001111\n00110111\n01010111\n00111011\n");
  ASSERT_EQ(run("bench " + data + "nh3_sto3g.fcidump --strings strings.txt" + flags).status, 0);
  const auto of_list = json("b.json")["rows"];
  ASSERT_EQ(of_list.size(), 4u);
  EXPECT_LT(of_list[3]["relative_error"].get<double>(), 1e-14) << of_list[3];
  ASSERT_EQ(run("bench " + data + "nh3_sto3g.fcidump --space cisd" + flags).status, 0);
  EXPECT_NE(json("b.json")["rows"][2]["reason"].get<std::string>().find("full CI"),
            std::string::npos);
}

TEST_F(Application, BenchWithSeveralNumbersOfThreadsRelatesThemToTheSerialProduct) {
  const Outcome outcome =
      run("bench generate:ci,rows=200 --backend cpu --block 3 --repeats 1 --threads 2,1,2 "
          "--format csr,cusparse_sell,eigen,serial --json b.json --csv b.csv --chart b.svg");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json report = json("b.json");
  std::vector<std::string> order;
  std::map<int, double> serial;
  for (const nlohmann::json& row : report["rows"]) {
    const std::string name = row["format"];
    const int k = row["block"];
    order.push_back(name + " " + std::to_string(row["threads"].get<int>()) + " " +
                    std::to_string(k));
    if (row.contains("reason")) continue;
    if (name == "serial") serial[k] = row["seconds"];
    EXPECT_DOUBLE_EQ(row["speedup"], serial.at(k) / row["seconds"].get<double>()) << row;
  }
  EXPECT_EQ(order,
            (std::vector<std::string>{"serial 1 3", "csr 1 3", "cusparse_sell 1 3", "eigen 1 3",
                                      "csr 2 3", "cusparse_sell 2 3", "eigen 2 3"}));

  ASSERT_EQ(report["best"].size(), 2u);
  for (const nlohmann::json& best : report["best"]) {
    EXPECT_EQ(best["format"], "csr");
    EXPECT_EQ(best["rival"], "eigen");
    EXPECT_DOUBLE_EQ(best["over_rival"],
                     best["rival_seconds"].get<double>() / best["seconds"].get<double>());
  }
  EXPECT_NE(outcome.out.find("best format"), std::string::npos) << outcome.out;

  std::istringstream csv(contents(folder_ / "b.csv"));
  std::string heading, first;
  std::getline(csv, heading);
  std::getline(csv, first);
  EXPECT_EQ(heading.substr(0, 55), "format,backend,threads,block,seconds,gflops,speedup,byt");
  EXPECT_EQ(first.substr(0, 15), "serial,cpu,1,3,");

  const std::string svg = contents(folder_ / "b.svg");
  std::size_t bars = 0;
  for (auto at = svg.find("\"bar\""); at != svg.npos; at = svg.find("\"bar\"", at + 1)) ++bars;
  EXPECT_EQ(bars, 5u);
  EXPECT_NE(svg.find("generate:ci,rows=200: 200 rows"), std::string::npos);
  EXPECT_EQ(files(), 3);
}

TEST_F(Application, BenchOnAPageHasEveryRowAndTheChart) {
  fs::copy_file(data + "h2_sto3g.fcidump", folder_ / "a<b>.fcidump");
  ASSERT_EQ(run("bench 'a<b>.fcidump' --backend cpu --repeats 2 --block 1,2 --format "
                "csr,cusparse_sell,serial --json b.json --html b.html")
                .status,
            0);
  const std::string page = contents(folder_ / "b.html");
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_EQ(page.find("a<b>"), std::string::npos);
  EXPECT_EQ(occurrences(page, "class=\"bar\""), 4u);
  const auto report = json("b.json");
  std::size_t measured = 0;
  for (const auto& row : report["rows"]) measured += !row.contains("reason");
  EXPECT_EQ(measured, 4u);
  EXPECT_EQ(occurrences(page, "<tr>"), measured + report["best"].size() + 3) << "three headings";
  EXPECT_EQ(occurrences(page, "only on CUDA"), 1u);
}

TEST_F(Application, BenchOfProductsWithoutAMatrixStoresNone) {
  const Outcome outcome = run("bench " + data +
                              "nh3_sto3g.fcidump --backend cpu --repeats 1 --block 1,2 --format "
                              "direct --json b.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("not stored: errors are those of 64 rows"), std::string::npos);
  const auto report = json("b.json");
  ASSERT_EQ(report["rows"].size(), 2u);
  for (const auto& row : report["rows"]) {
    ASSERT_FALSE(row.contains("reason")) << row["reason"];
    EXPECT_GT(row["relative_error"], 0.0);
    EXPECT_LE(row["relative_error"], 1e-13);
    EXPECT_GT(row["gflops"], 0.0);
  }
  EXPECT_EQ(report["compared_rows"], 64);
  EXPECT_FALSE(report.contains("features"));
}

TEST_F(Application, BenchHoldsSinglePrecisionToItsOwnTolerance) {
  const Outcome outcome =
      run("bench generate:ci,rows=300,symmetric=true --backend cpu --block 2 --repeats 1 "
          "--format csr,hybrid,sell_c_sigma,dia,eigen --set spmv.off_diagonal=float32 "
          "--json b.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("off by 2^-20"), std::string::npos) << outcome.out;
  int single = 0;
  const nlohmann::json report = json("b.json");
  for (const nlohmann::json& row : report["rows"]) {
    if (row["format"] == "dia") {
      EXPECT_NE(row["reason"].get<std::string>().find("stored in double only"), std::string::npos);
    } else if (row["format"] == "eigen") {
      EXPECT_LT(row["relative_error"].get<double>(), 1e-15) << row;
      EXPECT_EQ(row["tolerance"], 1e-10);
    } else {
      ++single;
      EXPECT_GT(row["relative_error"].get<double>(), 1e-12) << row;
      EXPECT_LT(row["relative_error"].get<double>(), 0x1p-24) << row;
      EXPECT_EQ(row["tolerance"], 0x1p-20);
      EXPECT_NE(row["layout"].get<std::string>().find("float32"), std::string::npos) << row;
    }
  }
  EXPECT_EQ(single, 3);
}

TEST_F(Application, BenchRefusesWhatItCannotMeasureBeforeItWritesAnything) {
  const std::string command = "bench generate:banded,rows=20 --backend cpu ";
  const Outcome nothing = run(command + "--format cusparse_spmm_colmajor --chart b.svg");
  EXPECT_EQ(nothing.status, 1);
  expect_says(nothing, "nothing to measure");
  const Outcome threads = run(command + "--threads 1,x");
  EXPECT_EQ(threads.status, 1);
  expect_says(threads, "--threads");
  const Outcome folder = run(command + "--chart missing/b.svg");
  EXPECT_EQ(folder.status, 1);
  expect_says(folder, "missing/b.svg: cannot be written in its folder");
  EXPECT_EQ(files(), 0);
}

TEST_F(Application, BenchOfAFormatThatCannotRunGivesTheReasonForEveryBlock) {
  const Outcome outcome =
      run("bench generate:banded,rows=20 --backend cpu --format cusparse_csr_alg1 --block 1,4 "
          "--repeats 1 --set backend.threads=2 --json b.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json rows = json("b.json")["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1]["block"], 4);
  EXPECT_EQ(rows[1]["threads"], 2);
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
