#pragma once

#include <numeric>
#include <vector>

#include "core/host_matrix.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// The block over `wanted` of a matrix of which those rows are given.
inline HostMatrix block_over(const CsrMatrix& rows, const std::vector<Index>& wanted) {
  std::vector<Index> all(wanted.size());
  std::iota(all.begin(), all.end(), 0);
  return dense_part(rows, all, wanted);
}

}  // namespace cisolve
