#pragma once

#include "app/model/model.hpp"
#include "backends/backend.hpp"

namespace cisolve {

/// The space with the fewest rows in which states of spin S = (multiplicity − 1)/2 are sought. They
/// are in every space of |M_s| ≤ S, with the same energies; full CI of N electrons in n orbitals
/// has there
///   M_s = S: C(n, N/2 + S) C(n, N/2 − S) determinants, the fewest of all M_s > 0,
///   M_s = 0: functions of one parity, even of even S, about half of C(n, N/2)²,
/// where products are made without a matrix. `choice` has the irrep, and comes back as it is where
/// M_s is given (input.ms2, input.spin_inversion) or the determinants depend on it: of a list, up
/// to a rank of excitation, of a restricted active space.
SpaceChoice cheapest_space(const Model& model, SpaceChoice choice, int multiplicity,
                           const RunConfig& config, const Backend& backend);

}  // namespace cisolve
