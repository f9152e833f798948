#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "backends/ranks/communicator.hpp"

namespace cisolve {

/// Ranks that tell each other that they are alive, by a thread of each, whatever their work is: a
/// rank that is stopped, or whose host no longer answers, would else be waited for for ever. The
/// time of a product says nothing. Rank 0 hears all others, and they hear it, over a socket of
/// each: MPI may be called by one thread alone.
///
/// A rank whose work never ends while its process runs is not noticed.
class Heartbeat {
 public:
  using Failure = std::function<void(const std::string&)>;

  /// Called by all ranks. `failed` is called once, by the thread, where the others do not come to
  /// this call, or another rank has not been heard, for `silence` seconds, or is gone before
  /// `stop`: it is to end the process. If ranks cannot reach each other nothing is watched, and
  /// `problem` says so.
  Heartbeat(Communicator& ranks, double silence, Failure failed);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat() { stop(); }

  const std::string& problem() const { return problem_; }
  /// From here on others may be gone.
  void stop();

 private:
  /// Another rank, with the socket to it.
  struct Peer {
    int rank = 0, socket = -1;
    double heard = 0.0;  ///< when, last
    double gone = -1.0;  ///< when its end closed the socket; < 0: it has not
  };

  enum State { meeting, met, stopped };

  void run();
  void connect(Communicator& ranks);
  void accept_all(int listening, std::uint64_t token, int others, double until);
  void watch();
  void hear(Peer& peer, double now) const;
  std::string complaint(const Peer& peer, double now) const;

  double silence_;
  int rank_, size_;
  Failure failed_;
  std::string problem_;
  std::vector<Peer> peers_;
  std::atomic<State> state_ = meeting;
  int waker_ = -1;  ///< `stop` writes to it
  std::jthread thread_;
};

}  // namespace cisolve
