#pragma once

#include <memory>
#include <string>

#include "app/input/matrix_source.hpp"
#include "app/input/source.hpp"
#include "hamiltonian/direct/direct_tables.hpp"

namespace cisolve {

/// Why the products of that input cannot be made directly; empty where they can.
std::string direct_unavailable_reason(HamiltonianSource& source, BackendKind backend);

/// Full CI without a matrix: products made of the integrals (make_direct). Of its elements the
/// diagonal is known and any row on demand; its blocks are those that the orbitals' irreps and the
/// functions' parities tell. Of states of one parity alone where `only` says so. Over the backend's
/// ranks operator and vectors are distributed, all else that is asked is known to each of them.
/// Must not outlive source and backend. Throws InputError where ranks do not have the same
/// integrals.
std::unique_ptr<MatrixSource> direct_source(HamiltonianSource& source, Backend& backend,
                                            SpinInversion only);

}  // namespace cisolve
