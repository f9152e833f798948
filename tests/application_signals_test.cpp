// What signals do to a run, and what they leave behind.
#include "tests/application.hpp"

namespace cisolve {
namespace {

/// Starts the program in the background, waits until `ready` succeeds, sends it a signal and ends
/// with its status.
std::string interrupted(const std::string& arguments, const std::string& ready,
                        const std::string& signal) {
  return "\"$CISOLVE\" " + arguments + " > out.txt & pid=$!; n=0; until " + ready +
         "; do sleep 0.02; n=$((n + 1)); [ $n -lt 1500 ] || break; done; kill -" + signal +
         " $pid; wait $pid";
}
// Solves that are to be interrupted use Lanczos: beyond reach of its tolerance Davidson stagnates.
const std::string iterating = "grep -q ^iteration out.txt 2> /dev/null";

TEST_F(Application, CtrlCEndsAnEigenSolveWithTheBestSoFar) {
  for (const char* signal : {"INT", "TERM"}) {
    const Outcome outcome = shell(interrupted(
        "eigen " + data +
            "nh3_sto3g.fcidump --tolerance 1e-99 --max-iterations 100000000 --method lanczos "
            "--backend cpu --threads 2 --json r.json "
            "--set output.vectors=v.npy",
        iterating, signal));
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(json("r.json")["status"], "cancelled");
    EXPECT_TRUE(fs::exists(folder_ / "v.npy"));
    EXPECT_EQ(files(), 3);
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

TEST_F(Application, AKilledSolveLeavesNothing) {
  const Outcome outcome = shell(interrupted(
      "eigen " + data +
          "nh3_sto3g.fcidump --tolerance 1e-99 --max-iterations 100000000 --method lanczos "
          "--backend cpu --threads 2 --json r.json "
          "--set output.vectors=v.npy",
      iterating, "KILL"));
  EXPECT_EQ(outcome.status, 128 + 9);
  EXPECT_EQ(files(), 1);  // out.txt
}

TEST_F(Application, AConversionEndedWhileItWritesLeavesNothing) {
  const Outcome outcome = shell(interrupted("convert " + data + "n2_sto3g.fcidump a.mtx.gz",
                                            "ls cisolve-*.tmp > /dev/null 2>&1", "TERM"));
  EXPECT_EQ(outcome.status, 128 + 15) << outcome.err;
  EXPECT_EQ(files(), 1);  // out.txt
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
