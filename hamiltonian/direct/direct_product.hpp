#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "hamiltonian/direct/direct_tables.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// H of a full CI space, in Hartree, without its elements, over vectors in the order of the space:
///
///   σ_ab = Σ_t X^β_t G_t,  G_t = Σ_u V_tu D_u,  D_u = X^α_u c,
///
/// alpha string by alpha string, where D_u are but other rows of c with a sign, and G, a product of
/// matrices, has the beta strings as its fast index; then the electrons of each spin among
/// themselves (SameSpin). Flops of a vector of n determinants: 2 · pairs · (single excitations of a
/// string + 1) · n for G, divided by the number of irreps; about
/// (pairs of the orbitals a string of two electrons fewer has empty)² · n for each spin.
/// Bytes: two vectors, the tables, and tiles of a core's cache for each thread.
/// Knowles and Handy, Chem. Phys. Lett. 1984, 111, 315; Olsen, Roos, Jørgensen and Jensen, J. Chem.
/// Phys. 1988, 89, 2185, whose σ₁ … σ₃ they are.
///
/// The same bits on every run, with any number of threads. Tables and backend must outlive it.
std::unique_ptr<LinearOperator> make_direct_cpu(std::shared_ptr<const DirectTables> tables,
                                                Backend& backend);
CISOLVE_CUDA_FUNCTION(make_direct_cuda,
                      std::unique_ptr<LinearOperator>(std::shared_ptr<const DirectTables> tables,
                                                      Backend& backend));

/// Most doubles that G takes on a GPU, where a single alpha string does not take more: 2 GiB.
inline constexpr std::int64_t most_work_on_device = std::int64_t{1} << 28;

/// On the backend's kind.
inline std::unique_ptr<LinearOperator> make_direct(std::shared_ptr<const DirectTables> tables,
                                                   Backend& backend) {
  return (backend.kind() == BackendKind::cpu ? make_direct_cpu : *make_direct_cuda)(
      std::move(tables), backend);
}

}  // namespace cisolve
