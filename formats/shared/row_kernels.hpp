#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "backends/view.hpp"
#include "formats/shared/fetch_ahead.hpp"
#include "formats/shared/gathered_sum.hpp"
#include "formats/shared/interleaved_sums.hpp"
#include "formats/shared/schedule.hpp"
#include "formats/shared/stored_operator.hpp"
#include "spmv/block_width.hpp"

namespace cisolve {

/// sum_j += Σ_e values[e] · x(columns[e], j) over `count` entries, for K interleaved vectors: 12
/// bytes of matrix (8 for values in single precision) and 2K flops an entry, one gather of K
/// neighbouring numbers. Products and sums are in double. Entries so far `ahead` are
/// fetched (`with_entries_ahead`).
template <int K, class Value, class Stride, class Ahead>
inline void add_entries(const Value* values, const Index* columns, Offset count, const double* x,
                        Stride stride, Ahead ahead, double* sum) {
  const auto fetch = [=](Offset e) { fetch_entry(values + e, columns + e, ahead); };
  if constexpr (K == 1 && std::is_same_v<Value, double> &&
                std::is_same_v<Stride, std::integral_constant<std::int64_t, 1>>) {
    if (is_gathered(count)) {
      sum[0] += gathered_sum(values, columns, count, x, fetch);
      return;
    }
  }
  if constexpr (K == 1) {
    // Four sums, so that entries do not wait for each other. Not `omp simd`: gathers by vector
    // instructions, with 64-bit products of columns and stride, take up to twice as long.
    double part[4] = {};
    Offset e = 0;
    for (; e + 3 < count; e += 4) {
      fetch(e);
      for (int j = 0; j < 4; ++j) part[j] += values[e + j] * x[columns[e + j] * stride];
    }
    for (; e < count; ++e) part[0] += values[e] * x[columns[e] * stride];
    sum[0] += (part[0] + part[1]) + (part[2] + part[3]);
  } else {
    // Two sets of sums, so that consecutive entries do not wait for each other.
    InterleavedSums<K> even, odd;
    Offset e = 0;
    for (; e + 1 < count; e += 2) {
      if (e % 4 == 0) fetch(e);
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

/// Calls row(i) for i = begin … end − 1. A function of its own, all of the row inlined: two loops
/// over a row in one function are compiled to slower ones. It copies the row's numbers and
/// pointers; no other function sees the copy, so they stay in registers.
template <class Row>
[[gnu::noinline, gnu::flatten]] void for_rows(Index begin, Index end, const Row& shared) {
  const Row row = shared;
  for (Index i = begin; i < end; ++i) row(i);
}

/// The operator of a format whose products are `multiply_rows`.
class RowsOperator : public StoredOperator {
 public:
  using StoredOperator::StoredOperator;
  std::span<const KernelSettings> kernels() const override { return cpu_kernels; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int) const override {
    return effective_cpu_kernel(*this, wanted, components());
  }
};

/// Calls row(i) for the rows of A, of components() numbers each: shared out among the threads where
/// a product with k vectors is.
template <class Row>
void share_rows(const StoredOperator& a, int k, const Row& row) {
  const int d = a.components();
  const Index n = a.rows() / d, turn = effective_cpu_kernel(a, a.kernel(), d).chunk / d;
  if (!a.shared_out(k)) return for_rows(0, n, row);
  set_schedule(a, d * turn);  // whole turns: one at a time
  const Index turns = n / turn + (n % turn > 0 ? 1 : 0);
#pragma omp parallel for schedule(runtime)
  for (Index t = 0; t < turns; ++t) {
    for_rows(t * turn, t * turn + std::min(turn, n - t * turn), row);
  }
}

/// Y := αAX + βY on the CPU, rows shared out among the threads. The format's part is
/// add_row(width, i, x, stride, ahead, sum), which adds row i of AX for width.value vectors to
/// `sum`. `scattered`: rows have their columns at such places (is_scattered).
template <class AddRow>
void multiply_rows(const StoredOperator& a, double alpha, ConstView x, double beta, View y,
                   AddRow add_row, bool scattered = false) {
  for_each_piece(x.columns, [&](auto width, int first) {
    constexpr int k = width.value;
    const auto multiply = [&](auto stride, auto ahead) {
      share_rows(a, k, [=, from = x.data + first, to = y.data + first, step = y.stride](Index i) {
        double sum[k] = {};
        add_row(width, i, from, stride, ahead, sum);
        write_row<k>(alpha, sum, beta, to + i * step);
      });
    };
    if (x.stride != k) return multiply(x.stride, FarAhead());
    with_entries_ahead(a.bytes(), scattered, [&](auto ahead) {
      multiply(std::integral_constant<std::int64_t, k>(), ahead);
    });
  });
}

}  // namespace cisolve
