#pragma once

#include <filesystem>

#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// Vectors over K: (n · components) × k, the real numbers of an element in neighbouring rows.
struct FieldVectors {
  HostMatrix x;
  int components = 1;
};

/// Vectors (n × k) from a file: .npy (numbers of any type, in either order, shape (n,) or (n, k);
/// quaternions as real ones of shape (n, k, 4)), else Matrix Market, array or coordinate, plain or
/// gzip. Throws InputError with file, line (for text), what was found and what was expected; values
/// must be finite.
FieldVectors read_field_vectors(const std::filesystem::path& path);
/// Real ones; throws InputError also where they are not.
HostMatrix read_vectors(const std::filesystem::path& path);

/// Writes a block as NumPy's .npy (version 1.0, float64, C order, shape (n, k)) to `path` itself;
/// of elements of several components, which are in neighbouring rows of the block, complex128 where
/// they are two, else of shape (n, k, components). Throws ResourceError when it cannot be written.
void write_npy(const HostMatrix& x, const std::filesystem::path& path, const std::string& name = "",
               int components = 1);

}  // namespace cisolve
