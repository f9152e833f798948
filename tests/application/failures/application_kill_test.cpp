// Solves that are killed at random moments, and go on from what they left.
//
//   CISOLVE_KILLS=20           how often (4); spread over the time a whole solve takes
//   CISOLVE_KILL_SEED=7        of the moments (1)
//   CISOLVE_KILL_BACKEND=cuda  where (cpu)
//   CISOLVE_KILL_INPUT="FILE --states 4 ..."   of what
//   CISOLVE_RANK_KILLS=20      how often one of several ranks is (2)
#include <fcntl.h>
#include <hdf5.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

using Clock = std::chrono::steady_clock;

std::string environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

/// Products of the states: a search for lower ones that begins anew draws other vectors, and takes
/// as many products as these need.
std::int64_t products(const nlohmann::json& r) {
  return r["operator_applications"].get<std::int64_t>();
}

class Kill : public Application {
 protected:
  const std::string solve_ =
      "eigen " +
      environment("CISOLVE_KILL_INPUT", data +
                                            "nh3_sto3g.fcidump --states 4 --tolerance 1e-7 "
                                            "--threads 2 --set solver.p_space=100") +
      " --backend " + environment("CISOLVE_KILL_BACKEND", "cpu") +
      " --checkpoint ck.h5 --set checkpoint.iterations=1 --json r.json";

  bool checkpoint_is_there() const { return fs::exists(folder_ / "ck.h5"); }

  /// The program's command line, from the checkpoint where there is one.
  std::string solve_line() const {
    return "'" + program().string() + "' " + solve_ +
           (checkpoint_is_there() ? " --restart ck.h5" : "");
  }
  /// Starts the command line.
  pid_t start() const { return start("exec " + solve_line()); }
  pid_t start(const std::string& command) const {
    const std::string line = command + " > out.txt 2> err.txt";
    const pid_t pid = fork();
    if (pid == 0) {
      if (chdir(folder_.c_str()) == 0) execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      _exit(127);
    }
    return pid;
  }

  static int exit_status(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// Kills the process once `now` says so; its exit status where it has ended before.
  template <class Now>
  static std::optional<int> kill_when(pid_t pid, Now now) {
    int status = 0;
    while (!now()) {
      if (waitpid(pid, &status, WNOHANG) == pid) return exit_status(status);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    ::kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return std::nullopt;
    return exit_status(status);
  }

  static std::optional<int> kill_after(pid_t pid, double seconds) {
    const auto moment = Clock::now() + std::chrono::duration<double>(seconds);
    return kill_when(pid, [moment] { return Clock::now() >= moment; });
  }

  /// Temporary files, which a killed process leaves when it was writing.
  std::vector<fs::path> temporaries() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ".tmp") found.push_back(entry.path());
    }
    return found;
  }
  bool was_writing() const {
    const auto left = temporaries();
    for (const fs::path& path : left) fs::remove(path);
    return !left.empty();
  }

  /// Iterations of the checkpoint, every element of which is read; 0 where there is none.
  std::int64_t checkpoint_iterations() const {
    if (!checkpoint_is_there()) return 0;
    std::int64_t iterations = -1;
    const hid_t file = H5Fopen((folder_ / "ck.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_GE(file, 0);
    const hid_t attribute = H5Aopen(file, "iterations", H5P_DEFAULT);
    EXPECT_GE(H5Aread(attribute, H5T_NATIVE_INT64, &iterations), 0);
    H5Aclose(attribute);
    for (const char* name : {"vectors", "images"}) {
      const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
      std::vector<double> values(H5Sget_simple_extent_npoints(space));
      EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
      EXPECT_TRUE(std::ranges::all_of(values, [](double x) { return std::isfinite(x); }));
      H5Sclose(space);
      H5Dclose(set);
    }
    H5Fclose(file);
    return iterations;
  }

  /// The last iteration that the killed process has shown; 0 where it had not come so far.
  std::int64_t shown_iterations() const {
    std::ifstream file(folder_ / "out.txt");
    std::int64_t last = 0;
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::int64_t iteration = 0, basis = 0, so_far = 0;
      if (line.starts_with("  ") && words >> iteration >> basis >> so_far) last = iteration;
    }
    return last;
  }

  void expect_the_answer(const nlohmann::json& whole) const {
    const auto found = json("r.json");
    ASSERT_EQ(found["states"].size(), whole["states"].size());
    for (std::size_t i = 0; i < whole["states"].size(); ++i) {
      EXPECT_NEAR(found["states"][i]["energy"].get<double>(),
                  whole["states"][i]["energy"].get<double>(), 1e-10);
    }
    EXPECT_TRUE(found["verified"].get<bool>());
    // Work after a checkpoint is lost and not counted. Work before it is not repeated, except the
    // product of the final residuals of every state.
    EXPECT_LE(products(found), products(whole) + static_cast<int>(whole["states"].size()) + 1);
    std::printf("  done: %d iterations, %d products (%d, %d without kills)\n",
                found["iterations"].get<int>(), static_cast<int>(products(found)),
                whole["iterations"].get<int>(), static_cast<int>(products(whole)));
  }

  void start_anew() const {
    fs::remove(folder_ / "ck.h5");
    fs::remove(folder_ / "r.json");
  }
};

