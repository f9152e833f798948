#pragma once

#include <filesystem>

namespace cisolve {

// What a file is tells before it is read that another one was meant. Both throw InputError that
// says what was found, what was expected, and what takes such a file; where the content leaves it
// open, and of pipes, they leave it to the reader.

/// Of INPUT.
void require_hamiltonian(const std::filesystem::path& file);
/// Of `cisolve run`.
void require_run_file(const std::filesystem::path& file);

}  // namespace cisolve
