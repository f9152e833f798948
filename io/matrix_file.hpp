#pragma once

#include <filesystem>
#include <string>

#include "formats/csr_matrix.hpp"

namespace cisolve {

/// Sparse matrix files, by extension:
///   .mtx, .mtx.gz  Matrix Market coordinate (real or integer; general or symmetric)
///   .h5, .hdf5     HDF5 with row_offsets, column_indices, values and attributes rows, columns
///   .npz           as scipy.sparse.save_npz writes CSR
/// docs/file-formats.md has the details. Readers validate; writers go through AtomicFile.
bool is_matrix_file(const std::filesystem::path& path);

/// Throws InputError on an unknown extension or a malformed file (with line, for text).
CsrMatrix read_matrix(const std::filesystem::path& path);

/// Throws InputError on an unknown extension or an unwritable folder, ResourceError on a full disk.
void write_matrix(const CsrMatrix& a, const std::filesystem::path& path);

/// The three kinds, each in a file of its own.
CsrMatrix read_matrix_market(const std::filesystem::path& path);
void write_matrix_market(const CsrMatrix& a, const std::filesystem::path& path);
CsrMatrix read_hdf5(const std::filesystem::path& path);
void write_hdf5(const CsrMatrix& a, const std::filesystem::path& path);
CsrMatrix read_npz(const std::filesystem::path& path);
void write_npz(const CsrMatrix& a, const std::filesystem::path& path);

}  // namespace cisolve
