#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cpu/dense_kernels.hpp"
#include "backends/cpu/loops.hpp"

// Sums of many vectors that do not lie side by side.

namespace cisolve::cpu {

/// Rows of Y += x_1 c_1 + … + x_4 c_4; the x_i are n × 1, the c_i rows of k numbers.
inline void add_four(const ConstView* x, const double* c, Index first, Index rows, View y) {
  with_columns(y.columns, [&](auto k) {
    const double *c1 = c, *c2 = c1 + k, *c3 = c2 + k, *c4 = c3 + k;
    for (Index i = first; i < first + rows; ++i) {
      const double x1 = x[0].data[i * x[0].stride], x2 = x[1].data[i * x[1].stride];
      const double x3 = x[2].data[i * x[2].stride], x4 = x[3].data[i * x[3].stride];
      double* to = y.data + i * y.stride;
#pragma omp simd
      for (int j = 0; j < k; ++j) to[j] += x1 * c1[j] + x2 * c2[j] + (x3 * c3[j] + x4 * c4[j]);
    }
  });
}

/// A sum, four vectors at a time, which a processor can follow.
class SumByFours {
 public:
  explicit SumByFours(const VectorSum& sum)
      : x_(sum.x.begin(), sum.x.end()), c_(sum.c.begin(), sum.c.end()), y_(sum.y) {
    while (x_.size() % 4 != 0) x_.push_back(x_[0]);  // times zero
    c_.resize(x_.size() * y_.columns);
  }

  std::size_t size() const { return x_.size(); }
  void clear(Index first, Index rows) const {
    for (Index i = first; i < first + rows; ++i)
      std::fill_n(y_.data + i * y_.stride, y_.columns, 0.0);
  }
  /// Adds four vectors from number i on, if there are so many.
  void add(std::size_t i, Index first, Index rows) const {
    if (i < x_.size()) add_four(&x_[i], c_.data() + i * y_.columns, first, rows, y_);
  }

 private:
  std::vector<ConstView> x_;
  std::vector<double> c_;
  View y_;
};

/// All sums at once: those of vectors that share cache lines read them together, and some rows of
/// every Y stay near the processor.
inline void combine(std::span<const VectorSum> sums) {
  constexpr Index near = 512;
  const std::vector<SumByFours> fours(sums.begin(), sums.end());
  Index rows = 0;
  Offset work = 0;
  std::size_t longest = 0;
  for (const VectorSum& sum : sums) {
    rows = sum.y.rows;
    work += numbers(sum.y) * std::ssize(sum.x);
    longest = std::max(longest, sum.x.size());
  }
  for_each_index((rows + near - 1) / near, worth_threads(work), [&](Index part) {
    const Index first = part * near, count = std::min(near, rows - first);
    for (const SumByFours& sum : fours) sum.clear(first, count);
    for (std::size_t i = 0; i < longest; i += 4) {
      for (const SumByFours& sum : fours) sum.add(i, first, count);
    }
  });
}

}  // namespace cisolve::cpu
