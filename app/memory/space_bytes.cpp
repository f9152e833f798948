#include "app/memory/space_bytes.hpp"

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

SpaceBytes bytes_of(const SpaceSize& size) {
  constexpr double packed_entry = 4.6;  // of large CI matrices
  // Vectors of Davidson's default with products without a matrix: a basis of 12 with its images,
  // and a few blocks beside it.
  constexpr double vectors_of_a_solve = 33.0;
  SpaceBytes bytes;
  bytes.vector = sizeof(double) * size.determinants;
  bytes.csr = size.nonzeros * static_cast<double>(sizeof(double) + sizeof(Index)) +
              size.determinants * static_cast<double>(sizeof(Offset));
  bytes.packed = packed_entry * size.nonzeros;
  if (size.space == Space::fci && !size.restricted) {
    bytes.direct = vectors_of_a_solve * bytes.vector;
  }
  return bytes;
}

}  // namespace cisolve
