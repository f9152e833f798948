#pragma once

#include <string>
#include <utility>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"

namespace cisolve {

/// A dense matrix of real or complex elements, of `components` real numbers side by side: rows ×
/// (columns · components).
struct DenseNumbers {
  HostMatrix numbers;
  int components = 1;
};

/// The matrix. Throws InputError, naming `name`, where the elements are complex.
inline HostMatrix real_numbers(DenseNumbers dense, const std::string& name) {
  if (dense.components == 1) return std::move(dense.numbers);
  throw InputError(name + ": the elements are complex, expected real ones");
}

}  // namespace cisolve
