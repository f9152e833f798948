#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "core/threads/parallel.hpp"
#include "core/timer.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/row_source.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// The diagonal beside off-diagonal elements in single precision; where those are in double it is
/// among them and this is not read.
struct Diagonal {
  const double* elements;  ///< a_ii, on the backend
  Index count;             ///< rows or columns, whichever are fewer
};

/// Every number `times` times, one behind another.
inline std::vector<double> repeated(const std::vector<double>& numbers, int times) {
  std::vector<double> all;
  all.reserve(numbers.size() * times);
  for (const double number : numbers) all.insert(all.end(), times, number);
  return all;
}

/// Common base of all formats' operators: shape, costs and the diagonal, kept on the backend. A
/// format's class adds its arrays and `apply`, and closes its constructor with `built`.
class StoredOperator : public LinearOperator {
 public:
  StoredOperator(const CsrMatrix& a, Backend& backend, std::string format)
      : backend_(backend),
        components_(a.components),
        rows_(a.rows * a.components),
        columns_(a.columns * a.components),
        diagonal_(
            Buffer<double>::from_host(backend, repeated(cisolve::diagonal(a), a.components))) {
    info_.format = std::move(format);
    info_.nonzeros = full_nonzeros(a);
  }
  StoredOperator(const RowSource& source, Backend& backend, std::string format)
      : StoredOperator(source.rows(), source.columns(), source.nonzeros(), source.diagonal(),
                       backend, std::move(format)) {}
  /// Operator of a matrix that is not there in CSR.
  StoredOperator(Index rows, Index columns, Offset nonzeros, const std::vector<double>& diagonal,
                 Backend& backend, std::string format, int components = 1)
      : backend_(backend),
        components_(components),
        rows_(rows * components),
        columns_(columns * components),
        diagonal_(Buffer<double>::from_host(backend, repeated(diagonal, components))) {
    info_.format = std::move(format);
    info_.nonzeros = nonzeros;
  }

  Index rows() const override { return rows_; }
  Index columns() const override { return columns_; }
  int components() const override { return components_; }
  void diagonal(View d) const override { backend_.copy({diagonal_.data(), rows_, 1, 1}, d); }
  OperatorInfo info() const override { return info_; }
  void use(const KernelSettings& kernel) override { kernel_ = kernel; }

  const KernelSettings& kernel() const { return kernel_; }
  Offset nonzeros() const { return info_.nonzeros; }
  std::size_t bytes() const { return info_.bytes; }
  /// True if the CPU's threads share a product with so many vectors: it reads the entries once and
  /// the vectors' rows, mostly from a cache (six vectors take twice as long as one).
  bool shared_out(int columns) const {
    const double entries = info_.nonzeros + info_.padding, numbers = 2.0 * rows_ * columns;
    return worth_threads(entries * (1.0 + columns / 8.0) + numbers);
  }
  /// X with stride = columns and 16-byte aligned: itself, or a copy in memory that the operator
  /// keeps from then on (`contiguous_scratch`).
  ConstView contiguous(ConstView x) const {
    if (x.stride == x.columns && reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0) return x;
    const View copy = block_in(contiguous_x_, x.rows, x.columns);
    backend_.copy(x, copy);
    return copy;
  }

 protected:
  Diagonal stored_diagonal() const { return {diagonal_.data(), std::min(rows_, columns_)}; }
  Backend& backend() const { return backend_; }

  /// A block with stride = columns in `memory`, which grows where it is too small.
  View block_in(Buffer<double>& memory, Index rows, int columns) const {
    const std::size_t count = static_cast<std::size_t>(rows) * columns;
    if (memory.size() < count) {
      memory = {};  // released before the larger one is taken
      memory = Buffer<double>(backend_, count);
    }
    return {memory.data(), rows, columns, columns};
  }

  /// Y := βY; β = 0 ignores what Y held.
  void scale(double beta, View y) const {
    if (beta == 0.0) {
      backend_.fill(0.0, y);
    } else if (beta != 1.0) {
      backend_.scale_columns(std::vector<double>(static_cast<std::size_t>(y.columns), beta), y);
    }
  }

  void built(std::size_t bytes, Offset padding = 0, std::string layout = {}) {
    info_.bytes = bytes;
    info_.padding = padding;
    info_.layout = std::move(layout);
    info_.build_seconds = timer_.seconds();
  }

 private:
  Timer timer_;
  Backend& backend_;
  int components_;
  Index rows_;
  Index columns_;
  Buffer<double> diagonal_;
  OperatorInfo info_;
  KernelSettings kernel_;
  mutable Buffer<double> contiguous_x_;
};

/// Format::scratch of formats whose products on a GPU take contiguous pieces, of at most 8 vectors:
/// they are copied where a block is worked in several or, as a solver's when it gets narrower, lies
/// in a wider one. Those of matrices that are not real are read where they lie.
inline std::size_t contiguous_scratch(const CsrMatrix& outline, const FormatOptions&,
                                      BackendKind backend, int vectors) {
  if (backend == BackendKind::cpu || vectors == 1 || outline.components > 1) return 0;
  return std::min<std::size_t>(vectors, 8) * outline.columns * sizeof(double);
}

}  // namespace cisolve
