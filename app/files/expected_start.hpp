#pragma once

#include <filesystem>
#include <string>

#include "app/files/file_kind.hpp"

namespace cisolve {

/// The command that takes such a file beside its INPUT: for messages; empty where there is none.
std::string beside_input(FileKind kind, const std::filesystem::path& file);

/// Requires that what a run begins from (`checkpoint`, `selection`) or follows (`states`) is no
/// other kind of file; vectors in .npy or .npz are taken for a checkpoint, too. Throws InputError
/// that names the kind found, the kind expected, and the command that takes such a file. Content
/// that does not decide is left to the reader.
void require_start(const std::filesystem::path& file, FileKind wanted);

}  // namespace cisolve
