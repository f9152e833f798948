// The program's threads beside other processes that want the cores.

#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <atomic>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

/// This process and its children on two of its cores, with two busy processes for each of them,
/// while it lives.
class BusyCores {
 public:
  BusyCores() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t two;
    CPU_ZERO(&two);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu) {
      if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &two);
    }
    cores_ = CPU_COUNT(&two);
    sched_setaffinity(0, sizeof two, &two);
    for (int i = 0; i < 2 * cores_; ++i) processes_.push_back(spin());
  }
  BusyCores(const BusyCores&) = delete;
  BusyCores& operator=(const BusyCores&) = delete;
  ~BusyCores() {
    for (const pid_t process : processes_) {
      kill(process, SIGKILL);
      waitpid(process, nullptr, 0);
    }
    sched_setaffinity(0, sizeof before_, &before_);
  }
  int cores() const { return cores_; }

 private:
  static pid_t spin() {
    const pid_t process = fork();
    if (process != 0) return process;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (std::atomic<unsigned> turns = 0;;) turns.fetch_add(1, std::memory_order_relaxed);
  }

  cpu_set_t before_{};
  int cores_ = 0;
  std::vector<pid_t> processes_;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

class Threads : public Application {
 protected:
  /// Environment without the test program's own settings.
  const std::string plain_ =
      "env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT -u KMP_BLOCKTIME -u OPENBLAS_THREAD_TIMEOUT ";

  /// Processor time of a run of the program. Spinning threads show in it, however busy the machine.
  double processor_seconds(const std::string& variables, const std::string& arguments) const {
    rusage before{}, after{};
    getrusage(RUSAGE_CHILDREN, &before);
    EXPECT_EQ(shell(plain_ + variables + " \"$CISOLVE\" " + arguments).status, 0);
    getrusage(RUSAGE_CHILDREN, &after);
    return seconds(after.ru_utime) - seconds(before.ru_utime) + seconds(after.ru_stime) -
           seconds(before.ru_stime);
  }
  /// The places that threads are bound to in a run of the program, as libgomp says itself.
  std::set<std::string> places(const std::string& variables, const std::string& arguments) const {
    const Outcome run = shell(plain_ + variables +
                              " OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT='bound to %A' "
                              "\"$CISOLVE\" " +
                              arguments);
    EXPECT_EQ(run.status, 0) << run.err;
    std::set<std::string> found;
    std::istringstream lines(run.err);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("bound to ")) found.insert(line);
    }
    return found;
  }
  /// Spin count of libgomp's threads in its own words; empty if OpenMP is another library.
  std::string spin_count(const std::string& variables) const {
    const Outcome run =
        shell(plain_ + variables + " OMP_DISPLAY_ENV=verbose \"$CISOLVE\" --version");
    const std::string name = "GOMP_SPINCOUNT = '";
    const auto place = run.err.find(name);
    if (place == std::string::npos) return {};
    const auto begin = place + name.size();
    return run.err.substr(begin, run.err.find('\'', begin) - begin);
  }
};

TEST_F(Threads, OfATinyProblemSpendNoProcessorTimeWaitingForOneAnother) {
  const BusyCores busy;
  if (busy.cores() < 2) GTEST_SKIP() << "one core";
  const std::string solve = "eigen " + data + "h2_sto3g.fcidump --states 2 --backend cpu";
  const double one_thread = processor_seconds("OMP_NUM_THREADS=1", solve);
  EXPECT_LT(processor_seconds("", solve), 2 * one_thread + 0.2);
}

TEST_F(Threads, SpinBrieflyUnlessTheUserSaysOtherwise) {
  if (spin_count("").empty()) GTEST_SKIP() << "OpenMP is not GNU's";
  EXPECT_LE(std::stoull(spin_count("")), 10'000u);
  EXPECT_EQ(spin_count("GOMP_SPINCOUNT=77"), "77");
  EXPECT_EQ(spin_count("OMP_WAIT_POLICY=passive"), "0");
  EXPECT_GT(std::stoull(spin_count("OMP_WAIT_POLICY=active")), 1'000'000u);
}

TEST_F(Threads, ThatTheUserBindsHaveACoreEach) {
  if (spin_count("").empty()) GTEST_SKIP() << "OpenMP is not GNU's";
  if (omp_get_num_procs() < 2) GTEST_SKIP() << "one core";
  const std::string products =
      "bench generate:hubbard,sites=8 --backend cpu --format csr --block 8 --repeats 1 --threads 2";
  EXPECT_EQ(places("OMP_PROC_BIND=true OMP_NUM_THREADS=2", products).size(), 2u);
}

TEST_F(Threads, KeepTheUsersEnvironment) {
  const std::string solve = " eigen " + data + "h2_sto3g.fcidump";
  const Outcome run = shell(plain_ + "OMP_THREAD_LIMIT=3 \"$CISOLVE\"" + solve);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err.find("spin"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace cisolve
