#pragma once

#include "app/input/elements/built_matrix.hpp"
#include "app/ways/way.hpp"
#include "backends/ranks/row_partition.hpp"

namespace cisolve {

/// A stored matrix of which every rank has its rows (OwnRows), where there are several: of
/// determinants made there, on GPUs where the format comes of such rows; else cut out of what every
/// rank reads. Any format that stores whole rows holds them. Rows, nonzeros, the diagonal, blocks
/// and fingerprint are of the whole matrix; memory is the most that a rank needs. All ranks ask
/// alike. Throws InputError where there are more ranks than rows, where ranks do not have the same
/// matrix, and where one that has to be symmetric is not.
Way rank_way(BuiltMatrix& matrix);
Way rank_way(Elements& elements);

/// The part of a solver's vectors that a rank has of so many rows.
MemoryNeed need_of_a_rank(MemoryNeed solver, Index rows, Communicator& ranks);
/// The need of the rank that has most, from what it would be with equal parts.
MemoryNeed need_of_parts(MemoryNeed solver, const RowPartition& parts);

}  // namespace cisolve
