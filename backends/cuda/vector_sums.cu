#include "backends/cuda/vector_sums.hpp"

#include <algorithm>

#include "backends/cuda/check.hpp"
#include "backends/cuda/warp.cuh"

namespace cisolve::cuda {
namespace {

constexpr int most_terms = 32, most_columns = 8;

/// Vectors and their coefficients, passed among a kernel's arguments.
struct Terms {
  const double* x[most_terms];
  std::int64_t stride[most_terms];
  double c[most_terms][most_columns];
  int count;
};

/// Y := XC, or Y + XC; a thread has a row, whose k sums stay in registers.
template <int k>
__global__ void sum_kernel(const __grid_constant__ Terms terms, bool first, View y) {
  const auto step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < y.rows;
       i += step) {
    double* const to = y.data + i * y.stride;
    double sums[k];
    for (int j = 0; j < k; ++j) sums[j] = first ? 0.0 : to[j];
    for (int t = 0; t < terms.count; ++t) {
      const double x = terms.x[t][i * terms.stride[t]];
      for (int j = 0; j < k; ++j) sums[j] += x * terms.c[t][j];
    }
    for (int j = 0; j < k; ++j) to[j] = sums[j];
  }
}

/// sum_kernel of as many columns as Y has, up to `k`.
template <int k>
void launch(const Terms& terms, bool first, View y) {
  if constexpr (k > 1) {
    if (y.columns < k) return launch<k - 1>(terms, first, y);
  }
  const unsigned blocks = std::min(blocks_of(y.rows), 1u << 16);
  sum_kernel<k><<<blocks, block_threads>>>(terms, first, y);
  check_launch("a sum of vectors");
}

/// Some columns of a sum.
void combine(const VectorSum& sum, int from, View y) {
  const int count = static_cast<int>(sum.x.size());
  for (int begin = 0; begin == 0 || begin < count; begin += most_terms) {
    Terms terms{};
    terms.count = std::min(most_terms, count - begin);
    for (int t = 0; t < terms.count; ++t) {
      const ConstView x = sum.x[begin + t];
      terms.x[t] = x.data;
      terms.stride[t] = x.stride;
      const auto row = static_cast<std::size_t>(begin + t) * sum.y.columns + from;
      std::copy_n(&sum.c[row], y.columns, terms.c[t]);
    }
    launch<most_columns>(terms, begin == 0, y);
  }
}

}  // namespace

void combine(std::span<const VectorSum> sums) {
  for (const VectorSum& sum : sums) {
    for (int from = 0; from < sum.y.columns && sum.y.rows > 0; from += most_columns) {
      combine(sum, from, sum.y.slice(from, std::min(most_columns, sum.y.columns - from)));
    }
  }
}

}  // namespace cisolve::cuda
