#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/input/fingerprint.hpp"
#include "app/memory/memory_plan.hpp"
#include "app/states/state_reader.hpp"
#include "app/ways/format_report.hpp"
#include "backends/backend.hpp"
#include "core/array.hpp"
#include "core/dense/host_matrix.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/basis/basis.hpp"
#include "solvers/p_space.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// The operator of a run, and the part of it whose kernels can be tuned.
struct MadeOperator {
  std::shared_ptr<LinearOperator> a;
  LinearOperator* tunable = nullptr;
};

/// The matrix of a run in the one way to multiply with it that is taken: what solvers want to know
/// beside its products, and what it takes to make the operator. Any question may be asked until
/// that is made; what needs the matrix built builds it.
class HeldMatrix {
 public:
  HeldMatrix() = default;
  HeldMatrix(const HeldMatrix&) = delete;
  HeldMatrix& operator=(const HeldMatrix&) = delete;
  virtual ~HeldMatrix() = default;

  /// The rows of its vectors.
  virtual std::shared_ptr<const Basis> basis() = 0;
  /// Entries that it holds; none where products are made of no stored elements.
  virtual std::optional<Offset> nonzeros() = 0;
  /// "316 determinants, 1024 nonzeros".
  virtual std::string size_text() = 0;

  /// `solver`, what the solver takes, and beside it what the matrix takes on its way to an operator
  /// whose products are with up to `columns` vectors, and there. Nothing but the row offsets of a
  /// matrix is built for the answer.
  virtual MemoryNeed memory(const MemoryNeed& solver, int columns) = 0;
  /// Bytes that it takes by now, of those it says it needs.
  virtual MemoryAvailable bytes_in_place() const { return {}; }
  /// Builds the matrix now where it is held on the host.
  virtual void build() {}

  /// Real numbers of an element.
  virtual int components() { return 1; }
  /// a_ii in Hartree, of elements over K the real part.
  virtual Array<double> diagonal() = 0;
  /// a_ij of these rows, ascending, and the same columns; over K the real form.
  virtual HostMatrix principal_submatrix(const std::vector<Index>& rows) = 0;
  /// The blocks into which A falls, or A and S² together where that is not null.
  virtual Sectors sectors(const CsrMatrix* s_squared) = 0;
  /// True if it is symmetric (is_symmetric); Hamiltonians are.
  virtual bool symmetric() { return true; }
  /// A matrix has the same one, whatever it is held in.
  virtual Fingerprint fingerprint() = 0;
  /// This rank's rows in CSR, with all columns; null where they cannot be had so.
  virtual std::shared_ptr<const CsrMatrix> own_csr() { return nullptr; }

  /// The operator, resident on the backend, for blocks of `columns` vectors, mostly. Elements are
  /// spent then. `symmetric`: the matrix is known to be so. Throws as make_operator does.
  virtual MadeOperator make(int columns, bool symmetric) = 0;

  /// S² over its rows, where the operator, once made, knows it; else null, and it must be stored.
  virtual std::unique_ptr<LinearOperator> s_squared() { return nullptr; }
  /// Reads states; the operator may be gone. Throws ResourceError without memory.
  virtual std::unique_ptr<StateReader> reader() = 0;
  /// Choice of the format so far, if it is not the configured one.
  virtual std::optional<FormatReport> format_report() const { return settled; }

  MemoryPlan plan;
  std::vector<std::string> notes;  ///< what the user should know, as it turns up
  bool on_device = false;          ///< rows are made there, not whole on the host
  /// Its memory is an estimate: where the operator takes more, the next way is taken.
  bool estimated = false;
  std::optional<FormatReport> settled;  ///< the format that `auto` came to without a search
};

inline Array<double> array_of(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}

/// The columns `wanted` of a matrix of which some rows are given, all of these.
HostMatrix block_over(const CsrMatrix& rows, const std::vector<Index>& wanted);

/// The p-space of `size` rows (0: chosen) for so many states, within those sectors; over K of all
/// components of these.
PSpace p_space_of(HeldMatrix& a, Sectors sectors, int states, int size, BackendKind backend);

}  // namespace cisolve
