#include "backends/ranks/heartbeat.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>

namespace cisolve {
namespace {

constexpr double interval = 1.0;    // seconds between two beats
constexpr double overslept = 5.0;   // this thread itself did not run: nobody else is to blame
constexpr double grace = 5.0;       // until a rank that is gone ends this one, too
constexpr double others_later = 2;  // rank 1 says that rank 0 is silent, others where it does not
constexpr int connect_milliseconds = 2000;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Address of rank 0.
struct Address {
  char host[256] = {};
  std::uint64_t token = 0;  ///< that a rank of this run knows
  in_port_t port = 0;       ///< network order; 0: it is not
  int count = 0;
  in_addr_t addresses[16] = {};
};

void set_timeout(int socket, int option, int milliseconds) {
  const timeval time{milliseconds / 1000, milliseconds % 1000 * 1000};
  ::setsockopt(socket, SOL_SOCKET, option, &time, sizeof time);
}

/// This host's IPv4 addresses, loopback left out.
void add_addresses(Address& address) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return;
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    const auto found = reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr.s_addr;
    if (found == htonl(INADDR_LOOPBACK) || address.count == std::ssize(address.addresses)) continue;
    address.addresses[address.count++] = found;
  }
  ::freeifaddrs(list);
}

/// −1 where there is none.
int listening_socket(Address& address) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t length = sizeof name;
  if (made < 0 || ::bind(made, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0 ||
      ::listen(made, SOMAXCONN) != 0 ||
      ::getsockname(made, reinterpret_cast<sockaddr*>(&name), &length) != 0) {
    if (made >= 0) ::close(made);
    return -1;
  }
  address.port = name.sin_port;
  return made;
}

int connected_to(in_addr_t host, in_port_t port) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  set_timeout(made, SO_SNDTIMEO, connect_milliseconds);  // of connect, too
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = host;
  name.sin_port = port;
  if (::connect(made, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0) return made;
  ::close(made);
  return -1;
}

/// First message of a rank.
struct Greeting {
  std::uint64_t token = 0;
  std::int64_t rank = 0;
};

}  // namespace

Heartbeat::Heartbeat(Communicator& ranks, double silence, Failure failed)
    : silence_(silence), rank_(ranks.rank()), size_(ranks.size()), failed_(std::move(failed)) {
  waker_ = ::eventfd(0, EFD_CLOEXEC);
  // Signals are for the thread that works.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::jthread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  connect(ranks);
  const bool reached = rank_ == 0 ? std::ssize(peers_) == size_ - 1 : !peers_.empty();
  if (!ranks.all(reached)) {
    problem_ = "a rank that hangs is not noticed: not all can reach rank 0 by a socket";
    stop();
    return;
  }
  const double now = seconds_now();
  for (Peer& peer : peers_) {
    peer.heard = now;
    ::fcntl(peer.socket, F_SETFL, O_NONBLOCK);
  }
  state_ = met;
}

void Heartbeat::run() {
  const double begun = seconds_now();
  while (state_ == meeting) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (seconds_now() - begun < silence_ || state_ != meeting) continue;
    return failed_("not all of " + std::to_string(size_) +
                   " ranks have come to their work within " +
                   std::to_string(static_cast<int>(silence_)) + " s; all end");
  }
  if (state_ == met) watch();
}

void Heartbeat::stop() {
  if (state_.exchange(stopped) == stopped) return;
  ::eventfd_write(waker_, 1);
  thread_.join();
  ::close(waker_);
  for (const Peer& peer : peers_) ::close(peer.socket);
  peers_.clear();
}

