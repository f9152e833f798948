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
  const BackendKind kind = chosen_backend(config.backend, log);
  const bool settled = config.backend.name != Device::automatic || kind == BackendKind::cpu ||
                       !ranks.alone() || config.backend.device != 0 || !runs_on_cores(config.spmv);
  if (settled) return kind;
  const ThreadCount threads(config.backend.threads);
  try {
    storage_ = storage_of(config.spmv);
    model_ = open_(storage_);
    Elements* const elements = model_->elements();
    if (elements == nullptr) return kind;
    const auto seconds = [&](BackendKind on) {
      return seconds_of_solve(elements->fewest_nonzeros(), elements->of_determinants(),
                              config.solver.states, on);
    };
    const double cores = seconds(BackendKind::cpu), gpu = begin + seconds(BackendKind::cuda);
    log.proceed(
        fmt::format("backend     {:.2g} s expected on cores, {:.2g} s on a GPU", cores, gpu));
    return cores < gpu ? BackendKind::cpu : kind;
  } catch (const std::exception&) {
    model_.reset();
    return kind;
  }
}

std::unique_ptr<Model> Opening::operator()(Storage storage) {
  if (model_ && storage == storage_) return std::move(model_);
  return open_(storage);
}

}  // namespace cisolve
