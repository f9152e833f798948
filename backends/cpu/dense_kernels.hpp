#pragma once

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "backends/view.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/register_width.hpp"

// Products of tall blocks of vectors with small matrices, a few rows at a time, sums in registers.
// Small matrices are rows of `padded(k)` numbers, so that a tile of columns is 1, 2, 4 or 8 wide.

namespace cisolve::cpu {

constexpr int widest_tile = 8;

/// Calls f with the width of a tile that takes `columns` columns, or as many as a tile can, as a
/// compile-time constant.
template <class F>
void with_tile_width(int columns, F f) {
  if (columns <= 1) return f(std::integral_constant<int, 1>{});
  if (columns == 2) return f(std::integral_constant<int, 2>{});
  if (columns <= 4) return f(std::integral_constant<int, 4>{});
  f(std::integral_constant<int, widest_tile>{});
}

/// Calls f with the smaller of k and `most` as a compile-time constant.
template <int most, class F>
void with_constant(int k, F f) {
  if constexpr (most > 1) {
    if (k < most) return with_constant<most - 1>(k, f);
  }
  f(std::integral_constant<int, most>{});
}

/// Calls f with k, of the narrowest blocks as a compile-time constant: a loop over such a row would
/// take longer than the row.
template <class F>
void with_columns(int k, F f) {
  constexpr int narrow = 6;
  if (1 <= k && k <= narrow) return with_constant<narrow>(k, f);
  f(k);
}

/// Columns of a small matrix of k with the zeros that fill its last tile.
inline int padded(int k) {
  if (k <= 2) return std::max(k, 1);
  return k <= 4 ? 4 : (k + widest_tile - 1) / widest_tile * widest_tile;
}

/// to := from, a row of k numbers; like std::copy_n, but never a call of memmove, which takes
/// longer than so few numbers.
inline void copy_row(const double* from, int k, double* to) {
  int j = 0;
  for (; j + 4 <= k; j += 4) {
    Eigen::Map<Eigen::Array4d>(to + j) = Eigen::Map<const Eigen::Array4d>(from + j);
  }
  for (; j < k; ++j) to[j] = from[j];
}

/// y_j += a_j v_j + b_j w_j.
inline void add_columns(const double* a, ConstView v, const double* b, ConstView w, View y) {
  with_columns(y.columns, [&](auto k) {
    for (Index i = 0; i < y.rows; ++i) {
      const double *from = v.data + i * v.stride, *other = w.data + i * w.stride;
      double* to = y.data + i * y.stride;
#pragma omp simd
      for (int j = 0; j < k; ++j) to[j] += a[j] * from[j] + b[j] * other[j];
    }
  });
}

/// r_j += a_j v_j; squares_j += r_jᵀD⁻¹r_j.
inline void step_residual(const double* a, ConstView v, ConstView d, View r, double* squares) {
  if (r.columns == 1 && r.stride == 1 && v.stride == 1 && d.stride == 1) {
    const double factor = *a;
    double square = 0.0;
#pragma omp simd reduction(+ : square)
    for (Index i = 0; i < r.rows; ++i) {
      const double value = r.data[i] + factor * v.data[i];
      r.data[i] = value;
      square += value * value / d.data[i];
    }
    *squares += square;
    return;
  }
  with_columns(r.columns, [&](auto k) {
    for (Index i = 0; i < r.rows; ++i) {
      const double* from = v.data + i * v.stride;
      const double by = 1.0 / d.data[i * d.stride];
      double* to = r.data + i * r.stride;
#pragma omp simd
      for (int j = 0; j < k; ++j) {
        to[j] += a[j] * from[j];
        squares[j] += to[j] * to[j] * by;
      }
    }
  });
}

/// x_j += a_j p_j; p_j := D⁻¹r_j + b_j p_j.
inline void step_along(const double* a, const double* b, ConstView r, ConstView d, View p, View x) {
  if (x.columns == 1 && x.stride == 1 && p.stride == 1 && r.stride == 1 && d.stride == 1) {
    const double along = *a, kept = *b;
#pragma omp simd
    for (Index i = 0; i < x.rows; ++i) {
      x.data[i] += along * p.data[i];
      p.data[i] = r.data[i] / d.data[i] + kept * p.data[i];
    }
    return;
  }
  with_columns(x.columns, [&](auto k) {
    for (Index i = 0; i < x.rows; ++i) {
      const double* from = r.data + i * r.stride;
      const double by = 1.0 / d.data[i * d.stride];
      double *direction = p.data + i * p.stride, *to = x.data + i * x.stride;
#pragma omp simd
      for (int j = 0; j < k; ++j) {
        to[j] += a[j] * direction[j];
        direction[j] = from[j] * by + b[j] * direction[j];
      }
    }
  });
}

/// XC, a term of a sum: `c` has a row of padded(k) numbers for every column of X.
struct Term {
  ConstView x;
  const double* c = nullptr;
};

/// `rows` rows from `first` on of the sum of the terms, `width` columns from `column` on;
/// `result`: its row `first`, rows of `padded` numbers.
template <int rows, int width>
void sum_tile(const Term* terms, int count, Index first, int column, int padded, double* result) {
  using Row = Eigen::Array<double, 1, width>;
  Row sums[rows];
  for (Row& sum : sums) sum.setZero();
  for (int t = 0; t < count; ++t) {
    const ConstView x = terms[t].x;
    const double* row = x.data + first * x.stride;
    for (int a = 0; a < x.columns; ++a) {
      const Row c =
          Eigen::Map<const Row>(terms[t].c + static_cast<std::ptrdiff_t>(a) * padded + column);
      for (int r = 0; r < rows; ++r) sums[r] += row[r * x.stride + a] * c;
    }
  }
  for (int r = 0; r < rows; ++r) Eigen::Map<Row>(result + r * padded + column) = sums[r];
}

/// Sums for a single column, the columns of X side by side in registers.
template <int rows>
void sum_column(const Term* terms, int count, Index first, double* result) {
  Eigen::Array4d sums[rows];
  for (Eigen::Array4d& sum : sums) sum.setZero();
  double rest[rows] = {};
  for (int t = 0; t < count; ++t) {
    const ConstView x = terms[t].x;
    const double* row = x.data + first * x.stride;
    const double* c = terms[t].c;
    int a = 0;
    for (; a + 4 <= x.columns; a += 4) {
      const Eigen::Array4d factors = Eigen::Map<const Eigen::Array4d>(c + a);
      for (int r = 0; r < rows; ++r) {
        sums[r] += Eigen::Map<const Eigen::Array4d>(row + r * x.stride + a) * factors;
      }
    }
    for (; a < x.columns; ++a) {
      for (int r = 0; r < rows; ++r) rest[r] += row[r * x.stride + a] * c[a];
    }
  }
  for (int r = 0; r < rows; ++r) result[r] = sums[r].sum() + rest[r];
}

/// `rows` rows from `first` on of X₁C₁ + X₂C₂ + …, k columns; `result`: rows × padded(k).
inline void sum_of_products(const Term* terms, int count, Index first, Index rows, int k,
                            double* result) {
  if (k == 1) {
    Index r = 0;
    for (; r + 4 <= rows; r += 4) sum_column<4>(terms, count, first + r, result + r);
    for (; r < rows; ++r) sum_column<1>(terms, count, first + r, result + r);
    return;
  }
  const int p = padded(k);
  for (int column = 0; column < k; column += widest_tile) {
    with_tile_width(k - column, [&](auto width) {
      Index r = 0;
      for (; r + 4 <= rows; r += 4) {
        sum_tile<4, width>(terms, count, first + r, column, p, result + r * p);
      }
      for (; r < rows; ++r) {
        sum_tile<1, width>(terms, count, first + r, column, p, result + r * p);
      }
    });
  }
}

/// Neighbouring columns of a row, in a register.
constexpr int panel_width = register_width;
using Panel [[gnu::vector_size(panel_width * sizeof(double))]] = double;

/// The first `count` of the numbers at x, all of them where `whole`, zeros behind them; no others
/// are read. (It returns none: how a vector is returned depends on the instruction set.)
template <bool whole>
void load_panel(const double* x, [[maybe_unused]] int count, Panel& panel) {
  if constexpr (whole) {
    std::memcpy(&panel, x, sizeof panel);
  } else {
#if defined(__AVX512F__)
    panel = _mm512_maskz_loadu_pd((1U << count) - 1U, x);
#elif defined(__AVX__)
    panel = _mm256_maskload_pd(x, _mm256_setr_epi64x(-1, -(count > 1), -(count > 2), 0));
#else
    panel = Panel{*x, 0.0};
#endif
  }
}

/// C += the share of `rows` rows from `first` on in XᵀY, of k columns of Y from `column` on and as
/// many panels of X's columns from `from` on, or of a part of one, `live` columns. The sums stay in
/// registers over all rows.
template <int panels, int k, bool whole>
void add_gram_panels(ConstView x, ConstView y, Index first, Index rows, int from, int live,
                     int column, int padded, double* c) {
  Panel sums[panels][k] = {};
  const double* row = x.data + first * x.stride + from;
  const double* other = y.data + first * y.stride + column;
  for (Index i = 0; i < rows; ++i, row += x.stride, other += y.stride) {
    for (int q = 0; q < panels; ++q) {
      Panel numbers;
      load_panel<whole>(row + q * panel_width, live, numbers);
      for (int j = 0; j < k; ++j) sums[q][j] += numbers * other[j];
    }
  }
  double numbers[panels][k][panel_width];  // not `sums`: what is indexed is not in registers
  std::memcpy(numbers, sums, sizeof sums);
  double* to = c + static_cast<std::ptrdiff_t>(from) * padded + column;
  for (int a = 0; a < (whole ? panels * panel_width : live); ++a, to += padded) {
    for (int j = 0; j < k; ++j) to[j] += numbers[a / panel_width][j][a % panel_width];
  }
}

/// Gram sums of all columns of X.
template <int k>
void add_gram_columns(ConstView x, ConstView y, Index first, Index rows, int column, int padded,
                      double* c) {
  // Two panels where the registers take their sums: rows wait less for one another.
  constexpr int panels = panel_width == 8 || k <= 5 ? 2 : 1;
  constexpr int together = panels * panel_width;
  int from = 0;
  for (; from + together <= x.columns; from += together) {
    add_gram_panels<panels, k, true>(x, y, first, rows, from, 0, column, padded, c);
  }
  for (; from + panel_width <= x.columns; from += panel_width) {
    add_gram_panels<1, k, true>(x, y, first, rows, from, 0, column, padded, c);
  }
  if (from == x.columns) return;
  add_gram_panels<1, k, false>(x, y, first, rows, from, x.columns - from, column, padded, c);
}

/// Gram sums of a single column Y; C is one column, too.
template <int rows>
void add_gram_column(ConstView x, ConstView y, Index first, double* c) {
  double from[rows];
  for (int r = 0; r < rows; ++r) from[r] = y.data[(first + r) * y.stride];
  const double* row = x.data + first * x.stride;
  int a = 0;
  for (; a + 4 <= x.columns; a += 4) {
    Eigen::Map<Eigen::Array4d> sums(c + a);
    Eigen::Array4d sum = sums;
    for (int r = 0; r < rows; ++r) {
      sum += Eigen::Map<const Eigen::Array4d>(row + r * x.stride + a) * from[r];
    }
    sums = sum;
  }
  for (; a < x.columns; ++a) {
    for (int r = 0; r < rows; ++r) c[a] += row[r * x.stride + a] * from[r];
  }
}

/// xᵀy of numbers side by side.
inline double dot(const double* x, const double* y, Index count) {
  return Eigen::Map<const Eigen::VectorXd>(x, count).dot(
      Eigen::Map<const Eigen::VectorXd>(y, count));
}

/// C += the share of `rows` rows from `first` on in XᵀY; C is m × padded(k).
inline void add_gram(ConstView x, ConstView y, Index first, Index rows, double* c) {
  if (x.columns == 1 && y.columns == 1 && x.stride == 1 && y.stride == 1) {
    *c += dot(x.data + first, y.data + first, rows);
    return;
  }
  if (y.columns == 1) {
    Index r = 0;
    for (; r + 4 <= rows; r += 4) add_gram_column<4>(x, y, first + r, c);
    for (; r < rows; ++r) add_gram_column<1>(x, y, first + r, c);
    return;
  }
  const int p = padded(y.columns);
  for (int column = 0; column < y.columns; column += widest_tile) {
    with_constant<widest_tile>(
        y.columns - column, [&](auto k) { add_gram_columns<k>(x, y, first, rows, column, p, c); });
  }
}

/// dots_j += the share of `rows` rows from `first` on in x_jᵀy_j.
inline void add_dots(ConstView x, ConstView y, Index first, Index rows, double* dots) {
  if (x.columns == 1 && x.stride == 1 && y.stride == 1) {
    *dots += dot(x.data + first, y.data + first, rows);
    return;
  }
  with_columns(x.columns, [&](auto k) {
    const double* from = x.data + first * x.stride;
    const double* other = y.data + first * y.stride;
    const auto add = [&](double* even, double* odd) {
      Index i = 0;
      for (; i + 1 < rows; i += 2, from += 2 * x.stride, other += 2 * y.stride) {
#pragma omp simd
        for (int j = 0; j < k; ++j) even[j] += from[j] * other[j];
#pragma omp simd
        for (int j = 0; j < k; ++j) odd[j] += from[x.stride + j] * other[y.stride + j];
      }
      if (i == rows) return;
      for (int j = 0; j < k; ++j) even[j] += from[j] * other[j];
    };
    if constexpr (std::is_same_v<decltype(k), int>) {
      add(dots, dots);
    } else {  // in registers, two sets, so that consecutive rows do not wait for each other
      double even[k] = {}, odd[k] = {};
      add(even, odd);
      for (int j = 0; j < k; ++j) dots[j] += even[j] + odd[j];
    }
  });
}

}  // namespace cisolve::cpu
