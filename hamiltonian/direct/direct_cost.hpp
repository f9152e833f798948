#pragma once

#include "hamiltonian/direct/direct_tables.hpp"

namespace cisolve {

/// What a product of one vector comes to.
struct DirectCost {
  double flops = 0.0;    ///< of the products of matrices
  double gathers = 0.0;  ///< elements of G that are gathered
  /// Entries that the matrix would have, were no integral zero that the labels of the orbitals
  /// allow; exact but for accidental zeros.
  double nonzeros = 0.0;
};
DirectCost direct_cost(const DirectTables& tables);

}  // namespace cisolve
