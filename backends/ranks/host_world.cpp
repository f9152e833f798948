#include "backends/ranks/host_world.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "backends/ranks/heartbeat.hpp"
#include "backends/ranks/host_communicator.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"

namespace cisolve {
namespace {

/// Progress of a rank, in the memory behind the communicator's.
struct Mark {
  std::atomic<int> joined;
  std::atomic<int> ended;  ///< 0, or its number and one more
  std::atomic<int> left;
};

std::size_t bytes_of(int count) {
  return HostCommunicator::bytes(count) + static_cast<std::size_t>(count) * sizeof(Mark);
}

Mark& mark(const SharedMemory& memory, int rank, int count) {
  return reinterpret_cast<Mark*>(memory.data() + HostCommunicator::bytes(count))[rank];
}

class HostWorld final : public World {
 public:
  HostWorld(const SharedMemory& memory, int rank, int size)
      : memory_(memory),
        ranks_(memory, rank, size, std::to_string(size) + " processes of this host") {
    mark(rank).joined = 1;
  }

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
  /// Who has begun the ranks ends the others, as this one has not left them.
  void abort(int status) override { std::_Exit(status); }

 private:
  Mark& mark(int rank) { return cisolve::mark(memory_, rank, ranks_.size()); }

  SharedMemory memory_;
  HostCommunicator ranks_;
  std::unique_ptr<Heartbeat> heartbeat_;
};

}  // namespace

int environment_number(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), otherwise);
  return otherwise;
}

SharedMemory host_ranks_memory(int count) {
  return SharedMemory(bytes_of(count));
}

std::vector<std::string> host_rank_environment(const SharedMemory& memory, int rank, int count) {
  const std::pair<std::string, int> own[] = {{host_ranks_variable, count},
                                             {host_rank_variable, rank},
                                             {host_file_variable, memory.file()}};
  std::vector<std::string> environment;
  for (char** at = ::environ; *at != nullptr; ++at) {
    const std::string_view variable(*at);
    const bool is_own = std::ranges::any_of(
        own, [&](const auto& o) { return variable.starts_with(o.first + "="); });
    if (!is_own) environment.emplace_back(variable);
  }
  for (const auto& [name, value] : own) environment.push_back(name + "=" + std::to_string(value));
  return environment;
}

bool host_rank_has_joined(const SharedMemory& memory, int rank, int count) {
  return mark(memory, rank, count).joined != 0;
}

bool host_rank_has_left(const SharedMemory& memory, int rank, int count) {
  return mark(memory, rank, count).left != 0;
}

std::unique_ptr<World> join_host_world() {
  const int count = environment_number(host_ranks_variable, -1),
            rank = environment_number(host_rank_variable, -1),
            file = environment_number(host_file_variable, -1);
  if (rank < 0 || rank >= count || file < 0) {
    throw ResourceError(std::string(host_ranks_variable) + " is set, and " + host_rank_variable +
                        " and " + host_file_variable +
                        " are not as where the program itself has begun its ranks; unset it");
  }
  try {
    return std::make_unique<HostWorld>(SharedMemory(file, bytes_of(count)), rank, count);
  } catch (const ResourceError& error) {
    throw ResourceError(std::string(host_ranks_variable) + " is set: " + error.what());
  }
}

}  // namespace cisolve
