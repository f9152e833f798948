#pragma once

#include <optional>
#include <ostream>

#include "app/config/config.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "io/hdf5/packed_file.hpp"

namespace cisolve {

/// The parts of the report of `cisolve info`; docs/configuration.md has its fields.

/// Contents of the file.
Json fcidump_json(const Integrals& integrals);

/// Sizes of each space over the active orbitals: a list of {space, irrep, irrep_name, determinants,
/// nonzeros, bytes}. Bytes are estimates for a vector and for the matrix in csr and packed. The
/// last entry is the restricted active space, `ras`, if one is given. Throws as space_sizes does.
Json spaces_json(const Integrals& active, Space asked,
                 const std::optional<RestrictedActiveSpace>& ras);

/// Shape, nonzeros, nonzeros per row and density; of the outline (rows, columns and row offsets) of
/// a matrix or of a region.
Json rows_json(const CsrMatrix& outline);

/// Adds `boundary` and `regions`: the matrix as the hybrid format parts it.
void add_regions(const CsrMatrix& a, const Boundary& requested, Json& report);

/// The features by which a storage format is chosen, by name; in the report of `bench` too.
Json features_json(const CsrMatrix& a);

/// Every format with its bytes for this matrix; those for symmetric matrices where it is one.
Json formats_json(const CsrMatrix& a, bool symmetric, const FormatOptions& options);

/// Adds `packed`, how the file lays the matrix out, and what can be said of it as it is: symmetry,
/// its bytes and those of csr; `reason` says what needs CSR.
void add_packed(const PackedFile& file, Json& report);

/// The report for people.
void print_info(std::ostream& out, const Json& report);

}  // namespace cisolve
