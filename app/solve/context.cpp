#include "app/solve/context.hpp"

#include "backends/cuda_module.hpp"

namespace cisolve {

BackendKind chosen_backend(const BackendConfig& config, const Log& log) {
  if (config.name != Device::automatic) {
    return config.name == Device::cuda ? BackendKind::cuda : BackendKind::cpu;
  }
  if (const std::string fault = cuda_module_fault(); !fault.empty()) {
    log.warn("the GPU is not used: " + fault);
  }
  return cuda_unavailable_reason().empty() ? BackendKind::cuda : BackendKind::cpu;
}

std::unique_ptr<Backend> make_backend(const BackendConfig& config, const Log& log) {
  return chosen_backend(config, log) == BackendKind::cuda ? make_cuda_backend(config.device)
                                                          : make_cpu_backend();
}

}  // namespace cisolve
