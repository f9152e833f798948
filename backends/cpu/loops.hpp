#pragma once

#include <omp.h>

#include "backends/view.hpp"
#include "core/threads/parallel.hpp"

// Loops over blocks of vectors, shared out among threads where they are worth it.

namespace cisolve::cpu {

// Rows handled at once by the dense kernels: a block of them stays in the first-level cache.
constexpr Index chunk_rows = 64;

/// Elements of a block: what it takes to read or write it.
inline Offset numbers(ConstView x) {
  return Offset{x.rows} * x.columns;
}

/// True if a block is one array of numbers, without gaps between its rows.
inline bool is_flat(ConstView x) {
  return x.stride == x.columns;
}

/// Chunks that so many rows are.
inline Index chunks(Index rows) {
  return rows / chunk_rows + (rows % chunk_rows != 0 ? 1 : 0);
}

/// Threads that share a loop in which so many numbers are moved.
inline int threads_for(Offset moved) {
  return worth_threads(moved) ? omp_get_max_threads() : 1;
}

/// This thread's number among so many that share a loop. One has no team, but perhaps one of the
/// caller's, whose numbers are not meant.
inline int own_number(int threads) {
  return threads > 1 ? omp_get_thread_num() : 0;
}

/// Calls f(i, row of x, row of y) for every row.
template <class X, class Y, class F>
void for_each_row(X x, Y y, F f) {
  for_each_index(y.rows, worth_threads(numbers(x) + numbers(y)),
                 [=](Index i) { f(i, x.data + i * x.stride, y.data + i * y.stride); });
}

/// Calls f(i) for the n numbers of flat blocks, of which so many are moved.
template <class F>
void for_each_number(Offset n, Offset moved, F f) {
  if (!worth_threads(moved)) {
#pragma omp simd
    for (Offset i = 0; i < n; ++i) f(i);
    return;
  }
#pragma omp parallel for simd schedule(static)
  for (Offset i = 0; i < n; ++i) f(i);
}

/// Calls f(number of y, number of x …) for all elements where the blocks, of one shape, are flat;
/// else returns false. A loop over a short row would take longer than the row.
template <class F, class... X>
bool for_each_flat(View y, F f, X... x) {
  if (!is_flat(y) || !((is_flat(x) && x.columns == y.columns) && ...)) return false;
  for_each_number(numbers(y), (1 + sizeof...(x)) * numbers(y),
                  [=](Offset i) { f(y.data[i], x.data[i]...); });
  return true;
}

}  // namespace cisolve::cpu
