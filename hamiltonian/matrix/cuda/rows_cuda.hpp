#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hamiltonian/matrix/cuda/ci_rows_cuda.hpp"
#include "hamiltonian/matrix/cuda/list_rows_cuda.hpp"
#include "hamiltonian/space/any_space.hpp"

namespace cisolve {

/// True if rows over the space can be made on a GPU: lists, and pairs of strings as ci_rows_cuda
/// takes them.
bool can_make_rows_cuda(const AnySpace& space);

/// The order of the rows by which they and their columns are near one another, measured on a GPU:
/// of lists by configuration. Empty: the space's own.
std::vector<Index> near_rows(const AnySpace& space);

/// The rows of the Hamiltonian over it, made there, with MatrixBuilder's elements to the bit, in
/// that order, or the space's where it is empty. Throws as those two.
std::unique_ptr<RowSource> make_rows_cuda(const Integrals& integrals, const AnySpace& space,
                                          Backend& backend, std::span<const Index> order = {});

}  // namespace cisolve
