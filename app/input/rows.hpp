#pragma once

#include <numeric>
#include <vector>

#include "core/host_matrix.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// The columns `wanted` of a matrix of which some rows are given, all of these.
inline HostMatrix block_over(const CsrMatrix& rows, const std::vector<Index>& wanted) {
  std::vector<Index> all(static_cast<std::size_t>(rows.rows));
  std::iota(all.begin(), all.end(), 0);
  return dense_part(rows, all, wanted);
}

}  // namespace cisolve
