#include "app/cli/ranks_of_host.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "backends/ranks/host_world.hpp"
#include "core/error.hpp"
#include "core/places.hpp"
#include "core/timer.hpp"

namespace cisolve {
namespace {

constexpr double grace = 3.0;        // seconds: of ranks, where one has left them and failed
constexpr double last_moment = 0.5;  // between SIGTERM, which a rank that waits does not see, and
                                     // SIGKILL

volatile std::sig_atomic_t interrupted = 0, times_interrupted = 0;

void interrupt(int signal) {
  interrupted = signal;
  times_interrupted = times_interrupted + 1;  // a second Ctrl-C is one more
}

/// `interrupt` is called for the signals that end a program, but those that are ignored.
class Signals {
 public:
  Signals() {
    interrupted = 0;
    times_interrupted = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      before_[i] = std::signal(signals[i], interrupt);
      if (before_[i] == SIG_IGN) std::signal(signals[i], SIG_IGN);
    }
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], before_[i]);
  }

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<void (*)(int), 3> before_{};
};

/// Pointers for execve; the strings must outlive them.
std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> made;
  for (const std::string& text : strings) made.push_back(const_cast<char*>(text.c_str()));
  made.push_back(nullptr);
  return made;
}

/// Turns the child into the rank: no signals of the terminal, nothing read from it, no life without
/// the parent, the memory's file, and the rank's share of the cores if threads are bound to them.
[[noreturn]] void become(const std::vector<char*>& arguments, const std::vector<char*>& environment,
                         pid_t parent, int memory, int said, int rank, int count) noexcept {
  ::setpgid(0, 0);
  std::signal(SIGPIPE, SIG_DFL);  // others that are ignored stay so, as under nohup
  if (std::signal(SIGTERM, SIG_DFL) == SIG_IGN) std::signal(SIGTERM, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(126);
  ::fcntl(memory, F_SETFD, 0);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  std::signal(SIGINT, SIG_DFL);  // which a shell's jobs in the background ignore
  allow_places(rank, count);
  ::execvpe(arguments[0], arguments.data(), environment.data());
  const int error = errno;
  if (::write(said, &error, sizeof error) < 0) ::_exit(126);
  ::_exit(127);
}

/// The processes, all of which end with this object.
class Ranks {
 public:
  explicit Ranks(int count) : memory_(host_ranks_memory(count)), count_(count) {}
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks() {
    pass_on(SIGKILL);
    for (const pid_t rank : running_) ::waitpid(rank, nullptr, 0);
  }

  void begin(int rank, const std::vector<std::string>& line);
  /// Waits until all have ended. Returns the status of the first that ended without leaving the
  /// others, else of the lowest rank that failed, else 0.
  int wait();

 private:
  void pass_on(int signal) const {
    for (const pid_t rank : running_) ::kill(rank, signal);
  }
  void take_ended();

  SharedMemory memory_;
  int count_;
  std::vector<pid_t> all_, running_;
  std::vector<int> statuses_;
  std::optional<int> broken_;  ///< the status of the first that has not left the others
  std::optional<Timer> since_failure_;
};

void Ranks::begin(int rank, const std::vector<std::string>& line) {
  int told[2];
  if (::pipe2(told, O_CLOEXEC) != 0) throw ResourceError(std::strerror(errno));
  const std::vector<std::string> variables = host_rank_environment(memory_, rank, count_);
  const std::vector<char*> arguments = pointers(line), environment = pointers(variables);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) become(arguments, environment, parent, memory_.file(), told[1], rank, count_);
  int error = child < 0 ? errno : 0;
  ::close(told[1]);
  if (child > 0) {
    all_.push_back(child);
    running_.push_back(child);
    statuses_.push_back(0);
    if (::read(told[0], &error, sizeof error) != sizeof error) error = 0;
  }
  ::close(told[0]);
  if (error != 0) throw ResourceError(line[0] + " cannot be run: " + std::strerror(error));
}

void Ranks::take_ended() {
  std::erase_if(running_, [&](pid_t process) {
    int status = 0;
    if (::waitpid(process, &status, WNOHANG) == 0) return false;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const int ended = signal != 0 ? 128 + signal : WEXITSTATUS(status);
    const auto rank = static_cast<int>(std::ranges::find(all_, process) - all_.begin());
    statuses_[rank] = ended;
    if (ended == 0 || broken_) return true;
    if (!since_failure_) since_failure_.emplace();
    if (host_rank_has_left(memory_, rank, count_)) return true;
    broken_ = ended;
    const bool passed_on =
        interrupted != 0 && (signal == SIGINT || signal == SIGHUP || signal == SIGTERM);
    if (signal != 0 && signal != SIGPIPE && !passed_on) {
      spdlog::error("rank {} of {} was ended by signal {} ({}); all end", rank, count_, signal,
                    ::strsignal(signal));
    } else if (signal == 0 && !host_rank_has_joined(memory_, rank, count_)) {
      spdlog::error(
          "rank {} of {} has ended with status {} before it had joined the others; all end", rank,
          count_, ended);
    }
    return true;
  });
}

int Ranks::wait() {
  constexpr useconds_t between = 5'000;
  int passed = 0;  // of the signals that have come since the first rank was begun
  for (bool told = false; !running_.empty(); ::usleep(between)) {
    const int times = times_interrupted;
    if (std::exchange(passed, times) != times) pass_on(interrupted == SIGHUP ? SIGHUP : SIGINT);
    take_ended();
    const double patience = broken_ ? 0.0 : grace;
    if (!since_failure_ || since_failure_->seconds() < patience) continue;
    if (!std::exchange(told, true)) pass_on(SIGTERM);
    if (since_failure_->seconds() > patience + last_moment) pass_on(SIGKILL);
  }
  if (broken_) return *broken_;
  const auto failed = std::ranges::find_if(statuses_, [](int status) { return status != 0; });
  return failed != statuses_.end() ? *failed : 0;
}

}  // namespace

int run_as_ranks(int count, const std::vector<std::string>& line) {
  const Signals signals;
  Ranks ranks(count);
  for (int r = 0; r < count; ++r) ranks.begin(r, line);
  const int status = ranks.wait();
  const bool reader_gone = status == 128 + SIGPIPE;
  if (reader_gone || (interrupted != 0 && status >= 128)) {
    const int signal = reader_gone ? SIGPIPE : static_cast<int>(interrupted);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  return status;
}

}  // namespace cisolve
