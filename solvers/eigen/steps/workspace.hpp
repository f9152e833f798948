#pragma once

#include <memory>
#include <vector>

#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/sector_search.hpp"
#include "solvers/eigen/steps/sector_operator.hpp"

namespace cisolve {

/// What the parts of a solve share: A with its rows brought together by sector, a search in each
/// sector, and memory. Vectors of different sectors lie side by side in one vector of n, so that
/// one product serves them all.
struct Workspace {
  Workspace(LinearOperator& matrix, Backend& on, const PSpace& p_space, const EigenOptions& asked);

  int sectors() const { return order.groups(); }
  /// The sector's rows of a block.
  View part(View v, int sector) const {
    return v.row_range(order.begin[sector], order.rows(sector));
  }
  SectorSearch& search(int sector) { return *searches[sector]; }
  const SectorSearch& search(int sector) const { return *searches[sector]; }

  Backend& backend;
  const EigenOptions& options;
  Index rows;
  int block;  ///< most columns of new vectors
  SectorOrder order;
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
};

}  // namespace cisolve
