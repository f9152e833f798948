#pragma once

#include <span>

#include "backends/ranks/communicator.hpp"
#include "core/dense.hpp"

namespace cisolve {

/// x := rank 0's.
inline void agree(Communicator& ranks, std::span<double> x) {
  if (!ranks.alone() && !x.empty()) ranks.broadcast(x.data(), x.size_bytes());
}

// Eigenpairs as rank 0 found them: of the same matrix LAPACK's may differ by rounding from one
// processor or number of threads to another, and what ranks decide by them must not.

inline void agree(Communicator& ranks, SymmetricEigen& pairs) {
  agree(ranks, {pairs.values.data(), static_cast<std::size_t>(pairs.values.size())});
  agree(ranks, {pairs.vectors.data(), static_cast<std::size_t>(pairs.vectors.size())});
}

inline void agree(Communicator& ranks, SymmetricEigensolver& solver) {
  for (const std::span<double> x : solver.lapack_results()) agree(ranks, x);
}

}  // namespace cisolve
