#pragma once

#include <memory>

#include "app/input/matrix_source.hpp"
#include "app/input/source.hpp"
#include "backends/ranks/row_partition.hpp"

namespace cisolve {

/// A stored matrix of which every rank has its rows (OwnRows), of determinants made there, of a
/// file cut out of what every rank reads; as an operator in any format that has whole rows, its
/// products over all ranks (make_rank_operator). `on_device`: they are made on the ranks' GPUs, in
/// a format that comes of such rows. rows, nonzeros, the diagonal, blocks and fingerprint are of
/// the whole matrix; memory is the most that a rank needs. All ranks ask alike. Must not outlive
/// source and backend. Throws InputError where there are more ranks than rows, where ranks do not
/// have the same matrix, and, with `requires_symmetric`, where that of a file is not.
std::unique_ptr<MatrixSource> rank_source(HamiltonianSource& source, Backend& backend,
                                          bool on_device, bool requires_symmetric);

/// Throws InputError where ranks do not have the same integrals. Called by all ranks.
void require_same_integrals(HamiltonianSource& source, Communicator& ranks);

/// What a solver's vectors take of that, where a rank has its part of the rows.
MemoryNeed need_of_a_rank(MemoryNeed solver, Index rows, Communicator& ranks);
/// The same of the rank that has most, from what it would be with equal parts.
MemoryNeed need_of_parts(MemoryNeed solver, const RowPartition& parts);

}  // namespace cisolve