/// A moment in each of so many equal parts of the time, the earliest first, the others in no order.
std::vector<double> random_moments(int count, double seconds, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<double> moments(count);
  for (int i = 0; i < count; ++i) moments[i] = (i + uniform(engine)) / count * seconds;
  std::shuffle(moments.begin() + 1, moments.end(), engine);
  return moments;
}

TEST_F(Kill, ASolveKilledAtRandomMomentsGoesOnWhereItWas) {
  const int kills = std::max(1, std::stoi(environment("CISOLVE_KILLS", "4")));
  const unsigned seed = std::stoul(environment("CISOLVE_KILL_SEED", "1"));
  const auto begin = Clock::now();
  const std::optional<int> status = kill_when(start(), [] { return false; });
  ASSERT_TRUE(status == 0) << contents(folder_ / "err.txt");
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const auto whole = json("r.json");
  std::printf("seed %u, %d kills within %.2f s\n", seed, kills, seconds);
  start_anew();

  int killed = 0, writing = 0, before_any = 0;
  std::vector<double> moments = random_moments(kills, seconds, seed);
  while (killed < kills) {
    const std::int64_t before = checkpoint_iterations();
    double& moment = moments[killed];
    if (const auto ended = kill_after(start(), moment)) {
      ASSERT_EQ(*ended, 0) << contents(folder_ / "err.txt");
      expect_the_answer(whole);
      start_anew();
      // The moment comes in the next solve, unless a whole one is faster now than the first was.
      if (before == 0) moment *= 0.8;
      continue;
    }
    const bool in_writing = was_writing();
    const std::int64_t shown = std::max(shown_iterations(), before);
    const std::int64_t kept = checkpoint_iterations();
    std::printf("  killed after %.3f s in iteration %d%s; the checkpoint has %d\n", moment,
                static_cast<int>(shown), in_writing ? ", writing" : "", static_cast<int>(kept));
    EXPECT_GE(kept, before);
    EXPECT_GE(kept, shown - 1) << "more is lost than the iteration killed";
    ++killed;
    writing += in_writing ? 1 : 0;
    before_any += kept == 0 ? 1 : 0;
  }
  const std::optional<int> last = kill_when(start(), [] { return false; });
  ASSERT_TRUE(last == 0) << contents(folder_ / "err.txt");
  expect_the_answer(whole);
  std::printf("killed %d times, before any checkpoint %d times, in writing one %d times\n", killed,
              before_any, writing);
}

TEST_F(Kill, WhileACheckpointIsWrittenTheOneBeforeStays) {
  bool in_writing = false;
  std::int64_t kept = 0;
  for (int attempt = 0; attempt < 20 && !in_writing; ++attempt) {
    start_anew();
    // The second checkpoint: there is one before it.
    const auto ended =
        kill_when(start(), [this] { return checkpoint_is_there() && !temporaries().empty(); });
    if (ended) continue;
    in_writing = was_writing();
    kept = checkpoint_iterations();
    EXPECT_GE(kept, 1);
    EXPECT_GE(kept, shown_iterations() - 1);
  }
  ASSERT_TRUE(in_writing) << "never caught writing";
  const std::optional<int> status = kill_when(start(), [] { return false; });
  ASSERT_TRUE(status == 0) << contents(folder_ / "err.txt");
  EXPECT_EQ(json("r.json")["restart"]["iterations"], kept);
}

