#include "app/prepare/context.hpp"

#include <omp.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "backends/cuda/entry.hpp"
#include "backends/cuda_module.hpp"
#include "backends/ranks/rank_backend.hpp"
#include "core/error.hpp"

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

std::unique_ptr<Backend> make_backend(BackendKind kind, const BackendConfig& config,
                                      Communicator& ranks, const Log& log) {
  if (ranks.alone()) {
    return kind == BackendKind::cuda ? make_cuda_backend(config.device) : make_cpu_backend();
  }
  const bool cuda = kind == BackendKind::cuda;
  if (!ranks.all(ranks.of_first(kind) == kind)) {
    throw InputError(std::string("backend.name: this rank would compute on ") +
                     (cuda ? "a GPU" : "the CPU") + ", others would not; cpu or cuda says where");
  }
  if (!cuda) return make_rank_backend(make_cpu_backend(), ranks);
  // A launcher may show each rank one device, always as the first. NCCL is refused if ranks share
  // one.
  const int device = config.device + ranks.local_rank();
  auto own = make_cuda_backend(device % std::max(1, cuda_device_count()));
  std::string failure;
  const auto warn = [log](const std::string& why) {
    log.warn("vectors are exchanged by way of the host, for NCCL is not used: " + why);
  };
  auto exchange = make_nccl_exchange(ranks, failure);
  if (!exchange) warn(failure);
  return make_rank_backend(std::move(own), ranks, std::move(exchange), warn);
}

void require_one_configuration(const RunConfig& config, Communicator& ranks) {
  if (ranks.alone()) return;
  const std::size_t mine = std::hash<std::string>()(to_json(config).dump() + CISOLVE_VERSION);
  if (ranks.all(ranks.of_first(mine) == mine)) return;
  throw InputError("the ranks have different configurations, or are different versions");
}

int threads_of(const BackendConfig& config, const Communicator& ranks) {
  const int cores = omp_get_num_procs();  // that this process may run on
  const bool bound = std::cmp_less(cores, std::thread::hardware_concurrency());
  if (config.threads > 0 || ranks.alone() || bound) return config.threads;
  return std::max(1, cores / ranks.local_size());
}

}  // namespace cisolve
