#pragma once

#include "core/types.hpp"

namespace cisolve {

/// A block of k vectors of length n in a backend's memory, interleaved: element (i, j) lies at
/// data[i·stride + j], so that one gather of a row serves all k. It owns nothing, and the pointer
/// may be a device address: only backends and kernels follow it.
struct ConstView {
  const double* data = nullptr;
  Index rows = 0;
  int columns = 0;
  std::int64_t stride = 0;

  /// Columns first … first + count − 1 of this block.
  ConstView slice(int first, int count) const { return {data + first, rows, count, stride}; }
  /// Rows first … first + count − 1 of this block.
  ConstView row_range(Index first, Index count) const {
    return {data + first * stride, count, columns, stride};
  }
};

struct View {
  double* data = nullptr;
  Index rows = 0;
  int columns = 0;
  std::int64_t stride = 0;

  View slice(int first, int count) const { return {data + first, rows, count, stride}; }
  View row_range(Index first, Index count) const {
    return {data + first * stride, count, columns, stride};
  }
  operator ConstView() const { return {data, rows, columns, stride}; }
};

}  // namespace cisolve
