#pragma once

#include <memory>

#include "app/input/determinants/determinants.hpp"
#include "app/ways/way.hpp"
#include "hamiltonian/listed/listed_tables.hpp"

namespace cisolve {

/// True if the determinants are all pairs of listed strings, or those of them that have an irrep.
bool are_listed_pairs(const Determinants& determinants);

/// The rows of vectors over them: the determinants in the order of their space, of one rank.
std::shared_ptr<const Basis> listed_basis(const Determinants& determinants);

/// Their Hamiltonian without a matrix, over vectors in the order of their space; of one rank.
std::unique_ptr<HeldMatrix> make_listed_held(const WayRequest& request,
                                             const Determinants& determinants,
                                             std::shared_ptr<const ListedTables> tables);

/// The blocks that labels of rows tell.
Sectors sectors_of(const ListedTables& tables);

}  // namespace cisolve
