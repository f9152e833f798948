#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "backends/cpu/dense_kernels.hpp"
#include "backends/cpu/loops.hpp"

// Small matrices padded for the dense kernels, and sums over rows that are gone through in chunks.

namespace cisolve::cpu {

/// Memory kept between calls.
class Scratch {
 public:
  double* reserve(std::size_t count) {
    if (numbers_.size() < count) numbers_.resize(count);
    return numbers_.data();
  }

 private:
  std::vector<double> numbers_;
};

/// Numbers that XᵀY takes, its rows padded.
inline std::size_t product_size(ConstView x, ConstView y) {
  return static_cast<std::size_t>(x.columns) * padded(y.columns);
}

/// to := C, its columns times factor(j) and padded with zeros.
template <class F>
void pad(ConstView c, double* to, F factor) {
  const int p = padded(c.columns);
  for (Index a = 0; a < c.rows; ++a) {
    for (int j = 0; j < p; ++j) {
      to[a * p + j] = j < c.columns ? factor(j) * c.data[a * c.stride + j] : 0.0;
    }
  }
}

/// C := the numbers, without the padding.
inline void unpad(const double* from, View c) {
  for (Index a = 0; a < c.rows; ++a) {
    std::copy_n(from + a * padded(c.columns), c.columns, c.data + a * c.stride);
  }
}

/// Rows first … of Y := padded rows of a product + β times what they were.
inline void add_rows(const double* product, double beta, Index first, Index rows, View y) {
  const int p = padded(y.columns);
  const auto add = [beta](const double* from, Index count, double* to) {
    if (beta == 0.0) return copy_row(from, count, to);
    for (Index j = 0; j < count; ++j) to[j] = from[j] + beta * to[j];
  };
  double* const to = y.data + first * y.stride;
  if (y.stride == p && y.columns == p) return add(product, rows * p, to);
  for (Index i = 0; i < rows; ++i) add(product + i * p, y.columns, to + i * y.stride);
}

/// Sums over the rows of blocks, and the memory that they take.
class ChunkSums {
 public:
  /// The `count` sums that add(first, rows, sums) adds up over all chunks of the rows, in which it
  /// moves so many numbers: one partial sum per thread, added in the threads' order, so that every
  /// run has the same bits.
  template <class F>
  const double* reduce(Index rows, Offset moved, std::size_t count, F add) {
    const int threads = threads_for(moved);
    const std::size_t stride = (count + 7) / 8 * 8;  // a cache line belongs to one thread
    double* totals = sums_.reserve(2 * stride * threads);
    std::fill_n(totals, stride * threads, 0.0);
    for_each_index(chunks(rows), threads > 1, [=](Index c) {
      // A chunk's sum for itself, then to the thread's: fewer roundings one upon another.
      double* total = totals + stride * own_number(threads);
      double* chunk = total + stride * threads;
      std::fill_n(chunk, count, 0.0);
      add(c * chunk_rows, std::min(chunk_rows, rows - c * chunk_rows), chunk);
      for (std::size_t i = 0; i < count; ++i) total[i] += chunk[i];
    });
    for (int t = 1; t < threads; ++t) {
      for (std::size_t i = 0; i < count; ++i) totals[i] += totals[t * stride + i];
    }
    return totals;
  }

  /// Calls take(first, rows, product, sums) with the rows of X₁C₁ + X₂C₂ + …, chunk by chunk;
  /// returns the sums, one a column of Y, added up as `reduce` does.
  template <std::size_t count, class F>
  const double* sum_terms(const Term (&terms)[count], View y, F take) {
    const std::size_t chunk = product_numbers(y.columns);
    double* const all = products(y.columns);
    Offset moved = numbers(y);
    for (const Term& term : terms) moved += numbers(term.x);
    const int threads = threads_for(moved);
    return reduce(y.rows, moved, y.columns, [=, &terms](Index first, Index rows, double* sums) {
      double* product = all + chunk * own_number(threads);
      sum_of_products(terms, count, first, rows, y.columns, product);
      take(first, rows, product, sums);
    });
  }

  /// Memory for a chunk of rows of a product of k columns for every thread, one behind another.
  double* products(int k) { return products_.reserve(product_numbers(k) * omp_get_max_threads()); }
  static std::size_t product_numbers(int k) {
    return static_cast<std::size_t>(chunk_rows) * padded(k);
  }

 private:
  Scratch sums_, products_;
};

}  // namespace cisolve::cpu
