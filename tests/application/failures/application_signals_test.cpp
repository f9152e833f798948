// Effects of signals, full disks, short memory and failing calls on a run, and the files left
// behind.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "app/run/progress.hpp"
#include "io/array_archive.hpp"
#include "io/atomic_file.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

/// Starts the program in the background (the command `before` does), waits until `ready` succeeds,
/// sends it a signal and ends with its status. Files of an earlier run are removed first: they
/// would look ready.
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

/// Status of a child that does this during an Interrupt of some patience: 128 + its signal.
int ending(double patience, const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGTERM, SIG_DFL);
    const Interrupt interrupt(patience);
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
void pass(double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < until) {
  }
}

TEST(Interruption, EndsARunThatDoesNotNoticeIt) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const auto hang = [signal] {
      raise(signal);
      pass(20.0);
    };
    EXPECT_EQ(ending(0.2, hang), 128 + signal);
  }
}

TEST(Interruption, LeavesTheEndToARunThatNoticesIt) {
  EXPECT_EQ(ending(0.2,
                   [] {
                     raise(SIGTERM);
                     if (!Interrupt::requested()) _exit(1);
                     pass(0.5);
                     _exit(7);
                   }),
            7);
}

TEST(Interruption, WaitsForIterationsAsLongAsThoseBefore) {
  EXPECT_EQ(ending(0.1,
                   [] {
                     pass(0.3);
                     Interrupt::requested();
                     raise(SIGTERM);
                     pass(0.3);
                     _exit(Interrupt::requested() ? 7 : 1);
                   }),
            7);
}

TEST(Interruption, LetsARunWriteItsFiles) {
  EXPECT_EQ(ending(0.2,
                   [] {
                     AtomicFile file(fs::temp_directory_path() /
                                     ("cisolve_written_" + std::to_string(getpid())));
                     file.temporary();
                     raise(SIGTERM);
                     pass(0.5);
                     file.discard();
                     pass(20.0);
                   }),
            128 + SIGTERM);
}

TEST(Interruption, LetsARunFinishWhatFollowsTheSolve) {
  for (const bool before : {false, true}) {
    EXPECT_EQ(ending(0.1,
                     [before] {
                       if (before) raise(SIGTERM);
                       Interrupt::finish();
                       if (!before) raise(SIGTERM);
                       pass(0.3);
                       _exit(7);
                     }),
              7);
  }
}

TEST(Interruption, EndsARunBySecondSignal) {
  EXPECT_EQ(ending(20.0,
                   [] {
                     raise(SIGTERM);
                     raise(SIGTERM);
                     pass(20.0);
                   }),
            128 + SIGTERM);
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
    EXPECT_EQ(outcome.err.find(".tmp"), std::string::npos) << outcome.err;
    EXPECT_EQ(json("r.json")["status"], "max_iterations") << vectors;
    EXPECT_TRUE(fs::exists(folder_ / "r.html")) << vectors;
    EXPECT_EQ(files(), 3) << vectors;
    fs::remove(folder_ / "r.json");
    fs::remove(folder_ / "r.html");
  }
}

TEST_F(Application, TrexioFilesThatDoNotFitAreNeverThere) {
#ifndef CISOLVE_TREXIO
  GTEST_SKIP() << "built without libtrexio";
#endif
  for (const int blocks : {4, 12, 40, 120, 400}) {  // of 512 bytes
    const Outcome outcome = shell("ulimit -f " + std::to_string(blocks) + "; \"$CISOLVE\" eigen " +
                                  data + "n2_sto3g.fcidump --backend cpu --vectors v.trexio");
    SCOPED_TRACE(outcome.err);
    EXPECT_EQ(outcome.status, 3);
    expect_says(outcome, "v.trexio: cannot be written: File too large");
    EXPECT_EQ(files(), 0);
  }
}

TEST_F(Application, PicturesAndArraysThatDoNotFitAreNamed) {
  for (const auto& [option, file] : {std::pair{"--picture p.png --pixels 2000", "p.png"},
                                     {"--dump arrays --format csr", "arrays/"}}) {
    const Outcome outcome =
        shell("ulimit -f 8; \"$CISOLVE\" info " + data + "n2_sto3g.fcidump --matrix " + option);
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    expect_says(outcome, std::string("error: ") + file);
    EXPECT_EQ(outcome.err.find(".tmp"), std::string::npos) << outcome.err;
    EXPECT_EQ(files(), 0);
  }
}

