// Solves that go on from a checkpoint.
#include <hdf5.h>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

const std::string molecule = data + "nh3_sto3g.fcidump";
const std::string eigen =
    "eigen " + molecule + " --backend cpu --threads 2 --set solver.p_space=100 ";

/// Products of the states: a search for lower ones that begins anew draws other vectors, and takes
/// as many products as these need.
std::int64_t products(const nlohmann::json& r) {
  return r["operator_applications"].get<std::int64_t>();
}

void expect_same_energies(const nlohmann::json& found, const nlohmann::json& expected) {
  ASSERT_EQ(found["states"].size(), expected["states"].size());
  for (std::size_t i = 0; i < expected["states"].size(); ++i) {
    EXPECT_NEAR(found["states"][i]["energy"].get<double>(),
                expected["states"][i]["energy"].get<double>(), 1e-10);
  }
}

class Checkpoint : public Application {
 protected:
  nlohmann::json solve(const std::string& arguments) const {
    const Outcome outcome = run(eigen + arguments + " --json r.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json("r.json");
  }
  /// A file to restart from, of two states after three iterations.
  void write_checkpoint() const {
    EXPECT_EQ(run(eigen + "--states 2 --max-iterations 3 --checkpoint ck.h5").status, 2);
  }
  void expect_refused(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run(arguments + " --backend cpu");
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, words);
  }
};

TEST_F(Checkpoint, AnyIterationIsAsGoodAsTheLast) {
  const auto whole = solve("--states 3");
  const int iterations = whole["iterations"];
  for (int i = 1; i < iterations; i += 4) {
    const std::string stop = "--max-iterations " + std::to_string(i);
    fs::remove(folder_ / "ck.h5");
    run(eigen + "--states 3 --checkpoint ck.h5 " + stop);
    const auto rest = solve("--states 3 --restart ck.h5");
    expect_same_energies(rest, whole);
    EXPECT_EQ(rest["restart"]["iterations"], i);
    EXPECT_LE(products(rest), products(whole) + 4) << "stopped after " << i;
    EXPECT_TRUE(rest["verified"].get<bool>());
  }
}

TEST_F(Checkpoint, OtherSettingsTakeTheVectorsOver) {
  write_checkpoint();
  expect_same_energies(solve("--states 5 --restart ck.h5"), solve("--states 5"));
  expect_same_energies(solve("--states 1 --restart ck.h5"), solve("--states 1"));
  const std::string small = "--states 2 --tolerance 1e-8 ";
  expect_same_energies(
      solve(small + "--restart ck.h5 --format csr_symmetric --set solver.max_basis=10"),
      solve(small));
}

TEST_F(Checkpoint, FewerVectorsMakeASmallerFile) {
  const std::string begun = eigen + "--states 2 --max-iterations 6 --checkpoint ";
  run(begun + "all.h5");
  run(begun + "few.h5 --set checkpoint.vectors=3");
  EXPECT_LT(2 * fs::file_size(folder_ / "few.h5"), fs::file_size(folder_ / "all.h5"));
  expect_same_energies(solve("--states 2 --restart few.h5"), solve("--states 2"));
}

TEST_F(Checkpoint, VectorsOfAnEarlierRunAreStartVectors) {
  const auto whole = solve("--states 3 --set output.vectors=v.npy");
  const auto again = solve("--states 3 --restart v.npy");
  expect_same_energies(again, whole);
  EXPECT_LT(again["operator_applications"].get<int>(), whole["operator_applications"].get<int>());
  expect_same_energies(solve("--states 5 --restart v.npy"), solve("--states 5"));
  expect_refused(
      "eigen " + data + "h8_chain_sto3g.fcidump --restart v.npy",
      "v.npy: vectors of another matrix: found an array of shape (3136, 3), expected vectors of "
      "4900 rows");
}

TEST_F(Checkpoint, AnotherMatrixIsRefusedByWhatDiffers) {
  const std::string two = "%%MatrixMarket matrix coordinate real symmetric\n";
  write("a.mtx", two + "4 4 5\n1 1 1\n2 1 2\n2 2 2\n3 3 3\n4 4 4\n");
  write("longer.mtx", two + "5 5 5\n1 1 1\n2 1 2\n2 2 2\n3 3 3\n4 4 4\n");
  write("denser.mtx", two + "4 4 6\n1 1 1\n2 1 2\n3 1 2\n2 2 2\n3 3 3\n4 4 4\n");
  write("moved.mtx", two + "4 4 5\n1 1 1\n3 1 2\n2 2 2\n3 3 3\n4 4 4\n");
  write("sign.mtx", two + "4 4 5\n1 1 1\n2 1 -2\n2 2 2\n3 3 3\n4 4 4\n");
  EXPECT_EQ(run("eigen a.mtx --backend cpu --checkpoint ck.h5").status, 0);
  EXPECT_EQ(run("eigen a.mtx --backend cpu --restart ck.h5").status, 0);
  const std::string other = "ck.h5: checkpoint of another matrix; ";
  expect_refused("eigen longer.mtx --restart ck.h5", other + "rows: found 4, expected 5");
  expect_refused("eigen denser.mtx --restart ck.h5", other + "nonzeros: found 6, expected 8");
  expect_refused("eigen moved.mtx --restart ck.h5",
                 other + "fingerprint: the rows have other numbers of nonzeros");
  expect_refused("eigen sign.mtx --restart ck.h5", other + "fingerprint: the elements differ");
}

