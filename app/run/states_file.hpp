#pragma once

#include <filesystem>
#include <string>

#include "app/solve/outcome/outcome.hpp"

namespace cisolve {

/// Files with eigenstates and densities, .npz, HDF5 or TREXIO as `name` says, written to `path`
/// itself; docs/file-formats.md lists the arrays. All throw ResourceError, naming `name`, when it
/// cannot be written.

/// Eigenvectors X (n × k) and all that is needed to read them.
void write_states(const EigenOutcome& outcome, const HostMatrix& x,
                  const std::filesystem::path& path, const std::string& name);

/// The determinants of the rows with the first state's coefficients, the first column of X (n × k).
void write_row_determinants(const EigenOutcome& outcome, const HostMatrix& x,
                            const std::filesystem::path& path, const std::string& name);

/// The densities that the outcome has.
void write_one_densities(const EigenOutcome& outcome, const std::filesystem::path& path,
                         const std::string& name);
void write_two_densities(const EigenOutcome& outcome, const std::filesystem::path& path,
                         const std::string& name);
void write_three_densities(const EigenOutcome& outcome, const std::filesystem::path& path,
                           const std::string& name);

}  // namespace cisolve
