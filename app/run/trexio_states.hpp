#pragma once

#include <filesystem>
#include <string>

#include "app/solve/outcome/outcome.hpp"

namespace cisolve {

// Groups of TREXIO, added to an HDF5 file that is there, over all orbitals of the Hamiltonian's
// file: frozen ones have two electrons, those that are neither frozen nor active none. Both throw
// ResourceError, naming `name`.

/// Eigenvectors X (n × k), with the signs that TREXIO's order of orbitals gives them.
void add_trexio_states(const EigenOutcome& outcome, const HostMatrix& x,
                       const std::filesystem::path& path, const std::string& name);

/// Densities of the one state that there is; of two electrons where they were made and asked for.
void add_trexio_densities(const EigenOutcome& outcome, bool two, const std::filesystem::path& path,
                          const std::string& name);

}  // namespace cisolve
