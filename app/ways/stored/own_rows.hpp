#pragma once

#include <memory>
#include <vector>

#include "app/input/elements/built_matrix.hpp"
#include "app/input/fingerprint.hpp"
#include "app/memory/memory_plan.hpp"
#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"
#include "formats/format.hpp"

namespace cisolve {

/// The rows of a stored matrix that one of several ranks owns, with all columns: what a rank knows
/// by itself. `rank_way` makes of it what all know. Which rows they are the ranks have agreed on
/// so that each has about as much to do (balanced_partition).
class OwnRows {
 public:
  OwnRows() = default;
  OwnRows(const OwnRows&) = delete;
  OwnRows& operator=(const OwnRows&) = delete;
  virtual ~OwnRows() = default;

  virtual Index count() const = 0;
  virtual Offset nonzeros() const = 0;
  /// Memory as HeldMatrix has it, of a part with so many rows and nonzeros, the most that a rank
  /// has.
  virtual MemoryNeed memory(const MemoryNeed& solver, Index rows, Offset nonzeros,
                            const Format& format, const Backend& backend,
                            const FormatOptions& options, int columns) const = 0;
  virtual std::size_t device_bytes_in_place() const { return 0; }
  /// Built now, where it is held so.
  virtual void build() {}
  /// In CSR; null where they are not in host memory.
  virtual std::shared_ptr<const CsrMatrix> csr() { return nullptr; }

  /// a_ii of these rows.
  virtual std::vector<double> diagonal() = 0;
  /// Some of these rows, counted from 0, and any columns.
  virtual HostMatrix block(const std::vector<Index>& rows, const std::vector<Index>& columns) = 0;
  /// The lowest row of the component of every row of the matrix, as far as these rows connect them.
  virtual std::vector<Index> component_roots() = 0;
  /// True if the whole is symmetric.
  virtual bool symmetric() const { return true; }
  /// Terms that these rows add to the matrix's fingerprint.
  virtual Fingerprint fingerprint() = 0;
  /// The operator, not square; the rows are spent.
  virtual std::unique_ptr<LinearOperator> make(const Format& format, Backend& backend,
                                               const FormatOptions& options) = 0;
};

/// Rows of determinants, made on the host once they are wanted.
std::unique_ptr<OwnRows> own_rows_on_host(BuiltMatrix& matrix, Communicator& ranks);

/// Rows cut out of a matrix that every rank reads. `requires_symmetric`: InputError where it is
/// not.
std::unique_ptr<OwnRows> own_rows_cut(Elements& elements, Communicator& ranks,
                                      bool requires_symmetric);

/// Rows of determinants, made on each rank's CUDA device block by block, whole nowhere; in formats
/// that come of such rows alone.
std::unique_ptr<OwnRows> own_rows_on_device(const Determinants& determinants, Backend& backend);

}  // namespace cisolve
