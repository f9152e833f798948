#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/select/expansion.hpp"
#include "hamiltonian/select/target_strings.hpp"

namespace cisolve {

/// Sums over the determinants outside a list that have one alpha string, from the states within:
///
///     e_j(A) = Σ_{B: |AB⟩ not listed} ⟨AB|Ĥ|Ψ_j⟩² / (E_j − ⟨AB|Ĥ|AB⟩)
///
/// and the largest |c| there of the first-order coefficients c = ⟨AB|Ĥ|Ψ_j⟩ / (E_j − ⟨AB|Ĥ|AB⟩).
/// Every |AB⟩ that the Hamiltonian reaches is met with all its ways there at once: memory is that
/// of the beta strings of one alpha string, whatever the list.
class ExternalSums {
 public:
  virtual ~ExternalSums() = default;
  /// Sums of the targets numbered so, in that order, e of all states, then |c| of all; targets × 2
  /// states.
  virtual HostMatrix sums(const TargetStrings& links,
                          std::span<const std::int64_t> targets) const = 0;
};

/// Sums in `bytes` of memory beside the expansion. Parallel, the same bits with any number of
/// threads. The expansion's references, and the backend, must outlive it.
std::unique_ptr<ExternalSums> make_external_sums_cpu(const Expansion& expansion, std::size_t bytes);
/// For fewer than 64 beta electrons.
CISOLVE_CUDA_FUNCTION(make_external_sums_cuda,
                      std::unique_ptr<ExternalSums>(const Expansion& expansion, std::size_t bytes,
                                                    Backend& backend));

/// On the backend, or where that lacks memory on the host. `place` has half of what may be used,
/// the other half is for links.
std::unique_ptr<ExternalSums> make_external_sums(const Expansion& expansion,
                                                 const Workplace& place);

}  // namespace cisolve
