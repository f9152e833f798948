#include "app/ways/direct/why_not_direct.hpp"

#include "app/ways/direct/listed_held.hpp"
#include "backends/ranks/communicator.hpp"
#include "hamiltonian/direct/direct_product.hpp"

namespace cisolve {

std::string why_not_direct(const Determinants& determinants, const RunConfig& config,
                           const Backend& backend) {
  if (config.spmv.format != "auto" || config.spmv.tune ||
      config.spmv.off_diagonal == Precision::float32) {
    return "spmv.format, spmv.tune and spmv.off_diagonal are of stored matrices";
  }
  if (are_listed_pairs(determinants)) {
    if (!backend.communicator().alone()) {
      return "over pairs of listed strings products without a matrix run on one rank alone";
    }
    if (config.solver.multiplicity) {
      return "over pairs of listed strings states of one multiplicity need S² as a matrix";
    }
  }
  return direct_unavailable_reason(determinants, backend.kind());
}

std::string direct_unavailable_reason(const Determinants& determinants, BackendKind backend) {
  const CiSpace* const space = determinants.ranges();
  if (are_listed_pairs(determinants)) return "";
  if (space == nullptr || !space->alpha.full) {
    return "the space is not that of full CI, nor all pairs of listed strings";
  }
  if (!has_direct_layout(*space)) return "there are more than 64 orbitals";
  if (backend != BackendKind::cuda) return "";
  const Integrals& integrals = determinants.active_integrals();
  for (const int n :
       {(integrals.electrons + integrals.ms2) / 2, (integrals.electrons - integrals.ms2) / 2}) {
    const std::int64_t empty = integrals.orbitals - n + 2;
    if (n >= 2 && empty * (empty - 1) / 2 > most_additions_on_device) {
      return "on a GPU there may be at most 47 orbitals that electrons of one spin leave empty";
    }
  }
  return "";
}

}  // namespace cisolve
