#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "formats/matrix/row_source.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/listed/listed_space.hpp"

namespace cisolve {

/// The CI Hamiltonian of ListMatrixBuilder, the same bit for bit, whole, its rows made on the
/// device (MadeRows) from groups of determinants by their remainders there, sorted once: with N
/// electrons N(N − 1)/2 remainders a determinant, of which each takes 4 bytes, and 4 more where
/// others have it; 28 while those of one kind are sorted. A block of rows is sorted in place.
/// `some_rows` and `diagonal` are made on the device, too.
///
/// `order`: the determinant that is row k of the matrix, for every k; empty: the space's order.
///
/// Throws ResourceError where the device has no room, or more than 2^32 remainders of a kind.
/// Integrals, space and backend, which must be a CUDA one, must outlive it.
CISOLVE_CUDA_FUNCTION(make_list_rows_cuda,
                      std::unique_ptr<RowSource>(const Integrals& integrals,
                                                 const ListedSpace& space, Backend& backend,
                                                 Offset block_entries,
                                                 std::span<const Index> order));

}  // namespace cisolve
