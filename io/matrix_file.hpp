#pragma once

#include <filesystem>

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Sparse matrix files, by extension:
///   .mtx, .mtx.gz  Matrix Market coordinate (real, integer or complex; general, symmetric or
///                  hermitian)
///   .h5, .hdf5     HDF5 with row_offsets, column_indices, values and attributes rows, columns; or
///                  a packed matrix (io/hdf5/packed_file.hpp), which is decoded
///   .npz           as scipy.sparse.save_npz writes CSR
/// docs/file-formats.md has the details. Readers validate; writers go through AtomicFile.
bool is_matrix_file(const std::filesystem::path& path);
/// True if write_matrix knows it, too: dense matrices are read only.
bool is_matrix_output(const std::filesystem::path& path);

/// The matrix, whole or the upper triangle of a symmetric one: of a symmetric Matrix Market file
/// nothing else is then ever in memory, any other file is read whole, checked and halved.
/// Throws InputError on an unknown extension or a malformed file (with line, for text), and when
/// the upper triangle is asked for of a matrix that is not symmetric.
CsrMatrix read_matrix(const std::filesystem::path& path, Storage storage = Storage::full);

/// Throws InputError on an unknown extension, an unwritable folder or a matrix that is not held
/// whole, ResourceError on a full disk.
void write_matrix(const CsrMatrix& a, const std::filesystem::path& path);

/// The three kinds, each in a file of its own; the writers refuse a triangle, too. `storage` is
/// what is kept of a file whose banner says symmetric; others are whole.
CsrMatrix read_matrix_market(const std::filesystem::path& path, Storage storage = Storage::full);
void write_matrix_market(const CsrMatrix& a, const std::filesystem::path& path);
CsrMatrix read_hdf5(const std::filesystem::path& path);
void write_hdf5(const CsrMatrix& a, const std::filesystem::path& path);
CsrMatrix read_npz(const std::filesystem::path& path);
void write_npz(const CsrMatrix& a, const std::filesystem::path& path);

/// Dense ones, of which the elements that are not zero are taken: NumPy's .npy and Matrix Market's
/// array format.
CsrMatrix read_dense_npy(const std::filesystem::path& path);
CsrMatrix read_matrix_market_array(const std::filesystem::path& path);

}  // namespace cisolve
