#pragma once

#include <new>
#include <span>
#include <string>

#include "backends/ranks/communicator.hpp"
#include "core/dense/dense.hpp"
#include "core/error.hpp"

namespace cisolve {

/// x := rank 0's.
inline void agree(Communicator& ranks, std::span<double> x) {
  if (!ranks.alone() && !x.empty()) ranks.broadcast(x.data(), x.size_bytes());
}

/// Calls require() on every rank. If one lacks something, all throw ResourceError: none goes on
/// alone to a step that needs all.
template <class Require>
void require_on_all(Communicator& ranks, Require require) {
  std::string lacking;
  try {
    require();
  } catch (const ResourceError& error) {
    lacking = error.what();
  } catch (const std::bad_alloc&) {
    lacking = "out of memory";
  }
  if (ranks.all(lacking.empty())) return;
  throw ResourceError(lacking.empty() ? "another rank lacks memory" : lacking);
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
