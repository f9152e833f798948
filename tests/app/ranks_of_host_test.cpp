#include "app/cli/ranks_of_host.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

class RanksOfHost : public Application {
 protected:
  /// A process that runs it as so many ranks in the folder, after `prepare`; what they say lies in
  /// `said` there.
  pid_t begin(
      int count, const std::vector<std::string>& line,
      const std::function<void()>& prepare = [] {}) const {
    const pid_t program = ::fork();
    if (program != 0) return program;
    fs::current_path(folder_);
    for (std::FILE* stream : {stdout, stderr}) {
      if (std::freopen("said", "a", stream) == nullptr) ::_exit(99);
    }
    std::signal(SIGINT, SIG_DFL);
    prepare();
    ::_exit(run_as_ranks(count, line));
  }
  static int end_of(pid_t program) {
    int status = 0;
    ::waitpid(program, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  /// The program, with a tolerance that is not reached; c.h5 comes of its first iterations.
  static std::vector<std::string> endless_solve() {
    std::istringstream words(
        "--space 4 --states 8 --tolerance 1e-13 --backend cpu --threads 1 --set operator=stored "
        "--checkpoint c.h5 --set checkpoint.iterations=1 --json r.json");
    std::vector<std::string> line{program().string(), "eigen",
                                  data + "h2o_631g_frozen_core.fcidump"};
    for (std::string word; words >> word;) line.push_back(word);
    return line;
  }
  void wait_for_checkpoint() const {
    for (int i = 0; i < 3000 && !fs::exists(folder_ / "c.h5"); ++i) ::usleep(10'000);
  }
  std::string said() const { return contents(folder_ / "said"); }
};

TEST_F(RanksOfHost, HearCtrlC) {
  const pid_t program = begin(
      2, {"sh", "-c", "trap 'exit 7' INT; : > ready.$CISOLVE_RANK; while :; do sleep 0.05; done"});
  const auto ready = [&] {
    return fs::exists(folder_ / "ready.0") && fs::exists(folder_ / "ready.1");
  };
  for (int i = 0; i < 1000 && !ready(); ++i) ::usleep(10'000);
  ::kill(program, SIGINT);
  EXPECT_EQ(end_of(program), 7);
}

/// Whenever it comes, be it before all have begun.
TEST_F(RanksOfHost, HearASignalAtOnce) {
  for (int milliseconds = 4; milliseconds < 16; milliseconds += 2) {
    const auto begun = std::chrono::steady_clock::now();
    const pid_t program = begin(4, {"sleep", "20"});
    ::usleep(1000 * milliseconds);
    ::kill(program, SIGTERM);
    EXPECT_NE(end_of(program), 0);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  }
}

TEST_F(RanksOfHost, SayWhichHasNotJoined) {
  const int status = end_of(begin(2, {"sh", "-c", "exit $((7 * $CISOLVE_RANK))"}));
  EXPECT_EQ(status, 7);
  EXPECT_NE(said().find("rank 1 of 2 has ended with status 7"), std::string::npos) << said();
}

TEST_F(RanksOfHost, EndWithOneThatIsKilled) {
  const auto begun = std::chrono::steady_clock::now();
  const int status = end_of(
      begin(3, {"sh", "-c", "if [ $CISOLVE_RANK = 1 ]; then kill -9 $$; fi; exec sleep 1000"}));
  EXPECT_EQ(status, 128 + SIGKILL);
  EXPECT_NE(said().find("rank 1 of 3 was ended by signal 9"), std::string::npos) << said();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

TEST_F(RanksOfHost, SolveAsOneDoes) {
  std::vector<nlohmann::json> reports;
  for (const int count : {1, 3}) {
    const std::string report = std::to_string(count) + ".json";
    const int status =
        end_of(begin(count, {program().string(), "eigen", data + "nh3_sto3g.fcidump", "--states",
                             "3", "--backend", "cpu", "--threads", "1", "--json", report}));
    ASSERT_EQ(status, 0) << said();
    reports.push_back(json(report));
  }
  EXPECT_EQ(reports[1]["ranks"]["count"], 3);
  ASSERT_EQ(reports[1]["states"].size(), 3);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(reports[0]["states"][k]["energy"], reports[1]["states"][k]["energy"], 1e-10);
  }
  EXPECT_TRUE(reports[1]["verified"]);
}

TEST_F(RanksOfHost, WriteWhatTheyHaveOnCtrlC) {
  const auto begun = std::chrono::steady_clock::now();
  const pid_t solve = begin(2, endless_solve());
  wait_for_checkpoint();
  ::kill(solve, SIGINT);
  EXPECT_EQ(end_of(solve), 2) << said();
  EXPECT_EQ(json("r.json")["status"], "cancelled");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
}

TEST_F(RanksOfHost, EndWhereOneIsStopped) {
  const auto begun = std::chrono::steady_clock::now();
  std::vector<std::string> line{"sh", "-c", "echo $$ > pid.$CISOLVE_RANK; exec \"$0\" \"$@\""};
  for (const std::string& word : endless_solve()) line.push_back(word);
  const pid_t solve = begin(2, line, [] { ::setenv("CISOLVE_RANK_SILENCE", "1", 1); });
  wait_for_checkpoint();
  ::kill(std::stoi(contents(folder_ / "pid.1")), SIGSTOP);
  EXPECT_EQ(end_of(solve), 3) << said();
  EXPECT_NE(said().find("rank 1 of 2 has not been heard for 1 s"), std::string::npos) << said();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
}

TEST_F(RanksOfHost, SayOnceWhatAllHaveFound) {
  EXPECT_EQ(end_of(begin(3, {program().string(), "eigen", "none.fcidump"})), 1);
  const std::string text = said();
  EXPECT_EQ(text.find("none.fcidump"), text.rfind("none.fcidump")) << text;
}

TEST_F(RanksOfHost, EndWithOneThatFailsAlone) {
  fs::copy(data + "nh3_sto3g.fcidump", folder_ / "a.fcidump");
  fs::create_directory(folder_ / "elsewhere");
  const auto begun = std::chrono::steady_clock::now();
  const int status = end_of(begin(
      3,
      {"sh", "-c", "if [ $CISOLVE_RANK = 1 ]; then cd elsewhere; fi; exec \"$0\" eigen a.fcidump",
       program().string()}));
  EXPECT_EQ(status, 1) << said();
  EXPECT_NE(said().find("rank 1 of 3: a.fcidump"), std::string::npos) << said();
  EXPECT_EQ(said().find("is gone"), std::string::npos) << said();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(4500));
}

/// Their memory's file is not one of the standard streams then.
TEST_F(RanksOfHost, EndWhereNothingCanBeWritten) {
  const pid_t solve =
      begin(2, {program().string(), "eigen", data + "nh3_sto3g.fcidump", "--backend", "cpu"}, [] {
        ::close(STDIN_FILENO);
        ::close(STDOUT_FILENO);
      });
  EXPECT_EQ(end_of(solve), 3) << said();
  EXPECT_NE(said().find("stdout"), std::string::npos) << said();
}

TEST_F(RanksOfHost, AreSilentWhereTheReaderHasGone) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const pid_t solve =
      begin(2, {program().string(), "eigen", data + "nh3_sto3g.fcidump", "--backend", "cpu"},
            [&] { ::dup2(ends[1], STDOUT_FILENO); });
  ::close(ends[1]);
  EXPECT_EQ(end_of(solve), 128 + SIGPIPE) << said();
  EXPECT_EQ(said().find("signal"), std::string::npos) << said();
}

TEST_F(RanksOfHost, AreRefusedWithoutTheProgramOrItsMemory) {
  EXPECT_THROW(run_as_ranks(2, {"no_such_program"}), ResourceError);
  for (const std::string more : {"", "CISOLVE_RANK=0 CISOLVE_RANKS_FILE=0 "}) {
    const Outcome alone =
        shell("CISOLVE_RANKS=2 " + more + "\"$CISOLVE\" eigen '" + data + "h2_sto3g.fcidump'");
    EXPECT_EQ(alone.status, 3);
    EXPECT_NE(alone.err.find("CISOLVE_RANKS is set"), std::string::npos) << alone.err;
  }
}

}  // namespace
}  // namespace cisolve
