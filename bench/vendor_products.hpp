#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/csr_matrix.hpp"

namespace cisolve::bench {

/// One way of the vendor library to multiply, resident on the device; `run` enqueues Y := AX.
struct VendorProduct {
  std::string name;
  std::function<void()> run;
  std::size_t bytes = 0;
};

/// cuSPARSE on CSR: SpMV (both algorithms, preprocessed) for k = 1; SpMM with row-major blocks (all
/// algorithms that take it) for k > 1. x and y are device memory, packed n × k. The returned
/// products share the matrix on the device. Empty where a product cannot run (with a note on
/// stderr) or the program was built without CUDA.
std::vector<VendorProduct> vendor_products(const CsrMatrix& a, int k, const double* x, double* y);

/// Milliseconds of `work` on the device between two events; 0 without CUDA.
double device_milliseconds(const std::function<void()>& work);

/// CUDA runtime, cuSPARSE and driver versions; empty without a device.
std::string device_line();

}  // namespace cisolve::bench
