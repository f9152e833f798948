#pragma once

#include <cstdint>
#include <filesystem>

#include "core/host_matrix.hpp"

namespace cisolve {

/// Vectors (n × k) from a file: .npy (float64, shape (n,) or (n, k)), else Matrix Market, array or
/// coordinate, plain or gzip. Throws InputError with file, line (for text), what was found and what
/// was expected; values must be finite.
HostMatrix read_vectors(const std::filesystem::path& path);

/// Vectors (n × k) from an .npy file, float64, shape (n, k) or (n,). Throws InputError as above.
HostMatrix read_npy_vectors(const std::filesystem::path& path);

/// The rows of such a file: its header, size and values are checked, none are kept. Throws as
/// read_npy_vectors does.
std::int64_t check_npy_vectors(const std::filesystem::path& path);

/// Writes a block as NumPy's .npy (version 1.0, float64, C order, shape (n, k)) to `path` itself.
/// Throws ResourceError when it cannot be written.
void write_npy(const HostMatrix& x, const std::filesystem::path& path);

}  // namespace cisolve
