#include "backends/ranks/host_world.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "backends/ranks/heartbeat.hpp"
#include "backends/ranks/host_communicator.hpp"
#include "core/timer.hpp"

namespace cisolve {
namespace {

/// How far a rank is with its end, in the memory behind the communicator's.
struct Mark {
  std::atomic<int> ended;  ///< 0, or its number and one more
  std::atomic<int> left;
};

std::size_t bytes_of(int count) {
  return HostCommunicator::bytes(count) + static_cast<std::size_t>(count) * sizeof(Mark);
}

int number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : -1;
}

class HostWorld final : public World {
 public:
  HostWorld(const SharedMemory& memory, int rank, int size)
      : memory_(memory),
        ranks_(memory, rank, size, std::to_string(size) + " processes of this host") {}

  Communicator& ranks() override { return ranks_; }
  std::string watch(double silence, std::function<void(const std::string&)> failed) override {
    heartbeat_ = std::make_unique<Heartbeat>(ranks_, silence, std::move(failed));
    return heartbeat_->problem();
  }
  std::optional<std::vector<int>> end(int number, double seconds) override {
    mark(ranks_.rank()).ended = number + 1;
    const Timer timer;
    std::vector<int> numbers;
    while (std::ssize(numbers) < ranks_.size()) {
      if (const int ended = mark(static_cast<int>(numbers.size())).ended; ended > 0) {
        numbers.push_back(ended - 1);
        continue;
      }
      if (timer.seconds() > seconds) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return numbers;
  }
  void leave() override {
    heartbeat_.reset();
    mark(ranks_.rank()).left = 1;
    for (int r = 0; r < ranks_.size(); ++r) {
      while (mark(r).left == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  /// Who has begun the ranks ends the others.
  void abort(int status) override { std::_Exit(status); }

 private:
  Mark& mark(int rank) {
    return reinterpret_cast<Mark*>(memory_.data() + HostCommunicator::bytes(ranks_.size()))[rank];
  }

  SharedMemory memory_;
  HostCommunicator ranks_;
  std::unique_ptr<Heartbeat> heartbeat_;
};

}  // namespace

SharedMemory host_ranks_memory(int count) {
  return SharedMemory(bytes_of(count));
}

void become_host_rank(const SharedMemory& memory, int rank, int count) {
  ::setenv(host_ranks_variable, std::to_string(count).c_str(), 1);
  ::setenv(host_rank_variable, std::to_string(rank).c_str(), 1);
  ::setenv(host_file_variable, std::to_string(memory.file()).c_str(), 1);
}

std::unique_ptr<World> join_host_world() {
  const int count = number(host_ranks_variable);
  return std::make_unique<HostWorld>(SharedMemory(number(host_file_variable), bytes_of(count)),
                                     number(host_rank_variable), count);
}

}  // namespace cisolve
