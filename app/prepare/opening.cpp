#include "app/prepare/opening.hpp"

#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "app/prepare/preparation.hpp"
#include "app/ways/direct/operator_forecast.hpp"
#include "core/error.hpp"
#include "core/threads/thread_count.hpp"
#include "core/timer.hpp"

namespace cisolve {
namespace {

/// True if NVIDIA's is loaded, or Windows' below WSL: soon known.
bool has_driver() {
  std::error_code ignored;
  return std::filesystem::exists("/proc/driver/nvidia/version", ignored) ||
         std::filesystem::exists("/dev/dxg", ignored);
}

}  // namespace

BackendKind Opening::backend(const RunConfig& config, double begin, const Communicator& ranks,
                             const Log& log) {
  const bool open =
      config.backend.name == Device::automatic && config.backend.device == 0 && ranks.alone();
  // The question whether there is a GPU takes half as long as to begin with it.
  if (open && has_driver() && are_faster(config, begin, log)) return BackendKind::cpu;
  return chosen_backend(config.backend, log);
}

bool Opening::are_faster(const RunConfig& config, double begin, const Log& log) {
  const ThreadCount threads(config.backend.threads);
  const Timer timer;
  try {
    if (!runs_on_cores(config.spmv)) return false;
    storage_ = storage_of(config.spmv);
    model_ = open_(storage_);
    Elements* const elements = model_->elements();
    if (elements == nullptr) return false;
    const int states = config.solver.states;
    const double cores = seconds_of_solve(*elements, states, BackendKind::cpu);
    const double gpu = begin + seconds_of_solve(*elements, states, BackendKind::cuda);
    seconds_ = timer.seconds();
    if (cores >= gpu) return false;
    log.proceed(fmt::format("backend     cpu: {:.2g} s expected, {:.2g} s on a GPU", cores, gpu));
    return true;
  } catch (const InputError&) {
    return false;
  } catch (const ResourceError&) {
    return false;
  }
}

std::unique_ptr<Model> Opening::operator()(Storage storage) {
  if (model_ && storage == storage_) return std::move(model_);
  model_.reset();
  return open_(storage);
}

}  // namespace cisolve
