#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve::bench {

/// One way to multiply with a block, measured.
struct FieldMeasurement {
  std::string product;
  std::size_t matrix_bytes = 0;
  double milliseconds = 0.0;  ///< median
  HostMatrix y;               ///< AX
};

/// Median milliseconds of `runs` runs between events after three others.
double median_milliseconds(Backend& backend, int runs, const std::function<void()>& work);

/// A real (components 1) or complex (components 2) matrix in cuSPARSE's CSR on the device.
class CusparseField {
 public:
  CusparseField(const CsrMatrix& a, Backend& backend);
  ~CusparseField();

  /// AX by every algorithm that the library takes, preprocessed: SpMV for one vector, else SpMM
  /// with blocks by row and by column. X and AX are real blocks in this program's layout; they are
  /// laid out in the library's before and after.
  std::vector<FieldMeasurement> measure(const HostMatrix& x, int runs) const;

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace cisolve::bench
