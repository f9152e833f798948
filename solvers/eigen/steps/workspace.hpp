#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include "backends/ranks/communicator.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/sector_search.hpp"
#include "solvers/eigen/steps/sector_operator.hpp"

namespace cisolve {

/// Common parts of a solve: A with its rows brought together by sector, a search in each sector,
/// and memory. Vectors of different sectors lie side by side in one vector of n, so that one
/// product serves them all. Each rank has such an order of its own rows if vectors are distributed.
/// Vectors over K are blocks of real numbers (backends/field/field_backend.hpp).
struct Workspace {
  Workspace(LinearOperator& matrix, Backend& on, const PSpace& p_space, const EigenOptions& asked);

  int sectors() const { return order.groups(); }
  /// Rows of a sector on all ranks.
  Index rows_of(int sector) const { return sizes[sector] / backend.components(); }
  /// Dimension of the part of a sector in which states are sought.
  Index dimension_of(int sector) const {
    return order.dimensions.empty() ? rows_of(sector) : order.dimensions[sector];
  }
  /// Real numbers of a vector in the sectors before it.
  std::int64_t rows_before(int sector) const {
    return std::accumulate(sizes.begin(), sizes.begin() + sector, std::int64_t{0});
  }
  Communicator& ranks() const { return backend.communicator(); }
  /// The sector's rows of a block.
  View part(View v, int sector) const {
    return v.row_range(order.begin[sector], order.rows(sector));
  }
  SectorSearch& search(int sector) { return *searches[sector]; }
  const SectorSearch& search(int sector) const { return *searches[sector]; }

  Backend& backend;
  const EigenOptions& options;
  Index rows;      ///< real numbers of a vector, of this rank
  Index all_rows;  ///< rows over K, of all of them
  int block;       ///< most columns of new vectors
  SectorOrder order;
  std::vector<Index> sizes;  ///< real numbers of a vector in the sectors, on all ranks
  SectorOperator a;
  MultiVector basis;        ///< V
  MultiVector images;       ///< AV; Lanczos has none
  MultiVector new_vectors;  ///< T
  MultiVector new_images;   ///< AT
  MultiVector residuals;    ///< R; of Lanczos the next block
  MultiVector olsen;        ///< where asked for
  MultiVector diagonal;
  std::vector<std::unique_ptr<SectorSearch>> searches;

 private:
  void make_searches(const PSpace& p_space);
  /// Inner solve of the sector that an inner block is in; null for others.
  std::unique_ptr<InnerSolve> inner_solve(const PSpace& p_space, int sector) const;
};

}  // namespace cisolve
