#pragma once

#include "app/input/determinants/determinants.hpp"
#include "app/ways/way.hpp"
#include "hamiltonian/spinor/kramers/kramers_pairs.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// Full CI over spinors without a matrix (make_spinor_product), where it is asked for, expected to
/// be faster, or has room and a matrix has not. One rank only. `integrals` are those of the spinors
/// whose determinants are told by the real ones of `determinants`. `pairs`: rows are Kramers pairs,
/// which must outlive the way; null: determinants.
Way spinor_way(const SpinorIntegrals& integrals, const Determinants& determinants,
               const KramersPairs* pairs = nullptr);

}  // namespace cisolve
