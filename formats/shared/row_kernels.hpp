#pragma once

#include "backends/view.hpp"
#include "formats/shared/interleaved_sums.hpp"
#include "formats/shared/schedule.hpp"
#include "formats/shared/stored_operator.hpp"
#include "spmv/block_width.hpp"

namespace cisolve {

/// sum_j += Σ_e values[e] · x(columns[e], j) over `count` entries, for K interleaved vectors: 12
/// bytes of matrix (8 for values in single precision) and 2K flops an entry, one gather of K
/// neighbouring numbers. Products and sums are in double.
template <int K, class Value, class Stride>
inline void add_entries(const Value* values, const Index* columns, Offset count, const double* x,
                        Stride stride, double* sum) {
  if constexpr (K == 1) {
    // Four sums, so that entries do not wait for each other. Not `omp simd`: gathers by vector
    // instructions, with 64-bit products of columns and stride, take up to twice as long.
    double part[4] = {};
    Offset e = 0;
    for (; e + 3 < count; e += 4) {
      for (int j = 0; j < 4; ++j) part[j] += values[e + j] * x[columns[e + j] * stride];
    }
    for (; e < count; ++e) part[0] += values[e] * x[columns[e] * stride];
    sum[0] += (part[0] + part[1]) + (part[2] + part[3]);
  } else {
    // Two sets of sums, so that consecutive entries do not wait for each other.
    InterleavedSums<K> even, odd;
    Offset e = 0;
    for (; e + 1 < count; e += 2) {
      even.add(values[e], x + columns[e] * stride);
      odd.add(values[e + 1], x + columns[e + 1] * stride);
    }
    if (e < count) even.add(values[e], x + columns[e] * stride);
    even.add(odd);
    even.add_to(sum);
  }
}

/// sum_j += d_i · x(i, j) for K interleaved vectors: the diagonal where it is kept apart.
template <int K>
inline void add_diagonal(Diagonal diagonal, Index i, const double* x, std::int64_t stride,
                         double* sum) {
  if (i >= diagonal.count) return;
  for (int j = 0; j < K; ++j) sum[j] += diagonal.elements[i] * x[i * stride + j];
}

/// Calls row(i) for i = 0 … n − 1 without a parallel region, as for_each_index does; a function of
/// its own into which all of the row is inlined, for two loops over a row in one function are
/// compiled to slower ones.
template <class Row>
[[gnu::noinline, gnu::flatten]] void for_each_row_alone(Index n, const Row& row) {
  for (Index i = 0; i < n; ++i) row(i);
}

/// Y := αAX + βY on the CPU, rows shared out among the threads. The format's part is
/// add_row(width, i, x, stride, sum), which adds row i of AX for width.value vectors to `sum`.
template <class AddRow>
void multiply_rows(const StoredOperator& a, double alpha, ConstView x, double beta, View y,
                   AddRow add_row) {
  set_schedule(a.kernel());
  for_each_piece(x.columns, [&](auto width, int first) {
    constexpr int k = width.value;
    const auto multiply_row = [=, &add_row](Index i, auto stride) {
      double sum[k] = {};
      add_row(width, i, x.data + first, stride, sum);
      double* to = y.data + i * y.stride + first;
      for (int j = 0; j < k; ++j) to[j] = alpha * sum[j] + (beta == 0.0 ? 0.0 : beta * to[j]);
    };
    if (!a.shared_out(k)) {
      // What is shared out waits for memory; what is not, for instructions.
      const std::integral_constant<std::int64_t, k> contiguous;
      if (x.stride == k) {
        return for_each_row_alone(y.rows, [=](Index i) { multiply_row(i, contiguous); });
      }
      return for_each_row_alone(y.rows, [=](Index i) { multiply_row(i, x.stride); });
    }
#pragma omp parallel for schedule(runtime)
    for (Index i = 0; i < y.rows; ++i) multiply_row(i, x.stride);
  });
}

}  // namespace cisolve
