#include "app/checkpoint/checkpoint.hpp"

#include "app/checkpoint/checkpoint_file.hpp"
#include "core/error.hpp"

namespace cisolve {

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
         (every.seconds > 0.0 && since_.seconds() >= every.seconds);
}

void CheckpointWriter::write(const SolverState& state) {
  const Timer timer;
  const auto failed = [this](const std::exception& error) {
    failure_ = std::string("checkpoint not written: ") + error.what();
    log_.warn(failure_);
  };
  try {
    write_checkpoint(state, matrix_, config_.solver, config_.checkpoint.file);
    ++written_;
  } catch (const InputError& error) {
    failed(error);
  } catch (const ResourceError& error) {
    failed(error);
  }
  iteration_ = state.iterations;
  since_ = Timer();
  seconds_ += timer.seconds();
}

}  // namespace cisolve
