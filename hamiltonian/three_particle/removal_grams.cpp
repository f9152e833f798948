#include "hamiltonian/three_particle/removal_grams.hpp"

namespace cisolve {

RemovalTables::RemovalTables(const StringRemovals& removals, Backend& backend)
    : operators(removals.operators),
      rows(removals.rows),
      sources(removals.sources),
      targets(removals.targets),
      entries(Buffer<Index>::from_host(backend, removals.entries)),
      labels(Buffer<Index>::from_host(backend, removals.labels)) {}

std::unique_ptr<RemovalGrams> make_removal_grams(int orbitals, int electrons, int others,
                                                 Backend& backend) {
  return backend.kind() == BackendKind::cpu
             ? make_removal_grams_cpu(orbitals, electrons, others)
             : make_removal_grams_cuda(orbitals, electrons, others, backend);
}

}  // namespace cisolve
