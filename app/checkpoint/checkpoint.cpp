#include "app/checkpoint/checkpoint.hpp"

#include "app/checkpoint/checkpoint_file.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// While one rank writes, the others have a part of every vector: it says which one it reads, and
/// at the end, or where it gives up, that there are no more.
class Reading {
 public:
  explicit Reading(Communicator& ranks) : ranks_(ranks) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { ranks_.of_first(no_more); }

  SolverState announced(const SolverState& state) const {
    SolverState made = state;
    made.read = [this, read = state.read](int j, HostMatrix& x, HostMatrix& ax) {
      ranks_.of_first(j);
      read(j, x, ax);
    };
    return made;
  }
  static void take_part(Communicator& ranks, const SolverState& state) {
    HostMatrix x, ax;
    for (int j = 0; (j = ranks.of_first(no_more)) != no_more;) state.read(j, x, ax);
  }

 private:
  static constexpr int no_more = -1;
  Communicator& ranks_;
};

}  // namespace

CheckpointHook CheckpointWriter::hook(const Fingerprint& matrix, int iterations) {
  if (!active()) return {};
  matrix_ = matrix;
  iteration_ = iterations;
  since_ = Timer();
  return [this](int iteration, bool last, const std::function<SolverState()>& state) {
    if (due(iteration, last)) write(state());
  };
}

bool CheckpointWriter::due(int iteration, bool last) const {
  const int iterations = iteration - iteration_;
  const CheckpointConfig& every = config_.checkpoint;
  if (last) return iterations > 0 || written_ == 0;
  return (every.iterations > 0 && iterations >= every.iterations) ||
         (every.seconds > 0.0 && ranks_.of_first(since_.seconds()) >= every.seconds);
}

void CheckpointWriter::write(const SolverState& state) {
  const Timer timer;
  bool written = false;
  if (ranks_.alone()) {
    written = try_to_write(state);
  } else if (ranks_.first()) {
    const Reading reading(ranks_);
    written = try_to_write(reading.announced(state));
  } else {
    Reading::take_part(ranks_, state);
  }
  written_ += ranks_.of_first(written) ? 1 : 0;
  iteration_ = state.iterations;
  since_ = Timer();
  seconds_ += timer.seconds();
}

/// False where it failed, and the user has been told.
bool CheckpointWriter::try_to_write(const SolverState& state) {
  const auto failed = [this](const std::exception& error) {
    failure_ = std::string("checkpoint not written: ") + error.what();
    log_.warn(failure_);
    return false;
  };
  try {
    write_checkpoint(state, matrix_, config_.solver, config_.checkpoint.file);
    return true;
  } catch (const InputError& error) {
    return failed(error);
  } catch (const ResourceError& error) {
    return failed(error);
  }
}

}  // namespace cisolve
