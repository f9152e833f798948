#pragma once

#include <memory>

#include "hamiltonian/matrix/ci_rows_cuda.hpp"
#include "hamiltonian/matrix/list_rows_cuda.hpp"
#include "hamiltonian/space/any_space.hpp"

namespace cisolve {

/// Whether rows over the space can be made on a GPU: lists, and pairs of strings as ci_rows_cuda
/// takes them.
bool can_make_rows_cuda(const AnySpace& space);

/// The rows of the Hamiltonian over it, made there, with MatrixBuilder's bits. Throws as those two.
std::unique_ptr<RowSource> make_rows_cuda(const Integrals& integrals, const AnySpace& space,
                                          Backend& backend);

}  // namespace cisolve
