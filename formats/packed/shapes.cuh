#pragma once

#include <algorithm>
#include <cstddef>

#include "backends/cuda/check.hpp"
#include "formats/packed/slices.cuh"
#include "formats/shared/row_kernels.cuh"
#include "spmv/block_width.hpp"

// Layouts of the threads for a product of slices, and the part of the dictionary in shared memory.

namespace cisolve::packed_slices {

inline int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check_cuda(cudaGetDevice(&device), "asking for the device");
  check_cuda(cudaDeviceGetAttribute(&value, which, device), "asking for an attribute of it");
  return value;
}

/// Number of magnitudes, the most frequent, that a block keeps in shared memory next to `sums`
/// doubles. With `blocks` blocks, a quarter of a multiprocessor's memory is left for the
/// first-level cache, which the gathers from X need.
inline int chosen_in_shared(std::size_t magnitudes, int components, int blocks, int sums) {
  static const int of_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  static const int of_all = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const std::size_t room = std::min(of_block, of_all / 4 * 3 / blocks) / sizeof(double);
  const auto left = room - std::min(room, static_cast<std::size_t>(sums));
  return static_cast<int>(std::min(magnitudes, left / components));
}

/// The fastest of the shapes measured (docs/results/packed-h200.md). They have as many warps as
/// there is room for, with 32 or 40 registers a thread (64 and more for three vectors and up).
/// ptxas keeps up to ten words of the outer loop in memory.
template <int K>
struct Shape;
template <>
struct Shape<1> : PackedShape<1, 1, 1024, 2> {};
template <>
struct Shape<2> : PackedShape<2, 1, 512, 3> {};
template <>
struct Shape<3> : PackedShape<3, 1, 512, 2> {};
template <>
struct Shape<4> : PackedShape<4, 1, 512, 2> {};
template <>
struct Shape<6> : PackedShape<6, 1, 512, 1> {};
template <>
struct Shape<8> : PackedShape<8, 2, 512, 2> {};

/// One block has a multiprocessor for itself, for a dictionary of which it has no room for two. For
/// one vector half as many warps, with twice the registers, in which the next group is waited for.
template <int K>
struct SingleShape : PackedShape<K, Shape<K>::share, 1024, 1> {};
template <>
struct SingleShape<1> : PackedShape<1, 1, 1024, 1, true> {};

/// Rows of fewer nonzeros have columns far apart, as lists of determinants do, and every gather
/// touches its own line of X. Two lanes a row then halve the lines of a load: four vectors take
/// 0.78 of the time on a list of 100,000 determinants, 0.83 on full CI of 407 nonzeros a row, 1.12
/// of 575.
constexpr double long_rows = 500.0;
struct ShortRows : PackedShape<4, 2, 512, 2> {};
struct SingleShortRows : PackedShape<4, 2, 1024, 1> {};

/// K complex vectors: one block, whose dictionary of pairs has the room of all. The group ahead of
/// one vector fits into registers.
template <int K>
struct ComplexShape : PackedShape<2 * K, K == 4 ? 2 : 1, 1024, 1, K == 1, 2> {};

/// f(std::integral_constant<int, K>, first vector) for the pieces of a block of vectors over
/// elements of D numbers.
template <int D, class F>
void for_each_packed_piece(int vectors, F&& f) {
  if constexpr (D == 1) {
    for_each_device_piece(vectors, f);
  } else {
    for_each_piece_of<4, 2, 1>(vectors, f);
  }
}

/// Threads of a block: whole teams.
template <class S>
int packed_threads(const KernelSettings& wanted) {
  return std::max(cuda::threads_of_block(wanted, S::threads) / S::team, 1) * S::team;
}

template <class S>
int in_shared(std::size_t magnitudes, const KernelSettings& wanted) {
  const int threads = packed_threads<S>(wanted);
  return chosen_in_shared(magnitudes, S::components, S::blocks * S::threads / threads,
                          threads * S::width);
}

/// f<S, Whole>() for the first of two shapes, or for the one of a single block where that has room
/// for all of the dictionary; Whole: shared memory has all of it.
template <class Shape, class Single, class F>
auto with_one_of(std::size_t magnitudes, const KernelSettings& wanted, F f) {
  const auto fits = [&]<class S>() {
    return in_shared<S>(magnitudes, wanted) == static_cast<int>(magnitudes);
  };
  if (fits.template operator()<Shape>()) return f.template operator()<Shape, true>();
  if constexpr (Shape::blocks > 1) {
    const bool is_whole = packed_threads<Single>(wanted) == Single::threads;
    if (is_whole && fits.template operator()<Single>()) {
      return f.template operator()<Single, true>();
    }
  }
  return f.template operator()<Shape, false>();
}

/// f<S, Whole>() for the shape S of K vectors over elements of D numbers and rows of so many
/// nonzeros.
template <int D, int K, class F>
auto with_shape(double mean_row, std::size_t magnitudes, const KernelSettings& wanted, F f) {
  if constexpr (D == 2) {
    return with_one_of<ComplexShape<K>, ComplexShape<K>>(magnitudes, wanted, f);
  } else {
    if constexpr (K == 4) {
      if (mean_row < long_rows) {
        return with_one_of<ShortRows, SingleShortRows>(magnitudes, wanted, f);
      }
    }
    return with_one_of<Shape<K>, SingleShape<K>>(magnitudes, wanted, f);
  }
}

}  // namespace cisolve::packed_slices
