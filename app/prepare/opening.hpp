#pragma once

#include <memory>
#include <utility>

#include "app/prepare/context.hpp"

namespace cisolve {

/// The input of a run, opened before its backend is chosen where that depends on its size, and then
/// handed over.
class Opening {
 public:
  explicit Opening(OpenModel open) : open_(std::move(open)) {}

  /// The backend that the configuration names or, for `auto`, the faster one as expected: CUDA
  /// where it can be used, unless cores take less time than a GPU, which needs `begin` seconds
  /// before its first product. What is wrong with the input is left for `operator()` to say. Where
  /// ranks are several, or a device but 0 or a format of GPUs alone is asked for, size does not
  /// matter.
  /// The log hears what was expected.
  BackendKind backend(const RunConfig& config, double begin, const Communicator& ranks,
                      const Log& log);
  std::unique_ptr<Model> operator()(Storage storage);
  /// Seconds that it was being opened and looked at, once.
  double take_seconds() { return std::exchange(seconds_, 0.0); }

 private:
  /// True if cores are expected to be, the input then being open.
  bool are_faster(const RunConfig& config, double begin, const Log& log);

  OpenModel open_;
  std::unique_ptr<Model> model_;
  Storage storage_ = Storage::full;
  double seconds_ = 0.0;
};

/// Seconds that a program takes to have a GPU, its module and memory ready.
inline constexpr double gpu_begin_seconds = 0.35;

}  // namespace cisolve
