#pragma once

#include <filesystem>
#include <string>

#include "app/solve/outcome.hpp"

namespace cisolve {

/// Writes eigenvectors X (n × k) and all that is needed to read them as NumPy's .npz, to `path`
/// itself; docs/file-formats.md lists the arrays. Throws ResourceError, naming `name`, when it
/// cannot be written.
void write_states(const EigenOutcome& outcome, const HostMatrix& x,
                  const std::filesystem::path& path, const std::string& name);

}  // namespace cisolve