TEST_F(Checkpoint, WhatIsNoCheckpointIsRefused) {
  write_checkpoint();
  const std::string whole = contents(folder_ / "ck.h5");
  const std::size_t size = whole.size();
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{8}, std::size_t{100}, std::size_t{2048}, size / 4, size / 2,
        3 * size / 4, size - 4096, size - 1}) {
    write("cut.h5", whole.substr(0, length));
    expect_refused(eigen + "--restart cut.h5", "cut.h5: not readable as HDF5");
    EXPECT_EQ(contents(folder_ / "cut.h5"), whole.substr(0, length));
  }
  std::string spoilt = whole;
  for (std::size_t i = spoilt.size() / 2; i < spoilt.size() / 2 + 64; ++i) spoilt[i] ^= 0x10;
  write("spoilt.h5", spoilt);
  expect_refused(eigen + "--restart spoilt.h5", "cannot be read");
  write("text.h5", "no HDF5");
  expect_refused(eigen + "--restart text.h5", "text.h5: not readable as HDF5");
  write_pair();
  EXPECT_EQ(run("convert pair.mtx pair.h5").status, 0);
  expect_refused(eigen + "--restart pair.h5", "no checkpoint: format 'csr'");
  expect_refused(eigen + "--restart absent.h5", "absent.h5");
  {
    const hid_t file = H5Fopen((folder_ / "ck.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t version = H5Aopen(file, "version", H5P_DEFAULT);
    const std::int64_t next = 3;
    H5Awrite(version, H5T_NATIVE_INT64, &next);
    H5Aclose(version);
    H5Fclose(file);
  }
  expect_refused(eigen + "--restart ck.h5", "checkpoint of layout version 3, expected 2");
}

TEST_F(Checkpoint, SolversWithoutCheckpointsSaySo) {
  write_pair();
  expect_refused("linear pair.mtx --set checkpoint.file=ck.h5", "checkpoint.file: a linear solver");
  expect_refused("eigen pair.mtx --checkpoint absent/ck.h5", "absent/ck.h5");
}

TEST_F(Checkpoint, AFullDiskIsAWarningAndTheFileBeforeStays) {
  EXPECT_EQ(run(eigen + "--states 2 --max-iterations 1 --checkpoint ck.h5").status, 2);
  const std::string before = contents(folder_ / "ck.h5");
  const Outcome outcome = shell("ulimit -f 64; \"$CISOLVE\" " + eigen +
                                "--states 2 --checkpoint ck.h5 --set checkpoint.iterations=1 "
                                "--json r.json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  expect_says(outcome, "checkpoint not written: ck.h5: cannot be written");
  EXPECT_EQ(json("r.json")["checkpoint"]["written"], 0);
  EXPECT_NE(json("r.json")["notes"].dump().find("checkpoint not written"), std::string::npos);
  EXPECT_EQ(contents(folder_ / "ck.h5"), before);
  EXPECT_EQ(files(), 2);
}

TEST_F(Checkpoint, ADiskThatFillsUpOnTheWayKeepsTheLastCheckpointThatFitted) {
  // Each checkpoint holds more vectors than the one before; room is there for the first few.
  const std::string settings = eigen + "--states 2 --set checkpoint.iterations=1 ";
  run(settings + "--max-iterations 3 --checkpoint third.h5");
  const auto kilobytes = std::to_string(fs::file_size(folder_ / "third.h5") / 1024 + 1);
  const Outcome outcome =
      shell("( ulimit -f " + std::to_string(2 * std::stoi(kilobytes)) + "; \"$CISOLVE\" " +
            settings + "--checkpoint ck.h5 --json r.json )");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_says(outcome, "checkpoint not written: ck.h5: cannot be written");
  const auto report = json("r.json");
  EXPECT_EQ(report["status"], "converged");
  EXPECT_GE(report["checkpoint"]["written"].get<int>(), 3);
  EXPECT_LT(report["checkpoint"]["written"].get<int>(), report["iterations"].get<int>());
  EXPECT_NE(report["notes"].dump().find("checkpoint not written"), std::string::npos);
  EXPECT_EQ(files(), 3);  // third.h5, ck.h5, r.json: nothing half-written
  expect_same_energies(solve("--states 2 --restart ck.h5"), report);
}

TEST_F(Checkpoint, TheTimeLimitWritesALastOne) {
  const Outcome outcome =
      run(eigen +
          "--states 2 --set solver.time_limit=1e-6 --set checkpoint.iterations=0 "
          "--checkpoint ck.h5 --json r.json");
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(json("r.json")["status"], "time_limit");
  EXPECT_EQ(json("r.json")["checkpoint"]["written"], 1);
  EXPECT_EQ(solve("--states 2 --restart ck.h5")["status"], "converged");
}

}  // namespace
}  // namespace cisolve
