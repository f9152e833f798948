#pragma once

#include "backends/cuda_module.hpp"
#include "formats/format.hpp"
#include "formats/packed/packed.hpp"

namespace cisolve {

// The upper triangle and diagonal of a real symmetric matrix, packed (packed/packed.hpp): half the
// memory of packed. A stored entry a_ij, j ≥ i, serves twice:
//   y_i += a_ij x_j   and, for j > i,   y_j += a_ij x_i.
// The upper entry stands for both also where a_ij and a_ji differ by what is_symmetric allows.
// Bytes: those of the packed triangle, 2.2 to 3.1 a nonzero of CI matrices.
//
// For matrices that do not fit otherwise: the first of the two is packed's product with the
// triangle, and the second adds to rows in any order, at a speed of its own
// (packed_symmetric_cuda.cu).

/// Bytes of a real CI matrix, about, known before its elements: between those of a whole space and
/// of a list, whose rows are shorter and farther apart.
constexpr std::size_t expected_packed_symmetric_bytes(Index rows, Offset nonzeros) {
  return 11 * static_cast<std::size_t>(nonzeros) / 4 + 16 * static_cast<std::size_t>(rows);
}

Format::Maker make_packed_symmetric_cpu;
CISOLVE_CUDA_FUNCTION(make_packed_symmetric_cuda, Format::Maker);
/// The operator of a whole symmetric matrix whose rows come to the device: of each the part from
/// the diagonal on is taken. The source is not kept.
CISOLVE_CUDA_FUNCTION(make_packed_symmetric_from_rows, Format::MakerFromRows);

}  // namespace cisolve
