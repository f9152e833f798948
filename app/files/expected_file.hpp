#pragma once

#include <filesystem>

namespace cisolve {

// Checks of a file's content before it is read. They throw InputError that names the kind found,
// the kind expected, and the command that takes such a file. Pipes, and content that does not
// decide, are left to the reader.

/// Requires that INPUT is no other kind of file.
void require_hamiltonian(const std::filesystem::path& file);
/// Requires that the argument of `cisolve run` is no other kind of file.
void require_run_file(const std::filesystem::path& file);

}  // namespace cisolve