/// Ranks, of which one is killed.
class KillOfARank : public Kill {
 protected:
  void SetUp() override {
    if (shell("command -v mpirun").status != 0) GTEST_SKIP() << "there is no mpirun";
    if (!fs::exists(program().parent_path() / "lib" / "libcisolve_mpi.so")) {
      GTEST_SKIP() << "built without MPI";
    }
  }
  /// Every rank leaves its process number in a file.
  pid_t start_ranks(int ranks) const {
    for (int r = 0; r < 4; ++r) fs::remove(pid_file(r));
    write("rank.sh", "echo $$ > pid.$OMPI_COMM_WORLD_RANK\nexec " + solve_line() + "\n");
    return start("exec mpirun --allow-run-as-root --oversubscribe --bind-to none -n " +
                 std::to_string(ranks) + " sh rank.sh");
  }
  fs::path pid_file(int rank) const { return folder_ / ("pid." + std::to_string(rank)); }
  /// False also if it has died and nobody has read its status.
  static bool is_at_work(pid_t pid) {
    const std::string state = contents("/proc/" + std::to_string(pid) + "/stat");
    return !state.empty() && state.find(") Z") == std::string::npos;
  }
  bool all_ended(int ranks) const {
    for (int r = 0; r < ranks; ++r) {
      if (is_at_work(pid_of(r))) return false;
    }
    return true;
  }
  /// 0 where it has not begun yet.
  pid_t pid_of(int rank) const {
    const std::string text = contents(pid_file(rank));
    return text.ends_with('\n') ? std::stoi(text) : 0;
  }
};

/// Far more than it takes: on a busy machine the launcher alone may need many seconds.
constexpr std::chrono::seconds rank_patience(60), launcher_patience(15);

TEST_F(KillOfARank, EndsAllAndAnotherNumberOfRanksGoesOn) {
  const int kills = std::max(1, std::stoi(environment("CISOLVE_RANK_KILLS", "2")));
  std::mt19937 engine(std::stoul(environment("CISOLVE_KILL_SEED", "1")));
  const auto begin = Clock::now();
  ASSERT_EQ(kill_when(start_ranks(2), [] { return false; }), 0) << contents(folder_ / "err.txt");
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const auto whole = json("r.json");
  start_anew();
  int killed = 0, ranks = 2;
  for (int attempt = 0; killed < kills; ++attempt) {
    ASSERT_LT(attempt, 10 * kills) << "ranks end before they are killed";
    ranks = ranks == 4 ? 2 : ranks + 1;
    const std::int64_t before = checkpoint_iterations();
    const auto moment =
        Clock::now() +
        std::chrono::duration<double>(std::uniform_real_distribution(0.2, 0.9)(engine) * seconds);
    const int victim = std::uniform_int_distribution(0, ranks - 1)(engine);
    const pid_t launcher = start_ranks(ranks);
    Clock::time_point shot{};
    const auto ended = kill_when(launcher, [&] {
      if (shot != Clock::time_point{}) {
        return Clock::now() > shot + launcher_patience &&
               (all_ended(ranks) || Clock::now() > shot + rank_patience);
      }
      if (Clock::now() < moment || pid_of(victim) == 0) return false;
      ::kill(pid_of(victim), SIGKILL);
      shot = Clock::now();
      return false;
    });
    // Open MPI's launcher itself may hang where a rank dies while it connects (PMIX ERROR:
    // UNREACHABLE): all ranks have ended then, which is what the program answers for.
    ASSERT_TRUE(ended || all_ended(ranks))
        << "ranks of " << ranks << " go on without rank " << victim << '\n'
        << contents(folder_ / "err.txt") << contents(folder_ / "out.txt");
    if (!ended) std::printf("  the launcher goes on without its ranks\n");
    was_writing();
    if (ended == 0) {  // it was over by then
      expect_the_answer(whole);
      start_anew();
      continue;
    }
    const std::int64_t kept = checkpoint_iterations();
    std::printf(
        "  rank %d of %d killed; all ended after %.2f s; the checkpoint has %d iterations\n",
        victim, ranks, std::chrono::duration<double>(Clock::now() - shot).count(),
        static_cast<int>(kept));
    EXPECT_GE(kept, before);
    while (!all_ended(ranks) && Clock::now() < shot + rank_patience) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_TRUE(all_ended(ranks));
    ++killed;
  }
  ASSERT_EQ(kill_when(start_ranks(ranks == 4 ? 2 : ranks + 1), [] { return false; }), 0)
      << contents(folder_ / "err.txt");
  expect_the_answer(whole);
}

}  // namespace
}  // namespace cisolve
