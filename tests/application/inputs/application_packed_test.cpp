// Packed files from conversion to solve.
#include <algorithm>

#include "backends/backend.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

const std::string molecule = data + "n2_sto3g.fcidump";
const std::string cpu = " --backend cpu --threads 2";

class PackedInput : public Application {
 protected:
  void convert(const std::string& input, const std::string& output) const {
    const Outcome outcome = run("convert " + input + " " + output);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  nlohmann::json report(const std::string& arguments) const {
    const Outcome outcome = run(arguments + " --json r.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json("r.json");
  }
  void expect_refused(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, words);
  }
  void write_unsymmetric() const {
    write("u.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 1 1\n2 2 3\n");
  }
};

void expect_same_energies(const nlohmann::json& found, const nlohmann::json& expected) {
  ASSERT_EQ(found["states"].size(), expected["states"].size());
  for (std::size_t i = 0; i < expected["states"].size(); ++i) {
    EXPECT_NEAR(found["states"][i]["energy"].get<double>(),
                expected["states"][i]["energy"].get<double>(), 1e-10);
  }
}

bool was_decoded(const nlohmann::json& r) {
  return r["notes"].dump().find("decoded to CSR") != std::string::npos;
}

TEST_F(PackedInput, HasTheEigenvaluesOfItsDeterminants) {
  convert(molecule, "n2.h5 --format packed");
  const std::string states = " --states 4 --tolerance 1e-8";
  const auto expected = report("eigen " + molecule + states + " --format csr" + cpu);
  for (const char* format : {"packed", "auto"}) {
    SCOPED_TRACE(format);
    const auto found = report("eigen n2.h5" + states + " --format " + format + cpu);
    expect_same_energies(found, expected);
    EXPECT_EQ(found["matrix"]["format"], "packed");
    EXPECT_EQ(found["matrix"]["nonzeros"], expected["matrix"]["nonzeros"]);
    EXPECT_FALSE(was_decoded(found));
    // The packed matrix is all that there is in host memory, the operator itself.
    EXPECT_EQ(found["memory"]["host_matrix"], found["matrix"]["bytes"]);
    EXPECT_EQ(found["memory"]["operator"], 0);
    EXPECT_LT(2 * found["memory"]["host_matrix"].get<std::int64_t>(),
              expected["memory"]["host_matrix"].get<std::int64_t>());
  }
}

TEST_F(PackedInput, GoesToAGpuAsItIs) {
  if (!cuda_unavailable_reason().empty()) GTEST_SKIP() << cuda_unavailable_reason();
  convert(molecule, "n2.h5 --format packed");
  const std::string states = " --states 4 --tolerance 1e-8";
  const auto found = report("eigen n2.h5" + states + " --backend cuda");
  expect_same_energies(found, report("eigen " + molecule + states + cpu));
  EXPECT_EQ(found["matrix"]["format"], "packed");
  EXPECT_FALSE(was_decoded(found));
}

TEST_F(PackedInput, IsDecodedForOtherFormatsWhichTheLogSays) {
  write_pair();
  convert("pair.mtx", "pair.h5 --format packed");
  for (const char* format : {"csr", "csr_symmetric", "jad"}) {
    const auto found = report(std::string("eigen pair.h5 --format ") + format + cpu);
    EXPECT_NEAR(found["states"][0]["energy"].get<double>(), 1.0, 1e-10) << format;
    EXPECT_EQ(found["matrix"]["format"], format);
    EXPECT_TRUE(was_decoded(found)) << format;
  }
  const Outcome outcome = run("linear pair.h5 --format packed" + cpu);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  expect_says(outcome, "pair.h5: decoded to CSR: the file holds the matrix packed");
  EXPECT_EQ(run("bench pair.h5 --format csr,packed --repeats 1 --block 1" + cpu).status, 0);
}

TEST_F(PackedInput, ComesBackAsTheSameFile) {
  convert(data + "nh3_sto3g.fcidump", "a.mtx --space cisd");
  convert("a.mtx", "p.h5 --format packed");
  convert("p.h5", "q.h5 --format packed");
  convert("q.h5", "b.mtx");
  EXPECT_EQ(contents(folder_ / "b.mtx"), contents(folder_ / "a.mtx"));
  convert("a.mtx", "c.h5");
  convert("q.h5", "d.h5");
  EXPECT_EQ(contents(folder_ / "d.h5"), contents(folder_ / "c.h5"));
}

TEST_F(PackedInput, GoesOnFromACheckpointOfItsOwnAndOfItsDeterminants) {
  const std::string nh3 = data + "nh3_sto3g.fcidump";
  convert(nh3, "nh3.h5 --format packed");
  const std::string states = " --states 2 --set solver.p_space=100" + cpu;
  const auto whole = report("eigen nh3.h5" + states);
  for (const std::string& input : {std::string("nh3.h5"), nh3}) {
    const std::string stop = " --max-iterations 3 --checkpoint ck.h5";
    EXPECT_EQ(run("eigen " + input + states + stop).status, 2);
    for (const std::string& next : {std::string("nh3.h5"), nh3}) {
      const auto rest = report("eigen " + next + states + " --restart ck.h5");
      expect_same_energies(rest, whole);
      EXPECT_EQ(rest["restart"]["iterations"], 3) << input << ", then " << next;
    }
  }
  convert(nh3 + " --space cisd", "other.h5 --format packed");
  expect_refused("eigen other.h5 --restart ck.h5" + cpu,
                 "ck.h5: checkpoint of another matrix; rows: found 3136, expected");
}

TEST_F(PackedInput, ThatIsNotSymmetricIsRefusedByEigenAlone) {
  write_unsymmetric();
  convert("u.mtx", "u.h5 --format packed");
  expect_refused("eigen u.h5" + cpu, "u.h5: not symmetric, as was found when it was written");
  expect_refused("eigen u.h5 --format csr" + cpu, "u.h5: not symmetric: row 2, column 1 is 1");
  EXPECT_EQ(run("linear u.h5" + cpu).status, 0);
  EXPECT_EQ(report("info u.h5")["matrix"]["symmetric"], false);
}

TEST_F(PackedInput, IsSquareForSolves) {
  write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 2\n2 1 1\n");
  convert("wide.mtx", "wide.h5 --format packed");
  expect_refused("eigen wide.h5" + cpu, "wide.h5: the matrix is 2 x 3, expected a square one");
}

TEST_F(PackedInput, IsWrittenToHdf5Alone) {
  write_pair();
  expect_refused("convert pair.mtx p.npz --format packed",
                 "p.npz: packed matrices are written to HDF5 files");
  expect_refused("convert pair.mtx p.h5 --format jad", "--format");
  EXPECT_EQ(files(), 1);
}

TEST_F(PackedInput, TellsItsLayoutWithoutCsr) {
  convert(data + "nh3_sto3g.fcidump", "nh3.h5 --format packed");
  const auto from_csr = report("info " + data + "nh3_sto3g.fcidump");
  const auto r = report("info nh3.h5");
  EXPECT_EQ(r["packed"]["packing"], "coded_near");
  for (const char* key : {"rows", "columns", "nonzeros", "row_maximum", "longest_row"}) {
    EXPECT_EQ(r["matrix"][key], from_csr["matrix"][key]) << key;
  }
  EXPECT_EQ(r["matrix"]["symmetric"], true);
  EXPECT_EQ(r["regions"], from_csr["regions"]);
  for (const auto& format : r["formats"]) {
    const auto& all = from_csr["formats"];
    EXPECT_NE(std::find(all.begin(), all.end(), format), all.end()) << format;
  }
  EXPECT_NE(r["reason"].get<std::string>().find("need it in CSR"), std::string::npos);
  EXPECT_FALSE(was_decoded(r));
  const auto decoded = report("info nh3.h5 --picture p.png");
  EXPECT_TRUE(was_decoded(decoded));
  EXPECT_EQ(decoded["features"], from_csr["features"]);
}

TEST_F(PackedInput, DamageIsRefusedWithItsName) {
  write_pair();
  convert("pair.mtx", "pair.h5 --format packed");
  const std::string whole = contents(folder_ / "pair.h5");
  write("cut.h5", whole.substr(0, whole.size() / 2));
  expect_refused("eigen cut.h5" + cpu, "cut.h5: not readable as HDF5");
}

}  // namespace
}  // namespace cisolve
