#pragma once

#include <cstdint>
#include <string>

#include "app/input/determinants/determinants.hpp"
#include "backends/ranks/communicator.hpp"

namespace cisolve {

/// A number that tells integrals, their electrons and M_s from others.
std::uint64_t hash_of(const Integrals& integrals);

/// Throws InputError on all ranks where `same` is not so on all.
void require_on_all_ranks(bool same, Communicator& ranks, const std::string& name,
                          const std::string& what);

/// Throws InputError where ranks do not have the same integrals. Called by all ranks.
void require_same_integrals(const Determinants& determinants, Communicator& ranks);

}  // namespace cisolve
