#pragma once

#include "backends/ranks/row_partition.hpp"
#include "hamiltonian/direct/tables/direct_tables.hpp"

namespace cisolve {

/// So many pairs × strings of G are made, or left out, together.
struct BlockOfG {
  Index pairs, strings;
};

/// Shares of the ranks in a product: rank r makes σ of alpha strings begin[r] … begin[r + 1] − 1 of
/// the layout, from the whole of c. The parts take about equal flops: those of the mixed part, of
/// alpha electrons among themselves, whose targets they are, and of beta electrons. `lower`: a
/// vector of one parity has σ_ab of the mixed part for b ≤ a alone, and no beta electrons among
/// themselves. A part may be empty.
RowPartition share_out(const DirectTables& tables, bool lower, const BlockOfG& block, int ranks);

}  // namespace cisolve
