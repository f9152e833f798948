#include "app/cli/ranks_of_host.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "backends/ranks/host_world.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"

namespace cisolve {
namespace {

constexpr double grace = 3.0;  // seconds to end by themselves, and then to follow SIGTERM

volatile std::sig_atomic_t interrupted = 0, times_interrupted = 0;

void interrupt(int signal) {
  interrupted = signal;
  times_interrupted = times_interrupted + 1;  // a second Ctrl-C is one more
}

/// In the child: no signals of the terminal, nothing read from it, and no life without the parent.
[[noreturn]] void become(const std::vector<char*>& arguments, int said) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  std::signal(SIGPIPE, SIG_DFL);  // others that are ignored stay so, as under nohup
  std::signal(SIGINT, SIG_DFL);   // but this one, which a shell's jobs in the background ignore
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  if (::write(said, &error, sizeof error) < 0) ::_exit(126);
  ::_exit(127);
}

/// The processes, all of which end with this object.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks() {
    pass_on(SIGKILL);
    for (const pid_t rank : running_) ::waitpid(rank, nullptr, 0);
  }

  void begin(const SharedMemory& memory, int rank, int count, const std::vector<char*>& arguments);
  /// Until all have ended; the status of the first that has failed, 0 where none has.
  int wait();

 private:
  void pass_on(int signal) const {
    for (const pid_t rank : running_) ::kill(rank, signal);
  }
  void take_ended();

  std::vector<pid_t> all_, running_;
  std::optional<int> failed_;
  bool killed_ = false;  ///< it could not tell the others
};

void Ranks::begin(const SharedMemory& memory, int rank, int count,
                  const std::vector<char*>& arguments) {
  int told[2];
  if (::pipe2(told, O_CLOEXEC) != 0) throw ResourceError(std::strerror(errno));
  const pid_t child = ::fork();
  if (child == 0) {
    become_host_rank(memory, rank, count);
    become(arguments, told[1]);
  }
  int error = child < 0 ? errno : 0;
  ::close(told[1]);
  if (child > 0) {
    all_.push_back(child);
    running_.push_back(child);
    if (::read(told[0], &error, sizeof error) != sizeof error) error = 0;
  }
  ::close(told[0]);
  if (error != 0) {
    throw ResourceError(std::string(arguments[0]) + " cannot be run: " + std::strerror(error));
  }
}

void Ranks::take_ended() {
  std::erase_if(running_, [&](pid_t rank) {
    int status = 0;
    if (::waitpid(rank, &status, WNOHANG) == 0) return false;
    const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended == 0 || failed_) return true;
    failed_ = ended;
    killed_ = WIFSIGNALED(status);
    if (killed_ && interrupted == 0) {
      const auto number = std::ranges::find(all_, rank) - all_.begin();
      spdlog::error("rank {} of {} was ended by signal {} ({}); all end", number, all_.size(),
                    WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    }
    return true;
  });
}

int Ranks::wait() {
  constexpr useconds_t between = 5'000;
  int passed = 0;
  std::optional<Timer> since_failure;
  for (bool told = false; !running_.empty(); ::usleep(between)) {
    const int times = times_interrupted;
    if (std::exchange(passed, times) != times) pass_on(interrupted == SIGHUP ? SIGHUP : SIGINT);
    take_ended();
    if (!failed_) continue;
    if (!since_failure) since_failure.emplace();
    const double patience = killed_ ? 0.0 : grace;
    if (!told && since_failure->seconds() > patience) {
      told = true;
      pass_on(SIGTERM);
    }
    if (since_failure->seconds() > patience + grace) pass_on(SIGKILL);
  }
  return failed_.value_or(0);
}

}  // namespace

int run_as_ranks(int count, const std::vector<std::string>& line) {
  std::vector<char*> arguments;
  for (const std::string& argument : line) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  const SharedMemory memory = host_ranks_memory(count);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  Ranks ranks;
  for (int r = 0; r < count; ++r) ranks.begin(memory, r, count, arguments);
  const int status = ranks.wait();
  if (interrupted != 0 && status >= 128) {
    std::signal(interrupted, SIG_DFL);
    std::raise(interrupted);
  }
  return status;
}

}  // namespace cisolve
