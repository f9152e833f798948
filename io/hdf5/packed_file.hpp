#pragma once

#include <filesystem>

#include "formats/matrix/csr_matrix.hpp"
#include "formats/packed/packed.hpp"

namespace cisolve {

/// Packed matrices in HDF5 files: docs/file-formats.md has the layout.

/// A packed matrix as its file has it. Its components and its fingerprint are not in the file: a
/// pass over the arrays finds them, at the price of a few products, and what is not stored cannot
/// contradict them. Only the test of symmetry needs CSR, so its outcome is stored.
struct PackedFile {
  PackedMatrix matrix;
  bool symmetric = false;  ///< as require_symmetric found it when the file was written
  CsrMatrix outline;       ///< rows, columns and row offsets of the matrix in CSR, and no more
};

/// True if it is an HDF5 file, by name and content, that says it holds a packed matrix.
bool is_packed_file(const std::filesystem::path& path);

/// Throws InputError, naming the file and the dataset or attribute, unless it is there, whole and
/// valid (formats/packed/decode.hpp), ResourceError where memory does not hold it.
PackedFile read_packed(const std::filesystem::path& path);

/// Written through AtomicFile; `nonzeros` are those of the matrix, zeros that it stores included.
/// Throws InputError on an unwritable folder or a name that is not one
/// of an HDF5 file, ResourceError on a full disk.
void write_packed(const PackedMatrix& m, Offset nonzeros, bool symmetric,
                  const std::filesystem::path& path);

/// Throws InputError unless the name is one of an HDF5 file, the only kind that holds packed
/// matrices.
void require_packed_name(const std::filesystem::path& path);

}  // namespace cisolve
