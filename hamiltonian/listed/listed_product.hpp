#pragma once

#include <memory>
#include <utility>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "core/array.hpp"
#include "hamiltonian/listed/listed_tables.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// H over all pairs of listed strings, in Hartree, without its elements, over vectors in the order
/// of the space; ListedTables has the formula. For every pair (pr) the rows of C that X_pr leads
/// from lie side by side, and Y_pr, a sparse matrix whose values are looked up, multiplies them
/// all. Flops of a vector: twice ListedCost::multiplications and of_one_spin. One rank only.
///
/// Every run gives the same bits, with any number of threads. Tables and backend must outlive it.
/// Bytes beside the tables: `listed_scratch`.
std::unique_ptr<LinearOperator> make_listed_cpu(std::shared_ptr<const ListedTables> tables,
                                                Backend& backend);
CISOLVE_CUDA_FUNCTION(make_listed_cuda,
                      std::unique_ptr<LinearOperator>(std::shared_ptr<const ListedTables> tables,
                                                      Backend& backend));

/// On the backend's kind.
inline std::unique_ptr<LinearOperator> make_listed(std::shared_ptr<const ListedTables> tables,
                                                   Backend& backend) {
  return (backend.kind() == BackendKind::cpu ? make_listed_cpu : *make_listed_cuda)(
      std::move(tables), backend);
}

/// Rows of C that a core multiplies together, each of one alpha string and one vector.
inline constexpr int listed_host_columns = 16;

/// Bytes that a product of blocks of so many vectors takes beside vectors and tables: of a CPU a
/// panel for each thread; of a GPU the integrals, C and σ in another order, C itself where X has
/// several vectors, and a panel.
std::size_t listed_scratch(const ListedTables& tables, BackendKind backend, int columns);

/// Rows of C that a GPU brings side by side, one for each alpha link: so many that a panel over all
/// beta strings stays in its L2 cache, but as many at least as a warp multiplies.
Index listed_panel_columns(const ListedTables& tables);

/// ⟨D|Ĥ|D⟩ in Hartree of every row's determinant, on the host; parallel.
Array<double> listed_diagonal(const ListedTables& tables);

}  // namespace cisolve
