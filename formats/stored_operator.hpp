#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "backends/backend.hpp"
#include "core/timer.hpp"
#include "formats/csr_matrix.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// What all formats' operators share: shape, costs and the diagonal, kept on the backend.
/// A format's class adds its arrays and `apply`, and closes its constructor with `built`.
class StoredOperator : public LinearOperator {
 public:
  StoredOperator(const CsrMatrix& a, Backend& backend, std::string format)
      : backend_(backend),
        rows_(a.rows),
        columns_(a.columns),
        diagonal_(Buffer<double>::from_host(backend, cisolve::diagonal(a))) {
    info_.format = std::move(format);
    info_.nonzeros = full_nonzeros(a);
  }

  Index rows() const override { return rows_; }
  Index columns() const override { return columns_; }
  void diagonal(View d) const override { backend_.copy({diagonal_.data(), rows_, 1, 1}, d); }
  OperatorInfo info() const override { return info_; }
  void use(const Kernel& kernel) override { kernel_ = kernel; }

  const Kernel& kernel() const { return kernel_; }
  /// X with stride = columns and 16-byte aligned: itself, or a copy in memory that the operator
  /// keeps from the first time on. At most 8 columns.
  ConstView packed(ConstView x) const {
    if (x.stride == x.columns && reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0) return x;
    if (scratch_.rows() == 0) scratch_ = MultiVector(backend_, columns_, 8);
    const View copy = scratch_.packed(x.columns);
    backend_.copy(x, copy);
    return copy;
  }

 protected:
  void built(std::size_t bytes, Offset padding = 0, std::string layout = {}) {
    info_.bytes = bytes;
    info_.padding = padding;
    info_.layout = std::move(layout);
    info_.build_seconds = timer_.seconds();
  }

 private:
  Timer timer_;
  Backend& backend_;
  Index rows_;
  Index columns_;
  Buffer<double> diagonal_;
  OperatorInfo info_;
  Kernel kernel_;
  mutable MultiVector scratch_;
};

}  // namespace cisolve
