#pragma once

#include <memory>
#include <vector>

#include "app/fingerprint.hpp"
#include "backends/backend.hpp"
#include "formats/csr_matrix.hpp"
#include "formats/row_source.hpp"
#include "io/packed_file.hpp"
#include "solvers/p_space.hpp"

namespace cisolve {

/// The matrix of a run before it is an operator: in CSR in host memory; packed there, as a file
/// held it; or rows that are made on the device and are whole nowhere. One of the three is not
/// null.
struct BuiltMatrix {
  std::shared_ptr<const CsrMatrix> host;
  std::unique_ptr<PackedFile> packed;
  std::unique_ptr<RowSource> on_device;
};

/// As for a host matrix in CSR: app/fingerprint.hpp.
Fingerprint fingerprint(const BuiltMatrix& a, Backend& backend);

/// The sectors of A, or of A and S² together where that is not null.
Sectors connected_sectors(const BuiltMatrix& a, const CsrMatrix* s_squared, Backend& backend);

/// The p-space of `size` rows (0: chosen) for so many states, within those sectors.
PSpace p_space_of(const BuiltMatrix& a, Sectors sectors, int states, int size, BackendKind backend);

}  // namespace cisolve
