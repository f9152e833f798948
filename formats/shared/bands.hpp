#pragma once

#include <algorithm>
#include <type_traits>

#include "backends/view.hpp"
#include "core/types.hpp"
#include "formats/shared/interleaved_sums.hpp"
#include "formats/shared/schedule.hpp"
#include "formats/shared/stored_operator.hpp"
#include "spmv/block_width.hpp"

// Products on the CPU with formats that store entry e of several rows side by side: a band of rows
// is worked at once, column after column, with a set of sums for each of its rows.

namespace cisolve {

/// Rows first … first + count − 1 as stored, all in one slice.
struct Band {
  Index slice = 0;
  Index first = 0;
  Index count = 0;
};

/// The bands of at most Height rows into which slices of slice_height rows part.
template <int Height>
struct Bands {
  Index rows;
  Index slice_height;

  Index per_slice() const { return (slice_height - 1) / Height + 1; }
  Index count() const { return rows == 0 ? 0 : ((rows - 1) / slice_height + 1) * per_slice(); }
  /// Band b; it is empty where the last slice has fewer rows than the others.
  Band operator[](Index b) const {
    const Index slice = b / per_slice();
    const Offset begin = Offset{slice} * slice_height;
    const Offset end = std::min<Offset>(begin + slice_height, rows);
    const Offset first = std::min(begin + Offset{b % per_slice()} * Height, end);
    return {slice, static_cast<Index>(first),
            static_cast<Index>(std::min<Offset>(Height, end - first))};
  }
};

/// sum(r, j) += Σ_e values[place(e) + r] · x(columns[place(e) + r], j) over columns begin … end − 1
/// of Rows rows, for K interleaved vectors; the sums stay in registers.
template <int K, int Rows, class Place, class Value>
inline void add_row_group(Index begin, Index end, Place place, const Value* values,
                          const Index* columns, const double* x, std::int64_t stride, double* sum) {
  double part[Rows * K];
  for (int i = 0; i < Rows * K; ++i) part[i] = sum[i];
  for (Index e = begin; e < end; ++e) {
    const Offset at = place(e);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      const double value = values[at + r];
      const double* from = x + columns[at + r] * stride;
      for (int j = 0; j < K; ++j) part[r * K + j] += value * from[j];
    }
  }
  for (int i = 0; i < Rows * K; ++i) sum[i] = part[i];
}

/// Adds columns to rows r < count of a band; `count` may be a constant. One vector goes along the
/// rows. Several go by groups of rows, a few columns at a time, which stay in the nearest cache
/// until all groups have read them.
template <int K, class Count, class Place, class Value>
inline void add_columns(Count count, Index begin, Index end, Place place, const Value* values,
                        const Index* columns, const double* x, std::int64_t stride, double* sum) {
  if constexpr (K == 1) {
    for (Index e = begin; e < end; ++e) {
      const Value* value = values + place(e);
      const Index* column = columns + place(e);
#pragma omp simd
      for (int r = 0; r < count; ++r) sum[r] += value[r] * x[column[r] * stride];
    }
  } else {
    constexpr Index columns_at_once = 8;
    constexpr int group = 4;
    for (Index first = begin; first < end; first += columns_at_once) {
      const Index last = std::min(first + columns_at_once, end);
      int r = 0;
      const auto add = [&](auto rows) {
        add_row_group<K, rows.value>(first, last, place, values + r, columns + r, x, stride,
                                     sum + r * K);
        r += rows.value;
      };
      while (r + group <= count) add(std::integral_constant<int, group>{});
      while (r < count) add(std::integral_constant<int, 1>{});
    }
  }
}

/// Rows of a band. In slices of a few rows a short one keeps the slice's lines in the nearest cache
/// until all of their rows are done; where a column runs over all rows a tall one makes the pieces
/// that are read together longer.
inline constexpr int short_band = 32, tall_band = 256;

/// Rows of a whole band in slices of so many rows.
template <int Height>
Index band_rows(Index slice_height) {
  return std::clamp<Index>(slice_height, 1, Height);
}

/// Y := αAX + βY, bands of Height rows shared out among the threads. The format's part is
/// add_band(width, height, band, x, stride, sum), which adds the band's rows of AX for width.value
/// vectors to `sum` (height.value × width.value); stored row s is row order[s] of Y, s itself where
/// order is null.
template <int Height, class AddBand>
void multiply_bands(const StoredOperator& a, Index slice_height, const Index* order, double alpha,
                    ConstView x, double beta, View y, AddBand add_band) {
  set_schedule(a, band_rows<Height>(slice_height));
  for_each_piece(x.columns, [&](auto width, int first) {
    constexpr int k = width.value;
    constexpr std::integral_constant<int, Height> height;
    const Bands<Height> bands{y.rows, slice_height};
#pragma omp parallel for if (a.shared_out(k)) schedule(runtime)
    for (Index b = 0; b < bands.count(); ++b) {
      const Band band = bands[b];
      double sum[Height * k] = {};
      add_band(width, height, band, x.data + first, x.stride, sum);
      for (Index r = 0; r < band.count; ++r) {
        const Index i = order == nullptr ? band.first + r : order[band.first + r];
        write_row<k>(alpha, sum + r * k, beta, y.data + i * y.stride + first);
      }
    }
  });
}

}  // namespace cisolve
