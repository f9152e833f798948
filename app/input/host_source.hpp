#pragma once

#include <memory>

#include "app/input/matrix_source.hpp"
#include "app/input/source.hpp"

namespace cisolve {

/// In CSR in host memory: as a file has it, decoded, or built of determinants when it is first
/// needed. `requires_symmetric`: InputError then where a matrix file's is not. Must not outlive the
/// source.
std::unique_ptr<MatrixSource> host_source(HamiltonianSource& source, bool requires_symmetric);

/// MatrixSource::memory of a matrix of so many bytes as CSR, and so many of scratch: for what is
/// not counted yet.
MemoryNeed memory_as_csr(const MemoryNeed& solver, const HamiltonianSource& source,
                         const Format& format, const Backend& backend, const FormatOptions& options,
                         std::size_t csr, std::size_t scratch);

}  // namespace cisolve
