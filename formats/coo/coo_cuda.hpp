#pragma once

#include "backends/backend.hpp"
#include "formats/coo/coo.hpp"

namespace cisolve {

/// A CooMatrix on a device, with the partial sums of the rows that several warps share: 16 · k
/// bytes for each chunk of entries, k ≤ 8. One product at a time.
class CudaCoo {
 public:
  CudaCoo() = default;
  CudaCoo(const CooMatrix& coo, Backend& backend);

  /// Y := Y + αAX, without atomics: the same bits on every run.
  void add_product(double alpha, ConstView x, View y) const;

 private:
  Offset nonzeros_ = 0;
  Buffer<Index> row_indices_, column_indices_;
  Buffer<double> values_;
  mutable Buffer<double> carry_in_, carry_out_;
};

}  // namespace cisolve
