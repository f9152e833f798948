#pragma once

#include "app/input/determinants/determinants.hpp"
#include "hamiltonian/three_particle/three_particle.hpp"

namespace cisolve {

/// A vector over the determinants, an element for each row, in host memory, as a matrix of all
/// strings of either spin. Throws InputError where orbitals are not restricted or more than 64, and
/// ResourceError without memory.
StringMatrix string_matrix(const Determinants& determinants,
                           const Eigen::Ref<const HostVector, 0, Eigen::InnerStride<>>& vector);

}  // namespace cisolve
