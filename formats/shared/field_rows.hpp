#pragma once

#include <cstdint>
#include <type_traits>

#include "backends/view.hpp"
#include "formats/matrix/elements.hpp"
#include "formats/shared/interleaved_sums.hpp"
#include "formats/shared/row_kernels.hpp"
#include "spmv/block_width.hpp"

namespace cisolve {

// Products of matrices over the complex numbers (D = 2) and quaternions (D = 4) with K interleaved
// vectors over them on the CPU. Element j of row i of X has component c at x[(i·D + c)·stride + j].

/// Σ ax by components of x: sum_r += ± a_p x_c with p = r XOR c. For wide blocks, whose numbers of
/// a component fill registers.
template <int D, int K>
class ComponentSums {
 public:
  static constexpr int numbers = D * K;

  template <class Stride>
  void add(const double* a, const double* x, Stride stride) {
    // Without, the sums go to memory and back at every entry.
#pragma GCC unroll 4
    for (int c = 0; c < D; ++c) {
#pragma GCC unroll 4
      for (int r = 0; r < D; ++r) sums_[r].add(left_factor(a, r, c), x + c * stride);
    }
  }
  void add(const ComponentSums& other) {
    for (int r = 0; r < D; ++r) sums_[r].add(other.sums_[r]);
  }
  void add_to(double* sum) const {
    for (int r = 0; r < D; ++r) sums_[r].add_to(sum + r * K);
  }

 private:
  InterleavedSums<K> sums_[D];
};

/// Σ ax by components of a: S_p = Σ a_p x over all components of x at once, so that few vectors
/// fill a register too; Σ ax = Σ_p e_p S_p at the end of the row.
template <int D, int K>
class UnitSums {
 public:
  static constexpr int numbers = D * D * K;

  template <class Stride>
  void add(const double* a, const double* x, Stride stride) {
    if constexpr (std::is_same_v<Stride, std::integral_constant<std::int64_t, K>>) {
      add_contiguous(a, x);
    } else {
      double copy[D * K];
      for (int c = 0; c < D; ++c) {
        for (int j = 0; j < K; ++j) copy[c * K + j] = x[c * stride + j];
      }
      add_contiguous(a, copy);
    }
  }
  void add(const UnitSums& other) {
    for (int p = 0; p < D; ++p) parts_[p].add(other.parts_[p]);
  }
  void add_to(double* sum) const {
    for (int p = 0; p < D; ++p) {
      double part[D * K] = {};
      parts_[p].add_to(part);
      for (int c = 0; c < D; ++c) {
        for (int j = 0; j < K; ++j) sum[(p ^ c) * K + j] += unit_sign(p, c) * part[c * K + j];
      }
    }
  }

 private:
  void add_contiguous(const double* a, const double* x) {
#pragma GCC unroll 4
    for (int p = 0; p < D; ++p) parts_[p].add(a[p], x);
  }
  InterleavedSums<D * K> parts_[D];
};

template <int D, int K>
using FieldSums = std::conditional_t<(D * K <= 8), UnitSums<D, K>, ComponentSums<D, K>>;

/// The step of entries that lie one behind another.
inline constexpr std::integral_constant<Offset, 1> side_by_side;

/// sum(c, j) += Σ_e (values[e] · x(columns[e], j))_c over `count` entries that lie `step` apart: 4
/// + 8D bytes of matrix and 2D²K flops an entry, one gather of D·K neighbouring numbers.
template <int D, int K, class Step, class Stride, class Ahead>
inline void add_elements(const FieldElement<D>* values, const Index* columns, Offset count,
                         Step step, const double* x, Stride stride, Ahead ahead, double* sum) {
  // Two sets of sums where registers hold them, so that consecutive entries do not wait for each
  // other.
  constexpr int sets = FieldSums<D, K>::numbers <= 16 ? 2 : 1;
  FieldSums<D, K> sums[sets];
  const auto add = [=, &sums](int set, Offset e) {
    sums[set].add(values[e * step].data(), x + columns[e * step] * (D * stride), stride);
  };
  Offset e = 0;
  for (; e + sets - 1 < count; e += sets) {
    fetch_entry(values + e * step, columns + e * step, ahead);
    for (int set = 0; set < sets; ++set) add(set, e + set);
  }
  if (e < count) add(0, e);
  if constexpr (sets == 2) sums[0].add(sums[1]);
  sums[0].add_to(sum);
}

/// Y := αAX + βY over elements of D real numbers, rows shared out among the threads as by
/// multiply_rows. The format's part is add_row(width, i, x, stride, ahead, sum), which adds its row
/// i of AX, row order[i] of Y (null: i), for width.value vectors to `sum`, component by component.
template <int D, class AddRow>
void multiply_field_rows(const StoredOperator& a, const Index* order, double alpha, ConstView x,
                         double beta, View y, AddRow add_row) {
  for_each_piece(x.columns, [&](auto width, int first) {
    constexpr int k = width.value;
    const auto multiply = [&](auto stride) {
      share_rows(a, k, [=, from = x.data + first, to = y.data + first, step = y.stride](Index i) {
        double sum[D * k] = {};
        add_row(width, i, from, stride, FarAhead(), sum);
        double* const row = to + std::int64_t{order == nullptr ? i : order[i]} * D * step;
        for (int c = 0; c < D; ++c) write_row<k>(alpha, sum + c * k, beta, row + c * step);
      });
    };
    if (x.stride == k) return multiply(std::integral_constant<std::int64_t, k>());
    multiply(x.stride);
  });
}

}  // namespace cisolve
