#include "app/prepare/opening.hpp"

#include <spdlog/fmt/fmt.h>

#include <exception>
#include <utility>

#include "app/prepare/preparation.hpp"
#include "app/ways/operator_forecast.hpp"
#include "core/thread_count.hpp"

namespace cisolve {

BackendKind Opening::backend(const RunConfig& config, double begin, const Communicator& ranks,
                             const Log& log) {
  const bool open =
      config.backend.name == Device::automatic && config.backend.device == 0 && ranks.alone();
  // To ask whether there is a GPU takes half as long as to begin with it.
  if (open && are_faster(config, begin, log)) return BackendKind::cpu;
  return chosen_backend(config.backend, log);
}

bool Opening::are_faster(const RunConfig& config, double begin, const Log& log) {
  const ThreadCount threads(config.backend.threads);
  try {
    if (!runs_on_cores(config.spmv)) return false;
    storage_ = storage_of(config.spmv);
    model_ = open_(storage_);
    Elements* const elements = model_->elements();
    if (elements == nullptr) return false;
    const auto seconds = [&](BackendKind on) {
      return seconds_of_solve(elements->fewest_nonzeros(), elements->of_determinants(),
                              config.solver.states, on);
    };
    const double cores = seconds(BackendKind::cpu), gpu = begin + seconds(BackendKind::cuda);
    if (cores >= gpu) return false;
    log.proceed(fmt::format("backend     cpu: {:.2g} s expected, {:.2g} s on a GPU", cores, gpu));
    return true;
  } catch (const std::exception&) {
    model_.reset();
    return false;
  }
}

std::unique_ptr<Model> Opening::operator()(Storage storage) {
  if (model_ && storage == storage_) return std::move(model_);
  return open_(storage);
}

}  // namespace cisolve
