#pragma once

#include "app/input/determinants/determinants.hpp"
#include "app/ways/way.hpp"

namespace cisolve {

/// Full CI, or all pairs of listed strings, without a matrix: products made of the integrals
/// (make_direct, make_listed), where they are asked for, expected to be faster, or have room and a
/// matrix has not. The known elements are the diagonal and any row on demand; the blocks follow
/// from the orbitals' irreps and the functions' parities. Over the backend's ranks, of full CI
/// alone, operator and vectors are distributed, and each of them knows the answers to all
/// questions. Throws InputError where ranks do not have the same integrals.
Way direct_way(const Determinants& determinants);

}  // namespace cisolve
