#pragma once

#include <cstdint>

#include "core/types.hpp"
#include "hamiltonian/spinor_product/string_numbers.hpp"

namespace cisolve::spinor_product {

constexpr int warps = 4;  ///< of a block that takes D together, a remainder each
constexpr int lanes = 32;
constexpr int summing_threads = 64;  ///< of a block that adds T up

/// Remainders that follow each other, and where pairs have their place in D and T.
struct Group {
  std::uint32_t first, count;
  const int* places;  ///< GroupPairs::places
  int pairs;          ///< of a column of D and T
  std::int64_t in_t;  ///< the group's first pair
};

/// Groups that follow each other, whose T is there at once.
struct Batch {
  std::uint32_t first, count;  ///< of their remainders
  const int* group_of;         ///< of every remainder of all
  const Group* groups;
};

/// Common facts of the strings of a problem.
struct Strings {
  StringNumbers numbers;
  int spinors, electrons;
};

/// D of a group: what a remainder gives no pair to is left as it is. A warp has one remainder;
/// `pairs` lists the e < f of the spinors that it leaves empty, by f, then e.
__global__ void take_pairs(Strings strings, Group group, const uchar2* pairs, int empty_pairs,
                           const double2* c, double2* d) {
  struct Empty {
    std::uint32_t low, high;
    std::int32_t p;
    std::int32_t odd;
  };
  __shared__ Empty all[warps][OrbitalString::most_orbitals];
  const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  const std::uint32_t column = blockIdx.x * warps + warp;
  if (column >= group.count) return;
  const OrbitalString k =
      strings.numbers.string(group.first + column, strings.electrons - 2, strings.spinors);
  int count = 0;
  strings.numbers.for_each_empty(k, strings.spinors,
                                 [&](int p, std::uint32_t low, std::uint32_t high, bool odd) {
                                   if (count++ % lanes == lane)
                                     all[warp][count - 1] = {low, high, p, odd};
                                 });
  __syncwarp();
  double2* const to = d + std::int64_t{column} * group.pairs;
  for (int i = lane; i < empty_pairs; i += lanes) {
    const Empty p = all[warp][pairs[i].x], q = all[warp][pairs[i].y];
    double2 element = c[p.low + q.high];
    if (p.odd == q.odd) element = {-element.x, -element.y};
    to[group.places[p.p * strings.spinors + q.p]] = element;
  }
}

/// The real form of a block of W over the pairs that are chosen, column-major.
__global__ void restrict_block(const double2* w, int of, const int* chosen, int count,
                               double* real) {
  const std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= std::int64_t{count} * count) return;
  const auto row = static_cast<int>(at % count), column = static_cast<int>(at / count);
  const double2 element = w[std::int64_t{chosen[row]} * of + chosen[column]];
  double* const to = real + 4 * std::int64_t{column} * count + 2 * row;
  to[0] = element.x;
  to[1] = element.y;
  to[2 * count] = -element.y;
  to[2 * count + 1] = element.x;
}

/// y := α (core c + Σ_{p<q in I} ± T_pq,I−p−q) + βy over a batch's remainders; of each electron of
/// a thread 5 bytes are in shared memory.
__global__ void add_pairs(Strings strings, Batch batch, const double2* t, std::uint32_t rows,
                          double alpha, double core, const double2* c, double beta, double* y,
                          std::int64_t stride) {
  extern __shared__ std::uint32_t lows[];
  auto* const spinors = reinterpret_cast<std::uint8_t*>(lows + strings.electrons * summing_threads);
  const std::uint32_t row = blockIdx.x * summing_threads + threadIdx.x;
  if (row >= rows) return;
  const OrbitalString i = strings.numbers.string(row, strings.electrons, strings.spinors);
  double re = 0.0, im = 0.0;
  strings.numbers.for_each_electron(i, [&](int e, int q, std::uint32_t low, std::uint32_t high) {
    for (int d = 0; d < e; ++d) {
      const std::uint32_t k = lows[d * summing_threads + threadIdx.x] + high;
      if (k - batch.first >= batch.count) continue;
      const Group& group = batch.groups[batch.group_of[k]];
      const int p = spinors[d * summing_threads + threadIdx.x];
      const double2 element = t[group.in_t + std::int64_t{k - group.first} * group.pairs +
                                group.places[p * strings.spinors + q]];
      const double sign = (d + e) % 2 == 0 ? 1.0 : -1.0;
      re += sign * element.x;
      im += sign * element.y;
    }
    lows[e * summing_threads + threadIdx.x] = low;
    spinors[e * summing_threads + threadIdx.x] = static_cast<std::uint8_t>(q);
  });
  const double2 own = c[row];
  const double parts[2] = {alpha * (re + core * own.x), alpha * (im + core * own.y)};
  for (int part = 0; part < 2; ++part) {
    double& element = y[(2 * std::int64_t{row} + part) * stride];
    element = parts[part] + (beta == 0.0 ? 0.0 : beta * element);
  }
}

/// Column of x, n long, without what lies between its elements.
__global__ void take_column(const double* x, std::int64_t stride, std::int64_t n, double* column) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) column[i] = x[i * stride];
}

}  // namespace cisolve::spinor_product
