#include "app/cli/supervised.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/error.hpp"

namespace cisolve {
namespace {

volatile std::sig_atomic_t launcher = 0;
volatile std::sig_atomic_t interrupted = 0;

void pass_on(int signal) {
  const auto process = static_cast<pid_t>(launcher);
  if (process == 0) return;
  interrupted = signal;
  ::kill(process, signal == SIGHUP ? SIGTERM : SIGUSR1);
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
  launcher = child;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, pass_on) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  launcher = 0;
  const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (interrupted != 0 && ended >= 128) {
    std::signal(interrupted, SIG_DFL);
    std::raise(interrupted);
  }
  return ended;
}

}  // namespace cisolve
