#pragma once

#include "hamiltonian/direct/tables/direct_tables.hpp"

namespace cisolve {

/// Cost of a product with one vector.
struct DirectCost {
  double flops = 0.0;    ///< of the products of matrices
  double gathers = 0.0;  ///< elements of G that are gathered
  /// Entries that the matrix would have: exact where no integral is zero that the labels of the
  /// orbitals allow, but for elements that vanish as a sum; else about.
  double nonzeros = 0.0;
};
DirectCost direct_cost(const DirectTables& tables);

}  // namespace cisolve
