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
  /// before its first product. Faults of the input are left to `operator()`. Size does not matter
  /// with several ranks, with another device than 0, or with a format that only GPUs have. The log
  /// gets the expected times.
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