void Heartbeat::connect(Communicator& ranks) {
  Address address;
  char host[sizeof address.host] = {};
  ::gethostname(host, sizeof host - 1);
  int listening = -1;
  if (rank_ == 0) {
    std::memcpy(address.host, host, sizeof host);
    std::random_device random;
    address.token = (std::uint64_t{random()} << 32) | random();
    add_addresses(address);
    listening = listening_socket(address);
  }
  address = ranks.of_first(address);
  if (address.port == 0) return;
  // Who cannot be reached by then is not watched: that is no silence yet.
  const double until = seconds_now() + std::min(10.0, 0.5 * silence_);
  if (rank_ == 0) {
    accept_all(listening, address.token, size_ - 1, until);
    ::close(listening);
    return;
  }
  int socket = -1;
  if (std::strcmp(host, address.host) == 0) {
    socket = connected_to(htonl(INADDR_LOOPBACK), address.port);
  }
  for (int i = 0; i < address.count && socket < 0 && seconds_now() < until; ++i) {
    socket = connected_to(address.addresses[i], address.port);
  }
  if (socket < 0) return;
  const Greeting greeting{address.token, rank_};
  ::send(socket, &greeting, sizeof greeting, MSG_NOSIGNAL);
  peers_.push_back({0, socket});
}

/// Connections are accepted until all ranks have come or the time is up. Those from outside this
/// run are closed.
void Heartbeat::accept_all(int listening, std::uint64_t token, int others, double until) {
  while (std::cmp_less(peers_.size(), others) && seconds_now() < until) {
    pollfd waiting{listening, POLLIN, 0};
    if (::poll(&waiting, 1, 100) <= 0) continue;
    const int socket = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    set_timeout(socket, SO_RCVTIMEO, connect_milliseconds);
    Greeting greeting;
    const auto got = ::recv(socket, &greeting, sizeof greeting, MSG_WAITALL);
    if (got == sizeof greeting && greeting.token == token) {
      peers_.push_back({static_cast<int>(greeting.rank), socket});
    } else {
      ::close(socket);
    }
  }
}

void Heartbeat::watch() {
  pollfd waker{waker_, POLLIN, 0};
  std::vector<pollfd> waiting;
  double looked = seconds_now(), beaten = 0.0;
  while (state_ != stopped) {
    waiting.assign(1, waker);
    for (const Peer& peer : peers_) {
      waiting.push_back({peer.gone < 0.0 ? peer.socket : -1, POLLIN, 0});
    }
    ::poll(waiting.data(), waiting.size(), 100);
    const double now = seconds_now();
    const bool slept = now - std::exchange(looked, now) > overslept;
    const bool beats = now - beaten >= interval;
    if (beats) beaten = now;
    for (Peer& peer : peers_) {
      if (slept) peer.heard = now;
      if (peer.gone >= 0.0) continue;
      if (beats) ::send(peer.socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
      hear(peer, now);
    }
    for (const Peer& peer : peers_) {
      const std::string said = complaint(peer, now);
      if (said.empty() || state_ == stopped) continue;
      return failed_(said);
    }
    // Messages wake `poll` at once, so its own interval may be long.
    ::poll(&waker, 1, 50);
  }
}

void Heartbeat::hear(Peer& peer, double now) const {
  char beats[64];
  while (true) {
    const auto got = ::recv(peer.socket, beats, sizeof beats, MSG_DONTWAIT);
    if (got > 0) {
      peer.heard = now;
      continue;
    }
    const bool nothing_yet = got < 0 && (errno == EAGAIN || errno == EINTR);
    if (!nothing_yet) peer.gone = now;
    return;
  }
}

std::string Heartbeat::complaint(const Peer& peer, double now) const {
  const std::string name = "rank " + std::to_string(peer.rank) + " of " + std::to_string(size_);
  if (peer.gone >= 0.0) {
    return now - peer.gone < grace ? "" : name + " is gone, and nothing else has ended this one";
  }
  const double patience = silence_ + (rank_ > 1 ? others_later : 0.0);
  if (now - peer.heard < patience) return "";
  return name + " has not been heard for " + std::to_string(static_cast<int>(silence_)) +
         " s: it is stopped, or its host does not answer; all end";
}

}  // namespace cisolve
