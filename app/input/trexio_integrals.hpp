#pragma once

#include <filesystem>

#include "app/config/config.hpp"
#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// The integrals of a TREXIO file, with its numbers of electrons and, where it names the point
/// group or `config` does, the orbitals' irreps in Molpro's order. `config` may replace electrons
/// and M_s. Throws InputError where something is missing, damaged or of no use here
/// (io/trexio/trexio_input.hpp).
Integrals read_trexio_integrals(const std::filesystem::path& path, const InputConfig& config);

}  // namespace cisolve
