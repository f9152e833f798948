#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/input/fingerprint.hpp"
#include "backends/backend.hpp"
#include "core/host_matrix.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/row_source.hpp"
#include "io/hdf5/packed_file.hpp"
#include "solvers/p_space.hpp"

namespace cisolve {

/// The matrix of a run before it is an operator: what solvers want to know of it beside
/// its products, whatever it is held in. Who uses one asks these questions and never which kind it
/// is.
class MatrixSource {
 public:
  MatrixSource() = default;
  MatrixSource(const MatrixSource&) = delete;
  MatrixSource& operator=(const MatrixSource&) = delete;
  virtual ~MatrixSource() = default;

  virtual Index rows() const = 0;
  /// Of the whole matrix; none where products are made of no stored elements.
  virtual std::optional<Offset> nonzeros() const = 0;
  /// a_ii in Hartree.
  virtual std::vector<double> diagonal() const = 0;
  /// a_ij of these rows, ascending, and the same columns.
  virtual HostMatrix principal_submatrix(const std::vector<Index>& rows) const = 0;
  /// The blocks into which A falls, or A and S² together where that is not null.
  virtual Sectors sectors(const CsrMatrix* s_squared) const = 0;
  /// The same for the same matrix, whatever it is held in.
  virtual Fingerprint fingerprint() const = 0;
  /// The matrix in CSR, for what needs all its elements; null where it is nowhere so. Once asked
  /// for by `release_csr` it is the caller's alone, and the source is not to be asked any more.
  virtual std::shared_ptr<const CsrMatrix> csr() const { return nullptr; }
  virtual std::shared_ptr<const CsrMatrix> release_csr() { return nullptr; }
  /// The operator in that format, resident on the backend; the source is spent. Throws as
  /// make_operator does; then one of rows made on a device is as it was.
  virtual std::unique_ptr<LinearOperator> make(const std::string& format, Backend& backend,
                                               const FormatOptions& options) = 0;
};

/// In CSR in host memory.
std::unique_ptr<MatrixSource> csr_source(std::shared_ptr<const CsrMatrix> a);
/// As a file holds it, packed; made in that format alone.
std::unique_ptr<MatrixSource> packed_source(std::unique_ptr<PackedFile> file);
/// Rows that are made on a device, whole nowhere. Made in formats that come from such rows.
std::unique_ptr<MatrixSource> device_source(std::unique_ptr<RowSource> rows, Backend& backend);

/// The p-space of `size` rows (0: chosen) for so many states, within those sectors.
PSpace p_space_of(const MatrixSource& a, Sectors sectors, int states, int size,
                  BackendKind backend);

}  // namespace cisolve
