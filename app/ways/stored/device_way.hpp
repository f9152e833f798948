#pragma once

#include <vector>

#include "app/input/determinants/determinants.hpp"
#include "app/ways/way.hpp"

namespace cisolve {

/// Rows of determinants made on a CUDA device block by block, whole nowhere: where the format comes
/// of such rows (Format::cuda_from_rows), or `auto` has no reason to do otherwise. Behind it the
/// way of `auto` for a matrix that has room as a triangle alone.
std::vector<Way> device_ways(const Determinants& determinants);

/// True if GPUs can make the rows; notes where they cannot.
bool made_on_devices(const Determinants& determinants, WayRequest& request);

/// `solver` with what rows made on a device take on their way to an operator: so many with so many
/// nonzeros, and tables of so many bytes; `scratch` as Format has it.
MemoryNeed memory_as_device_rows(const MemoryNeed& solver, const Format& format, Index rows,
                                 Offset nonzeros, std::size_t tables, std::size_t scratch);

/// Rows, columns and row offsets of such rows.
CsrMatrix outline_of(const RowSource& rows);

}  // namespace cisolve
