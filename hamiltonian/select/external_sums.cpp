#include "hamiltonian/select/external_sums.hpp"

namespace cisolve {

std::unique_ptr<ExternalSums> make_external_sums(const Expansion& expansion, std::size_t bytes,
                                                 Backend& backend) {
  if (backend.kind() == BackendKind::cuda && expansion.space.beta.electrons < 64) {
    const double free = static_cast<double>(backend.free_memory());
    const double needed =
        device_bytes_of(expansion) + 8.0 * static_cast<double>(expansion.coefficients.size());
    constexpr double tables = 0x1p28;  // at the least
    const double room = 0.8 * free - needed;
    if (room > tables) {
      return make_external_sums_cuda(expansion, static_cast<std::size_t>(0.5 * room), backend);
    }
  }
  return make_external_sums_cpu(expansion, bytes);
}

}  // namespace cisolve
