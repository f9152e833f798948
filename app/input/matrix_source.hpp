#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/input/fingerprint.hpp"
#include "app/memory/memory_plan.hpp"
#include "backends/backend.hpp"
#include "backends/ranks/row_partition.hpp"
#include "core/array.hpp"
#include "core/host_matrix.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/direct/direct_tables.hpp"
#include "solvers/p_space.hpp"

namespace cisolve {

/// The matrix of a run before it is an operator: what solvers want to know of it beside its
/// products, and what it takes to make those. Any question may be asked at any time; what needs the
/// matrix built builds it. Who uses one never asks which kind it is.
class MatrixSource {
 public:
  MatrixSource() = default;
  MatrixSource(const MatrixSource&) = delete;
  MatrixSource& operator=(const MatrixSource&) = delete;
  virtual ~MatrixSource() = default;

  virtual Index rows() const = 0;
  /// Which of them every rank owns, of the matrix and of vectors; of one rank all.
  virtual RowPartition parts() const { return {{0, rows()}}; }
  /// Entries that it holds; none where products are made of no stored elements.
  virtual std::optional<Offset> nonzeros() = 0;
  /// "316 determinants, 1024 nonzeros".
  virtual std::string size_text() const = 0;

  /// `solver`, which has what the solver takes, and what the matrix takes beside it: on its way to
  /// an operator in that format whose products are with up to `columns` vectors, and there. Of a
  /// matrix that is not built yet nothing is built for the answer but its row offsets.
  virtual MemoryNeed memory(const MemoryNeed& solver, const Format& format, const Backend& backend,
                            const FormatOptions& options, int columns) = 0;
  /// Bytes that it takes by now, of those it says it needs.
  virtual MemoryAvailable bytes_in_place() const { return {}; }

  /// a_ii in Hartree.
  virtual Array<double> diagonal() = 0;
  /// a_ij of these rows, ascending, and the same columns.
  virtual HostMatrix principal_submatrix(const std::vector<Index>& rows) = 0;
  /// The blocks into which A falls, or A and S² together where that is not null.
  virtual Sectors sectors(const CsrMatrix* s_squared) = 0;
  /// Whether it is symmetric (is_symmetric); Hamiltonians are.
  virtual bool symmetric() { return true; }
  /// The same for the same matrix, whatever it is held in.
  virtual Fingerprint fingerprint() = 0;
  /// Where products are made directly: their tables, and with them what the rows are (DirectRows);
  /// null elsewhere, where rows are those of the user's matrix or the space's determinants.
  virtual std::shared_ptr<const DirectTables> direct() { return nullptr; }
  /// The matrix in CSR, for what needs all its elements; null where it cannot be had so.
  virtual std::shared_ptr<const CsrMatrix> csr() { return nullptr; }
  /// The rows that this rank owns, with all columns, as `csr` has them.
  virtual std::shared_ptr<const CsrMatrix> own_csr() { return csr(); }

  /// The operator in that format, resident on the backend; the source is spent, and `csr` given
  /// away. Throws as make_operator does.
  virtual std::unique_ptr<LinearOperator> make(const Format& format, Backend& backend,
                                               const FormatOptions& options) = 0;
  /// What `csr` gives, the caller's alone where nobody else has asked; the source is spent.
  virtual std::shared_ptr<const CsrMatrix> release_csr() { return nullptr; }
};

inline Array<double> array_of(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}

/// The p-space of `size` rows (0: chosen) for so many states, within those sectors.
PSpace p_space_of(MatrixSource& a, Sectors sectors, int states, int size, BackendKind backend);

}  // namespace cisolve
