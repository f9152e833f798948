#pragma once

#include <filesystem>
#include <string>

namespace cisolve {

/// Kind of a file, by its content alone.
enum class FileKind {
  report,         ///< JSON, of any subcommand
  checkpoint,     ///< of an eigensolver
  selection,      ///< of determinants, to go on from
  npy,            ///< a NumPy array
  matrix_market,  ///< plain or gzip
  hdf5_matrix,    ///< csr or packed, as `convert` writes it
  npz_matrix,     ///< compressed rows or columns
  trexio,         ///< HDF5 by TREXIO's library, but states and densities of cisolve
  states,         ///< eigenstates, as `eigen` writes them, .npz or HDF5
  densities,      ///< the same of their densities
  determinants,   ///< lists of them, as `eigen` writes them, text, .npz or HDF5
  png,
  svg,
  page,         ///< HTML, of any subcommand
  bench_table,  ///< of `bench --csv`
  fcidump,
  molden,
  format_cache,
  json,        ///< any other
  hdf5,        ///< any other, a damaged one too
  zip,         ///< any other
  compressed,  ///< by xz, bzip2 or Zstandard
  text,        ///< any other
  binary,
  empty,
  unreadable
};

/// The attribute `format` of HDF5 files with eigenstates and with densities.
inline constexpr const char* states_format = "eigenstates";
inline constexpr const char* densities_format = "densities";

/// Reads of a large file no more than its beginning, but for JSON. Never throws on what it finds.
FileKind kind_of_file(const std::filesystem::path& path);

/// Kind of file that write_matrix makes under that name. Throws InputError if it is no name of a
/// matrix file.
FileKind kind_of_matrix(const std::filesystem::path& name);

/// "a report of cisolve": for messages.
std::string words_for(FileKind kind);

}  // namespace cisolve
