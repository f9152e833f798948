// What signals do to a run, and what they leave behind.
#include <csignal>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

/// Starts the program in the background (the command `before` does), waits until `ready` succeeds,
/// sends it a signal and ends with its status. What an earlier run wrote goes first: it would look
/// ready.
std::string interrupted(const std::string& arguments, const std::string& ready,
                        const std::string& signal, const std::string& before = "") {
  return "rm -f out.txt; " + before + "\"$CISOLVE\" " + arguments +
         " > out.txt & pid=$!; n=0; until " + ready +
         "; do sleep 0.02; n=$((n + 1)); [ $n -lt 1500 ] || break; done; kill -" + signal +
         " $pid; wait $pid";
}
/// A chain of 5000 rows, whose lowest levels lie 1e-6 apart, for a method that takes hours over it.
const std::string endless =
    "eigen chain.mtx --tolerance 1e-13 --max-iterations 100000000 --method lanczos "
    "--set solver.p_space=2 --backend cpu --threads 2 --json r.json --set output.vectors=v.npy";
std::string chain() {
  constexpr int rows = 5000;
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n5000 5000 9999\n";
  for (int i = 1; i <= rows; ++i) {
    text += std::to_string(i) + " " + std::to_string(i) + " 2\n";
    if (i > 1) text += std::to_string(i) + " " + std::to_string(i - 1) + " -1\n";
  }
  return text;
}
const std::string iterating = "grep -q ^iteration out.txt 2> /dev/null";

TEST_F(Application, CtrlCEndsAnEigenSolveWithTheBestSoFar) {
  write("chain.mtx", chain());
  for (const char* signal : {"INT", "TERM"}) {
    const Outcome outcome = shell(interrupted(endless, iterating, signal));
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(json("r.json")["status"], "cancelled");
    EXPECT_TRUE(fs::exists(folder_ / "v.npy"));
    EXPECT_EQ(files(), 4);
  }
}

TEST_F(Application, CtrlCEndsALinearSolve) {
  write_pair();
  const Outcome outcome = shell(interrupted(
      "linear pair.mtx --omega 1e-12 --max-iterations 2000000000 --backend cpu --json r.json",
      iterating, "INT"));
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(json("r.json")["status"], "cancelled");
}

TEST_F(Application, ItsChildrenAreNotIgnoredWhereItsParentIgnoresChildren) {
  write("chain.mtx", chain());
  const std::string ready = "{ " + iterating + " && grep SigIgn /proc/$pid/status; }";
  const Outcome outcome = shell(interrupted(endless, ready, "KILL", "env --ignore-signal=CHLD "));
  ASSERT_TRUE(outcome.out.starts_with("SigIgn:")) << outcome.out;
  const auto ignored = std::stoull(outcome.out.substr(outcome.out.find('\t')), nullptr, 16);
  EXPECT_EQ(ignored >> (SIGCHLD - 1) & 1, 0u) << outcome.out;
}

TEST_F(Application, AKilledSolveLeavesNothing) {
  write("chain.mtx", chain());
  const Outcome outcome = shell(interrupted(endless, iterating, "KILL"));
  EXPECT_EQ(outcome.status, 128 + 9);
  EXPECT_EQ(files(), 2);  // chain.mtx, out.txt
}

TEST_F(Application, AConversionEndedWhileItWritesLeavesNothing) {
  const Outcome outcome = shell(interrupted("convert " + data + "n2_sto3g.fcidump a.mtx.gz",
                                            "ls cisolve-*.tmp > /dev/null 2>&1", "TERM"));
  EXPECT_EQ(outcome.status, 128 + 15) << outcome.err;
  EXPECT_EQ(files(), 1);  // out.txt
}

TEST_F(Application, AnySignalThatEndsAConversionLeavesNothing) {
  for (const auto& [signal, number] : {std::pair{"XCPU", 24}, {"USR2", 12}, {"ABRT", 6}}) {
    const Outcome outcome = shell(interrupted("convert " + data + "n2_sto3g.fcidump a.mtx.gz",
                                              "ls cisolve-*.tmp > /dev/null 2>&1", signal));
    EXPECT_EQ(outcome.status, 128 + number) << outcome.err;
    EXPECT_EQ(files(), 1) << signal;  // out.txt
  }
}

TEST_F(Application, VectorsThatDoNotFitLeaveTheReport) {
  write("chain.mtx", chain());
  const std::string eigen =
      "ulimit -f 64; \"$CISOLVE\" eigen chain.mtx --states 4 --max-iterations 3 --backend cpu "
      "--json r.json --html r.html --vectors ";
  for (const char* vectors : {"v.npy", "v.npz", "v.h5"}) {
    const Outcome outcome = shell(eigen + vectors);
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    expect_says(outcome, std::string(vectors) + ": cannot be written");
    expect_says(outcome, "File too large");
    EXPECT_EQ(json("r.json")["status"], "max_iterations") << vectors;
    EXPECT_TRUE(fs::exists(folder_ / "r.html")) << vectors;
    EXPECT_EQ(files(), 3) << vectors;
    fs::remove(folder_ / "r.json");
    fs::remove(folder_ / "r.html");
  }
}

TEST_F(Application, AWriteBeyondTheFileSizeLimitIsStatus3AndLeavesNothing) {
  const Outcome outcome =
      shell("ulimit -f 8; \"$CISOLVE\" convert " + data + "nh3_sto3g.fcidump a.mtx --space cisd");
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  expect_says(outcome, "a.mtx: cannot be written");
  EXPECT_EQ(files(), 0);
}

}  // namespace
}  // namespace cisolve
