#include "hamiltonian/select/external_sums.hpp"

#include "core/error.hpp"

namespace cisolve {

std::unique_ptr<ExternalSums> make_external_sums(const Expansion& expansion,
                                                 const Workplace& place) {
  if (place.backend.kind() == BackendKind::cuda && expansion.space.beta.electrons < 64) {
    const double needed =
        device_bytes_of(expansion) + 8.0 * static_cast<double>(expansion.coefficients.size());
    // Tables of 4096 places for the blocks of 256 multiprocessors.
    const double least = 8.0 * (2.0 + expansion.states()) * 0x1p12 * 2.0 * 256.0;
    const double room = static_cast<double>(place.device_bytes) - needed;
    if (room > 2.0 * least) {  // links take some, too
      try {
        return make_external_sums_cuda(expansion, static_cast<std::size_t>(0.5 * room),
                                       place.backend);
      } catch (const ResourceError&) {  // a device that fails says so at its next use
      }
    }
  }
  return make_external_sums_cpu(expansion, place.host_bytes);
}

}  // namespace cisolve
