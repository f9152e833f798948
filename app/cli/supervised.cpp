#include "app/cli/supervised.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/error.hpp"

namespace cisolve {
namespace {

volatile std::sig_atomic_t interrupted = 0, times_interrupted = 0;

void interrupt(int signal) {
  interrupted = signal;
  times_interrupted = times_interrupted + 1;  // a second Ctrl-C is one more
}

/// The processes that `parent` has begun itself.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string text;
    std::getline(std::ifstream(entry.path() / "stat"), text, '\0');
    // "pid (name) state parent ...", any characters in the name
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos || end + 4 > text.size()) continue;
    if (std::atoi(text.c_str() + end + 4) == parent) found.push_back(std::atoi(name.c_str()));
  }
  return found;
}

/// To the ranks themselves: not every mpirun that says so passes signals on.
void pass_on(int signal, pid_t launcher) {
  if (signal == SIGHUP) {
    ::kill(launcher, SIGTERM);
    return;
  }
  const std::vector<pid_t> ranks = children_of(launcher);
  if (ranks.empty()) ::kill(launcher, SIGTERM);
  for (const pid_t rank : ranks) ::kill(rank, SIGUSR1);
}

/// Its status, once it has ended.
int wait_for(pid_t launcher) {
  constexpr useconds_t between = 20'000;
  int status = 0, passed = 0;
  while (::waitpid(launcher, &status, WNOHANG) == 0) {
    const int times = times_interrupted;
    if (std::exchange(passed, times) != times) pass_on(interrupted, launcher);
    ::usleep(between);
  }
  return status;
}

/// In the child: no signals of the terminal, nothing read from it, and no life without the parent.
[[noreturn]] void become(const std::vector<char*>& arguments, int said) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  std::signal(SIGPIPE, SIG_DFL);  // others that are ignored stay so, as under nohup
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  if (::write(said, &error, sizeof error) < 0) ::_exit(126);
  ::_exit(127);
}

}  // namespace

bool is_supervised() {
  return std::getenv(supervised_variable) != nullptr;
}

int supervised(const std::vector<std::string>& line, const std::string& value) {
  std::vector<char*> arguments;
  for (const std::string& argument : line) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  ::setenv(supervised_variable, value.c_str(), 1);
  int told[2];
  if (::pipe2(told, O_CLOEXEC) != 0) throw ResourceError(line[0] + ": " + std::strerror(errno));
  const pid_t child = ::fork();
  if (child == 0) become(arguments, told[1]);
  const int fork_error = errno;
  ::close(told[1]);
  int error = 0;
  const bool failed = child < 0 || ::read(told[0], &error, sizeof error) == sizeof error;
  ::close(told[0]);
  int status = 0;
  if (failed) {
    if (child > 0) ::waitpid(child, &status, 0);
    throw ResourceError(line[0] +
                        " cannot be run: " + std::strerror(child < 0 ? fork_error : error));
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  status = wait_for(child);
  const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (interrupted != 0 && ended >= 128) {
    std::signal(interrupted, SIG_DFL);
    std::raise(interrupted);
  }
  return ended;
}

}  // namespace cisolve
