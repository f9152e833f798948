#include "io/hdf5/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/error.hpp"

namespace cisolve {
namespace {

constexpr std::size_t least_memory = std::size_t{1} << 30;
constexpr long least_seconds = 5;
constexpr std::size_t bytes_a_second = 50'000'000;

/// A child must not run the handlers of its parent, which end the parent cleanly. Signals to the
/// whole group are left to the parent, which ends the child.
void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    const bool ignored = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
    std::signal(signal, ignored ? SIG_IGN : SIG_DFL);  // fails for those that cannot be caught
  }
}

/// A crash is expected: it leaves no message and no file.
void be_quiet() {
  ::prctl(PR_SET_DUMPABLE, 0);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

/// Bytes of address space this process has by now; 0 where the system does not say.
std::size_t address_space() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

[[noreturn]] void fail_to_start(const std::string& name, int error_number) {
  throw ResourceError(name + ": no process can be started to read it: " +
                      std::generic_category().message(error_number));
}

}  // namespace

Channel::~Channel() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Channel::send(const void* data, std::size_t bytes) const {
  for (const auto* p = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t sent = ::send(descriptor_, p, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    p += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool Channel::receive(void* data, std::size_t bytes) const {
  for (auto* p = static_cast<char*>(data); bytes > 0;) {
    const ssize_t got = ::recv(descriptor_, p, bytes, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    p += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

std::pair<Channel, Channel> connect(const std::string& name) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail_to_start(name, errno);
  return {Channel(ends[0]), Channel(ends[1])};
}

ChildProcess::ChildProcess(std::string name, const std::function<void(const Channel&)>& serve)
    : ChildProcess(name, serve, connect(name)) {}

ChildProcess::ChildProcess(std::string name, const std::function<void(const Channel&)>& serve,
                           std::pair<Channel, Channel> ends)
    : name_(std::move(name)), channel_(std::move(ends.first)) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // none of the parent's handlers runs in the child
  id_ = ::fork();
  const int error_number = errno;
  if (id_ == 0) {
    reset_signals();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    be_quiet();
    const Channel parent = std::move(ends.second);
    { const Channel closed = std::move(channel_); }
    int status = 0;
    try {
      serve(parent);
    } catch (...) {
      status = 1;
    }
    ::_exit(status);  // nothing of the parent's is written or removed
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (id_ < 0) fail_to_start(name_, error_number);
}

ChildProcess::~ChildProcess() {
  if (id_ < 0) return;
  ::kill(id_, SIGKILL);
  wait();
}

void ChildProcess::send(const void* data, std::size_t bytes) {
  if (!channel_.send(data, bytes)) fail();
}

void ChildProcess::receive(void* data, std::size_t bytes) {
  if (!channel_.receive(data, bytes)) fail();
}

/// Exit status of the child; 0 if it cannot be known.
int ChildProcess::wait() {
  const pid_t id = std::exchange(id_, -1);
  int status = 0;
  pid_t waited = -1;
  do waited = ::waitpid(id, &status, 0);
  while (waited < 0 && errno == EINTR);
  return waited < 0 ? 0 : status;
}

void ChildProcess::fail() {
  const int status = wait();
  std::string how = "ended early";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGKILL) {  // nothing in the child raises it
      throw ResourceError(name_ +
                          ": the process that reads it was killed, perhaps for lack of memory");
    }
    how = signal == SIGPROF ? "took too much processor time"
                            : std::string("crashed (") + ::strsignal(signal) + ")";
  }
  throw InputError(name_ + ": damaged: the process that reads it " + how);
}

void limit_child(std::size_t bytes) {
  static const std::size_t before = address_space();
  struct rlimit limit {};
  if (before > 0 && ::getrlimit(RLIMIT_AS, &limit) == 0) {
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, before + least_memory + 4 * bytes);
    ::setrlimit(RLIMIT_AS, &limit);
  }
  const itimerval timer{{0, 0}, {least_seconds + static_cast<long>(bytes / bytes_a_second), 0}};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace cisolve
