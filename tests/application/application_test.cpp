// Results and reports of the program.
#include "tests/support/application.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"
#include "formats/format.hpp"
#include "io/vector_file.hpp"

namespace cisolve {
namespace {

TEST_F(Application, EigenReportHoldsEveryPromisedField) {
  const Outcome outcome =
      run("eigen " + data + "nh3_sto3g.fcidump --space cisd --backend cpu --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json report = json("r.json");
  EXPECT_EQ(report["status"], "converged");
  ASSERT_EQ(report["states"].size(), 1u);
  EXPECT_NEAR(report["states"][0]["energy"].get<double>(), -55.517613462102, 1e-9);
  EXPECT_LE(report["states"][0]["residual_norm"].get<double>(), 1e-6);
  EXPECT_EQ(report["states"][0]["converged"], true);
  EXPECT_GT(report["operator_applications"].get<int>(), 0);
  EXPECT_GT(report["iterations"].get<int>(), 0);
  EXPECT_EQ(report["matrix"]["rows"], 316);
  EXPECT_EQ(report["matrix"]["format"], "csr");
  EXPECT_EQ(report["matrix"]["bytes"].get<std::int64_t>(),
            12 * report["matrix"]["nonzeros"].get<std::int64_t>() + 8 * 317);
  for (const char* stage : {"read", "build", "convert", "solve", "total"}) {
    EXPECT_GE(report["seconds"][stage].get<double>(), 0.0) << stage;
  }
  EXPECT_EQ(report["backend"], "cpu");
  EXPECT_EQ(report["config"]["input"]["space"], "cisd");
  EXPECT_EQ(report["version"], CISOLVE_VERSION);
  EXPECT_NE(outcome.out.find("-55.5176134621"), std::string::npos) << outcome.out;
}

TEST_F(Application, EnergiesAgreeInEveryFormatAndMethod) {
  for (const char* flags :
       {"--format csr", "--format ell", "--format hybrid", "--method lanczos", "--space FCI"}) {
    const Outcome outcome = run("eigen " + data + "be_ccpvdz.fcidump --backend cpu --irrep 0 " +
                                flags + " --json r.json");
    ASSERT_EQ(outcome.status, 0) << flags << outcome.err;
    EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(), -14.6174091633, 1e-8) << flags;
  }
}

TEST_F(Application, CsrSymmetricHoldsOnlyTheUpperTriangle) {
  const std::string input = "eigen " + data + "be_ccpvdz.fcidump --backend cpu --irrep 0 ";
  ASSERT_EQ(run(input + "--format csr --json whole.json").status, 0);
  const Outcome outcome = run(input + "--format csr_symmetric --deterministic --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json report = json("r.json"), whole = json("whole.json");
  EXPECT_NEAR(report["states"][0]["energy"].get<double>(), -14.6174091633, 1e-8);
  EXPECT_EQ(report["config"]["spmv"]["deterministic"], true);
  const nlohmann::json& matrix = report["matrix"];
  EXPECT_EQ(matrix["format"], "csr_symmetric");
  EXPECT_EQ(matrix["nonzeros"], whole["matrix"]["nonzeros"]);
  const auto rows = matrix["rows"].get<std::int64_t>();
  const std::int64_t held = (matrix["nonzeros"].get<std::int64_t>() + rows) / 2;
  EXPECT_EQ(matrix["bytes"].get<std::int64_t>(), 12 * held + 8 * (rows + 1));
  // The size was announced before it was allocated.
  EXPECT_NE(outcome.out.find(std::to_string(held) + " nonzeros of the upper triangle"),
            std::string::npos)
      << outcome.out;
  const std::string layout = matrix["layout"];
  EXPECT_EQ(outcome.out.find(", scratch ") != std::string::npos,
            layout.find("scratch 0 B") == std::string::npos)
      << layout << "\n"
      << outcome.out;
}

TEST_F(Application, CsrSymmetricTakesMatrixFilesAndRefusesAsymmetricOnes) {
  write_pair();
  Outcome outcome = run("eigen pair.mtx --backend cpu --format csr_symmetric --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(), 1.0, 1e-12);
  EXPECT_EQ(json("r.json")["matrix"]["nonzeros"], 4);
  EXPECT_EQ(json("r.json")["matrix"]["bytes"], 12 * 3 + 8 * 3);
  EXPECT_EQ(run("linear pair.mtx --backend cpu --format csr_symmetric").status, 0);
  write("odd.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n");
  outcome = run("linear odd.mtx --backend cpu --format csr_symmetric");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "row 2, column 1 is 1, but row 1, column 2 is 0");
}

TEST_F(Application, JsonOnStdoutStandsAlone) {
  write_pair();
  const Outcome outcome = run("eigen pair.mtx --states 2 --backend cpu --json -");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json report = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(report["states"][0]["energy"].get<double>(), 1.0, 1e-12);
  EXPECT_NEAR(report["states"][1]["energy"].get<double>(), 3.0, 1e-12);
  expect_says(outcome, "converged");
}

TEST_F(Application, NotConvergedIsStatus2AndMarkedInTheReport) {
  const Outcome outcome = run("eigen " + data +
                              "be_ccpvdz.fcidump --backend cpu --max-iterations 1 "
                              "--json r.json");
  EXPECT_EQ(outcome.status, 2);
  const nlohmann::json report = json("r.json");
  EXPECT_EQ(report["status"], "max_iterations");
  EXPECT_EQ(report["states"][0]["converged"], false);
  EXPECT_NE(outcome.out.find("NO"), std::string::npos);
}

TEST_F(Application, RunFileAndSetGiveTheSameAsFlags) {
  write_pair();
  write("pair.yaml", "input: {file: pair.mtx}\nbackend: {name: cpu}\n");
  const Outcome outcome = run("run pair.yaml --set solver.states=2 --set output.json=-");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["states"].size(), 2u);
}

TEST_F(Application, FrozenAndActiveOrbitalsChangeTheSpace) {
  const Outcome outcome = run("eigen " + data +
                              "nh3_sto3g.fcidump --frozen 1 --active 2-7 "
                              "--backend cpu --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json("r.json")["matrix"]["rows"], 225);  // 8 electrons in 6 orbitals: C(6, 4)²
}

TEST_F(Application, ConversionsKeepTheEnergies) {
  ASSERT_EQ(run("convert " + data + "nh3_sto3g.fcidump a.mtx.gz --space cisd").status, 0);
  ASSERT_EQ(run("convert a.mtx.gz b.npz").status, 0);
  ASSERT_EQ(run("convert b.npz c.h5").status, 0);
  ASSERT_EQ(run("convert c.h5 d.mtx").status, 0);
  for (const char* file : {"a.mtx.gz", "b.npz", "c.h5", "d.mtx"}) {
    ASSERT_EQ(run(std::string("eigen ") + file + " --backend cpu --json r.json").status, 0) << file;
    EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(), -55.517613462102, 1e-11)
        << file;
  }
}

TEST_F(Application, VectorsAreWrittenAsNumpyArray) {
  write_pair();
  const Outcome outcome = run("eigen pair.mtx --backend cpu --set output.vectors=v.npy");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const HostMatrix v = read_vectors(folder_ / "v.npy");
  ASSERT_EQ(v.rows(), 2);
  EXPECT_NEAR(std::abs(v(0, 0)), std::sqrt(0.5), 1e-9);  // eigenvector (1, −1)/√2 of value 1
  EXPECT_NEAR(v(0, 0) + v(1, 0), 0.0, 1e-9);
}

TEST_F(Application, LinearSolvesADiagonallyDominantSystem) {
  write("a.mtx",
        "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 4\n1 2 1\n2 1 2\n2 2 5\n");
  write("b.mtx", "%%MatrixMarket matrix array real general\n% right-hand side\n2 1\n6\n12\n");
  const Outcome outcome =
      run("linear a.mtx --rhs b.mtx --backend cpu --json r.json "
          "--set output.vectors=x.npy");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json report = json("r.json");
  EXPECT_EQ(report["status"], "converged");
  EXPECT_EQ(report["method"], "bicgstab") << "the one that takes any matrix";
  EXPECT_GT(report["iterations"].get<int>(), 0);
  EXPECT_LE(report["relative_residual"].get<double>(), 1e-10);
  EXPECT_NEAR(report["residual_norm"].get<double>(),
              report["relative_residual"].get<double>() * std::sqrt(180.0), 1e-12);
  EXPECT_TRUE(report["seconds"].contains("solve"));
  const HostMatrix x = read_vectors(folder_ / "x.npy");  // 4 + 2·1 = 6, 2 + 5·2 = 12
  EXPECT_NEAR(x(0, 0), 1.0, 1e-9);
  EXPECT_NEAR(x(1, 0), 2.0, 1e-9);

  EXPECT_EQ(run("linear a.mtx --rhs x.npy --backend cpu").status, 0);
  EXPECT_EQ(run("linear a.mtx --rhs random --shift -3.5 --omega 0.8 --backend cpu").status, 0);
  EXPECT_EQ(run("linear a.mtx --method jacobi --max-iterations 1 --backend cpu").status, 2);
  EXPECT_EQ(run("linear a.mtx --method bicgstab --rhs unit:2 --x0 x.npy --backend cpu").status, 0);
  EXPECT_EQ(run("linear a.mtx --method cg --backend cpu").status, 1) << "it is not symmetric";
}

TEST_F(Application, LinearTakesComplexVectorsOfComplexMatrices) {
  write("a.mtx",
        "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n"
        "1 1 3 0\n2 1 0 -1\n2 2 2 0\n");  // 3, i; −i, 2
  write_npy(HostMatrix{{4}, {9}, {8}, {-3}}, folder_ / "b.npy", "", 2);
  const Outcome outcome = run("linear a.mtx --rhs b.npy --backend cpu --vectors x.npy");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const FieldVectors read = read_field_vectors(folder_ / "x.npy");
  EXPECT_EQ(read.components, 2);
  const HostMatrix expected{{1}, {2}, {3}, {-1}};  // 1 + 2i, 3 − i
  EXPECT_LE((read.x - expected).norm(), 1e-8);
  const std::string from_x = " --rhs b.npy --x0 x.npy --backend cpu --json r.json";
  ASSERT_EQ(run("linear a.mtx" + from_x).status, 0);
  EXPECT_EQ(json("r.json")["iterations"], 0);

  write("r.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 2 2\n");
  expect_says(run("linear r.mtx" + from_x),
              "b.npy: found elements of 2 real numbers, expected real ones as of the matrix");
}

TEST_F(Application, LinearTakesTheMethodWithTheFewestProductsUnlessOneIsMeant) {
  const std::string nh3 = "linear " + data +
                          "nh3_sto3g.fcidump --space cisd --backend cpu --json r.json "
                          "--shift-from-ground -0.1 ";
  ASSERT_EQ(run(nh3).status, 0);
  nlohmann::json report = json("r.json");
  EXPECT_EQ(report["config"]["linear"]["method"], "auto");
  EXPECT_EQ(report["method"], "cg");
  EXPECT_EQ(report["setup_applications"], 0);
  EXPECT_TRUE(report["forecast"].empty());
  ASSERT_EQ(run(nh3 + "--forecast").status, 0);
  report = json("r.json");
  const nlohmann::json least =
      *std::ranges::min_element(report["forecast"], {}, [](const nlohmann::json& one) {
        return one["products"].is_null() ? 1000000 : one["products"].get<int>();
      });
  EXPECT_EQ(report["method"], least["method"]);
  EXPECT_NE(report["method"], "jacobi");
  const std::string of_jacobi = "not diagonally dominant";
  EXPECT_EQ(report["notes"].dump().find(of_jacobi), std::string::npos) << report["notes"];
  // A setting of one method chooses that method.
  ASSERT_EQ(run(nh3 + "--omega 0.8").status, 0);
  EXPECT_EQ(json("r.json")["method"], "jacobi");
  EXPECT_EQ(json("r.json")["omega"], 0.8);
  EXPECT_NE(json("r.json")["notes"].dump().find(of_jacobi), std::string::npos);
  ASSERT_EQ(run(nh3 + "--set linear.block_size=4").status, 0);
  EXPECT_EQ(json("r.json")["method"], "block_jacobi");
}

TEST_F(Application, LinearSolvesForSeveralColumnsAndForecasts) {
  write_pair();  // (2 1; 1 2)
  write("b.mtx", "%%MatrixMarket matrix array real general\n2 2\n3\n3\n1\n-1\n");
  const Outcome outcome =
      run("linear pair.mtx --rhs b.mtx --method auto --forecast --backend cpu --json r.json "
          "--set output.vectors=x.npy");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("forecast"), std::string::npos);
  const nlohmann::json report = json("r.json");
  EXPECT_EQ(report["columns"].size(), 2u);
  EXPECT_EQ(report["residual_history"].size(), report["iterations"].get<std::size_t>() + 1);
  EXPECT_NEAR(report["spectrum"]["lowest"].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(report["spectrum"]["highest"].get<double>(), 1.5, 1e-12);
  EXPECT_EQ(report["forecast"].size(), 8u);
  EXPECT_EQ(report["forecast"][0]["method"], "jacobi");
  EXPECT_EQ(report["setup_applications"], 4);
  const HostMatrix x = read_vectors(folder_ / "x.npy");
  EXPECT_LE((x - HostMatrix{{1, 1}, {1, -1}}).norm(), 1e-9);
}

TEST_F(Application, LinearTakesDiagonalBlocks) {
  write_pair();                                    // (2 1; 1 2)
  for (const char* blocks : {"2", "0", "1024"}) {  // all the matrix: solved at once
    const std::string block_size = std::string(" --set linear.block_size=") + blocks;
    const Outcome outcome =
        run("linear pair.mtx --method block_jacobi --backend cpu --json r.json" + block_size);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("spectrum    of B^-1 (A - shift): 1 to 1"), std::string::npos);
    const nlohmann::json report = json("r.json");
    EXPECT_EQ(report["method"], "block_jacobi");
    EXPECT_EQ(report["iterations"], 1);
    EXPECT_EQ(report["forecast"].size(), 1u);
    EXPECT_EQ(run("linear pair.mtx --method block_jacobi --backend cpu --format csr_symmetric"
                  " --shift-from-ground -0.5" +
                  block_size)
                  .status,
              0);
  }
}

TEST_F(Application, LinearShiftsFromTheGroundState) {
  write_pair();  // of 1 and 3
  const Outcome outcome =
      run("linear pair.mtx --method cg --shift-from-ground -0.5 --rhs ones --backend cpu "
          "--json r.json --set output.vectors=x.npy");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json report = json("r.json");
  EXPECT_NEAR(report["ground"]["energy"].get<double>(), 1.0, 1e-10);
  EXPECT_NEAR(report["shift"].get<double>(), 0.5, 1e-10);
  const HostMatrix x = read_vectors(folder_ / "x.npy");  // (1, 1) / (3 − 0.5)
  EXPECT_NEAR(x(0, 0), 0.4, 1e-9);
  // (1, 1) is an eigenvector of a level above the shift; (1, 0) is not.
  const std::string within = "linear pair.mtx --method cg --shift-from-ground 0.5 --backend cpu";
  EXPECT_EQ(run(within).status, 0);
  EXPECT_EQ(run(within + " --rhs unit:1").status, 2);
  EXPECT_EQ(run("linear pair.mtx --method minres --shift-from-ground 0.5 --backend cpu").status, 0);
}

TEST_F(Application, InfoDescribesMatrixAndFile) {
  ASSERT_EQ(run("info " + data + "lih_ccpvdz.fcidump --irrep 3 --space cisd --json r.json").status,
            0);
  nlohmann::json report = json("r.json");
  EXPECT_EQ(report["fcidump"]["orbitals"], 19);
  EXPECT_EQ(report["fcidump"]["electrons"], 4);
  EXPECT_EQ(report["fcidump"]["header"]["ISYM"], "1");
  EXPECT_EQ(report["fcidump"]["determinants"], report["matrix"]["rows"]);
  EXPECT_EQ(report["matrix"]["symmetric"], true);

  write("skew.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n1 2 1\n2 2 2\n");
  ASSERT_EQ(run("info skew.mtx --json r.json").status, 0);
  report = json("r.json");
  EXPECT_EQ(report["matrix"]["nonzeros"], 3);
  EXPECT_EQ(report["matrix"]["row_minimum"], 1);
  EXPECT_EQ(report["matrix"]["row_maximum"], 2);
  EXPECT_EQ(report["matrix"]["longest_row"], 1);
  EXPECT_EQ(report["matrix"]["row_mean"], 1.5);
  EXPECT_EQ(report["matrix"]["density"], 0.75);
  EXPECT_EQ(report["matrix"]["symmetric"], false);
  const auto& formats = report["formats"];
  const auto csr =
      std::ranges::find_if(formats, [](const nlohmann::json& f) { return f["format"] == "csr"; });
  ASSERT_NE(csr, formats.end());
  EXPECT_EQ((*csr)["bytes"], 3 * 12 + 3 * 8);
}

TEST_F(Application, FormatsSayWhatIsAvailableAndWhyNot) {
  const Outcome outcome = run("formats --json -");
  ASSERT_EQ(outcome.status, 0);
  std::set<std::string> rows;
  for (const nlohmann::json& row : nlohmann::json::parse(outcome.out)) {
    EXPECT_EQ(row["available"].get<bool>(), row["reason"] == "") << row;
    const auto format = row["format"].get<std::string>(),
               backend = row["backend"].get<std::string>();
    rows.insert(format + " " + backend);
    const bool vendor = format.starts_with("cusparse");
    const bool single = find_format(format).cpu_single != nullptr;
    EXPECT_EQ(row["float32"].get<bool>(), single) << row;
    EXPECT_EQ(row["available"].get<bool>(),
              backend == "cpu" ? !vendor : cuda_unavailable_reason().empty())
        << row;
  }
  for (const char* format : {"csr", "ell", "hybrid"}) {
    EXPECT_TRUE(rows.contains(format + std::string(" cpu"))) << format;
    EXPECT_TRUE(rows.contains(format + std::string(" cuda"))) << format;
  }
}

TEST_F(Application, ExampleRunFilesGiveWhatTheySay) {
  Outcome outcome = run("run " + configs + "matrix_market.yaml --set output.json=-");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json states = nlohmann::json::parse(outcome.out)["states"];
  ASSERT_EQ(states.size(), 3u);
  EXPECT_NEAR(states[0]["energy"].get<double>(), -2.0, 1e-9);
  EXPECT_NEAR(states[1]["energy"].get<double>(), -1.0, 1e-9);
  EXPECT_NEAR(states[2]["energy"].get<double>(), -1.0, 1e-9);

  EXPECT_EQ(run("run " + configs + "jacobi.yaml").status, 0);

  // The small relative of water's full CI, in the same file's terms.
  outcome = run("run " + configs + "water.yaml --set input.space=cisd --set solver.states=1");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("-76.1130931851"), std::string::npos) << outcome.out;

  outcome = run("run " + configs + "gpu.yaml --set input.space=cisd");
  EXPECT_EQ(outcome.status, cuda_unavailable_reason().empty() ? 0 : 3) << outcome.err;
}

}  // namespace
}  // namespace cisolve
