#pragma once

#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// A dense matrix of real or complex elements, of `components` real numbers side by side: rows ×
/// (columns · components).
struct DenseNumbers {
  HostMatrix numbers;
  int components = 1;
};

}  // namespace cisolve