/// Disk of that size in a mount of the test's own, as root.
TEST_F(Application, ReportOfAnIrrepIsThereBeforeItsArraysFillTheDisk) {
  if (shell("unshare -m sh -c 'mount -t tmpfs -o size=8k tmpfs .'").status != 0) {
    GTEST_SKIP() << "may not mount";
  }
  const Outcome outcome =
      shell("unshare -m sh -c 'mount -t tmpfs -o size=400k tmpfs . && cd \"$PWD\" && \"" +
            program().string() + "\" eigen " + data +
            "n2_sto3g.fcidump --point-group D2h --irrep Ag:20,B1u:1 --backend cpu --verify off "
            "--json r.json --vectors "
            "v.npy; s=$?; ls >&2; grep -c energy r.json; exit $s'");
  EXPECT_EQ(outcome.status, 3) << outcome.err << outcome.out;
  expect_says(outcome, "r.json\n");
}

TEST_F(Application, AnyLimitOfTheAddressSpaceEndsARunSoon) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "address sanitizers take more address space than any limit leaves";
#endif
  // kB. OpenBLAS would wait without end for a buffer that has no room.
  const auto ended = [this](int limit) {
    Outcome outcome =
        shell("ulimit -v " + std::to_string(limit) + "; timeout -k 1 5 \"$CISOLVE\" " + "eigen " +
              data + "h2_sto3g.fcidump --backend cpu --threads 2");
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 3)
        << limit << " kB: " << outcome.status << outcome.err;
    return outcome;
  };
  int low = 130'000, high = 1'000'000;
  while (high - low > 250) {
    const int middle = (low + high) / 2;
    (ended(middle).err.find("buffer of OpenBLAS") != std::string::npos ? low : high) = middle;
  }
  for (int limit = low - 1'000; limit < high + 6'000; limit += 500) ended(limit);
}

/// Runs in which calls of the system fail, one after another.
class CallsThatFail : public Application {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "address sanitizers have their own malloc";
#endif
  }
  Outcome with_fault(const std::string& fault) const {
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
    return shell("timeout -k 1 10 env LD_PRELOAD=" + library_of_faults().string() +
                 " CISOLVE_FAULT_COUNT=count.txt CISOLVE_FAULT=" + fault + " \"$CISOLVE\" eigen " +
                 data +
                 "h2_sto3g.fcidump --backend cpu --threads 1 --verify off --format csr "
                 "--json r.json --html r.html --vectors v.npz > out.txt");
  }
  /// The n-th call alone, and all from it on.
  void sweep(const std::string& kind, int most) const {
    ASSERT_EQ(with_fault(kind + ":1000000000").status, 0);
    const int calls = std::stoi(contents(folder_ / "count.txt"));
    ASSERT_GT(calls, 0);
    for (int i = 0; i < std::min(calls, most); ++i) {
      const int call = calls <= most ? i + 1 : 1 + i * calls / most;
      for (const char* how : {"", ":once"}) {
        const Outcome outcome = with_fault(kind + ":" + std::to_string(call) + how);
        SCOPED_TRACE(kind + " " + std::to_string(call) + how + ": " + outcome.err);
        EXPECT_TRUE(outcome.status >= 0 && outcome.status <= 3) << outcome.status;
        if (outcome.status == 1 || outcome.status == 3) expect_says(outcome, "cisolve: error: ");
        for (const auto& entry : fs::directory_iterator(folder_)) {
          const std::string name = entry.path().filename().string();
          EXPECT_FALSE(name.starts_with("cisolve-")) << name;
          if (name == "r.json") {
            EXPECT_TRUE(nlohmann::json::accept(contents(entry.path())));
          } else if (name == "r.html") {
            EXPECT_TRUE(contents(entry.path()).ends_with("</html>\n"));
          } else if (name == "v.npz") {
            EXPECT_NO_THROW(read_npz_values(entry.path(), "energies"));
          }
        }
      }
    }
  }
};

TEST_F(CallsThatFail, OfAllocationLeaveNothingHalf) {
  sweep("malloc", 8);
}
TEST_F(CallsThatFail, OfWritingLeaveNothingHalf) {
  sweep("write", 8);
}
TEST_F(CallsThatFail, OfReadingLeaveNothingHalf) {
  sweep("read", 6);
}
TEST_F(CallsThatFail, OfOpeningLeaveNothingHalf) {
  sweep("open", 8);
}
TEST_F(CallsThatFail, OfSynchronisingAndRenamingLeaveNothingHalf) {
  sweep("sync", 3);
  sweep("rename", 3);
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
