#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/array.hpp"
#include "hamiltonian/direct/cpu/combine_rows.hpp"
#include "hamiltonian/direct/rows/direct_layout.hpp"
#include "hamiltonian/listed/listed_product.hpp"

namespace cisolve {

/// A row of C, where its image is added, and with which factor.
struct PanelColumn {
  const double* source;
  double* target;
  double factor;
};

/// Four numbers that lie side by side.
typedef double Four __attribute__((vector_size(32)));
inline void load_four(const double* from, Four& to) {
  __builtin_memcpy(&to, from, sizeof to);
}
inline void store_four(const Four& from, double* to) {
  __builtin_memcpy(to, &from, sizeof from);
}
/// Rows for columns.
inline void transpose(std::array<Four, 4>& r) {
  typedef long long Places __attribute__((vector_size(32)));
  const Four a = __builtin_shuffle(r[0], r[1], Places{0, 4, 2, 6});
  const Four b = __builtin_shuffle(r[0], r[1], Places{1, 5, 3, 7});
  const Four c = __builtin_shuffle(r[2], r[3], Places{0, 4, 2, 6});
  const Four d = __builtin_shuffle(r[2], r[3], Places{1, 5, 3, 7});
  r[0] = __builtin_shuffle(a, c, Places{0, 1, 4, 5});
  r[1] = __builtin_shuffle(b, d, Places{0, 1, 4, 5});
  r[2] = __builtin_shuffle(a, c, Places{2, 3, 6, 7});
  r[3] = __builtin_shuffle(b, d, Places{2, 3, 6, 7});
}

/// Images of rows of C that lie side by side, as many as a panel has.
class Panel {
 public:
  /// targets += matrix · (factor · source) of every column, over beta strings `from` and `to`;
  /// elements of a row are as far apart as the strides say.
  template <class Matrix>
  void add(const Matrix& matrix, const StringRange& from, std::int64_t source_stride,
           const StringRange& to, std::int64_t target_stride,
           std::span<const PanelColumn> columns) {
    while (!columns.empty()) {
      const auto now = columns.first(std::min<std::size_t>(columns.size(), listed_host_columns));
      if (now.size() > 8) {
        add_some<16>(matrix, from, source_stride, to, target_stride, now);
      } else if (now.size() > 4) {
        add_some<8>(matrix, from, source_stride, to, target_stride, now);
      } else {
        add_some<std::max(4, packet_columns)>(matrix, from, source_stride, to, target_stride, now);
      }
      columns = columns.subspan(now.size());
    }
  }

 private:
  template <int width>
  using Columns = std::array<PanelColumn, width>;
  static constexpr Index rows_at_once = 4;

  /// Columns c … c + 3 are of one string and of vectors that lie side by side.
  template <int width>
  static bool are_side_by_side(const Columns<width>& columns, int c) {
    return columns[c + 3].source == columns[c].source + 3 &&
           columns[c + 3].target == columns[c].target + 3;
  }

  template <int width, class Matrix>
  void add_some(const Matrix& matrix, const StringRange& from, std::int64_t source_stride,
                const StringRange& to, std::int64_t target_stride,
                std::span<const PanelColumn> some) {
    Columns<width> columns;
    columns.fill({some[0].source, some[0].target, 0.0});  // what fills the last ones up
    std::ranges::copy(some, columns.begin());
    const std::size_t size = static_cast<std::size_t>(from.size()) * width;
    if (panel_.size() < size) panel_ = Array<double>(size);
    pack<width>(from.size(), source_stride, columns);
    alignas(64) std::array<double, rows_at_once * width> images;
    for (Index b = 0; b < to.size(); b += rows_at_once) {
      const Index rows = std::min(rows_at_once, to.size() - b);
      for (Index i = 0; i < rows; ++i) {
        multiply<width>(matrix, from.first, to.first, b + i, images.data() + i * width);
      }
      add_images<width>(images.data(), rows, b, target_stride, columns,
                        static_cast<int>(some.size()));
    }
  }

  /// A row of the matrix times the panel.
  template <int width, class Matrix>
  void multiply(const Matrix& matrix, Index first_source, Index first_target, Index row,
                double* image) const {
    constexpr int packets_of_row = width / packet_columns;
    const double* const panel = panel_.data();
    Packet sum[packets_of_row] = {};
    const auto add = [&](Index source, double value) {
      const double* const from = panel + std::int64_t{source} * width;
#pragma GCC unroll 8
      for (int j = 0; j < packets_of_row; ++j) {
        sum[j] += value * packet_at(from + j * packet_columns);
      }
    };
    if (const double diagonal = matrix.of_diagonal(row); diagonal != 0.0) add(row, diagonal);
    matrix.for_each(first_target + row,
                    [&](Index source, double value) { add(source - first_source, value); });
#pragma GCC unroll 8
    for (int j = 0; j < packets_of_row; ++j) store(sum[j], image + j * packet_columns);
  }

  template <int width>
  void pack(Index rows, std::int64_t stride, const Columns<width>& columns) {
    double* const panel = panel_.data();
    Index done = 0;
    if (stride == 1) {
      done = rows / rows_at_once * rows_at_once;
      for (Index b = 0; b < done; b += rows_at_once) {
        for (int c = 0; c < width; c += 4) {
          std::array<Four, 4> r;
          for (int i = 0; i < 4; ++i) {
            load_four(columns[c + i].source + b, r[i]);
            r[i] *= columns[c + i].factor;
          }
          transpose(r);
          for (int i = 0; i < 4; ++i) store_four(r[i], panel + std::int64_t{b + i} * width + c);
        }
      }
    }
    for (int c = 0; c < width; c += 4) {
      const bool side_by_side = are_side_by_side<width>(columns, c);
      for (Index b = done; b < rows; ++b) {
        double* const to = panel + std::int64_t{b} * width + c;
        if (side_by_side) {
          Four four;
          load_four(columns[c].source + b * stride, four);
          store_four(four * columns[c].factor, to);
        } else {
          for (int i = 0; i < 4; ++i) {
            to[i] = columns[c + i].factor * columns[c + i].source[b * stride];
          }
        }
      }
    }
  }

  /// targets += images of rows from b on, of the first `count` columns.
  template <int width>
  static void add_images(const double* images, Index rows, Index b, std::int64_t stride,
                         const Columns<width>& columns, int count) {
    for (int c = 0; c < count; c += 4) {
      const int n = std::min(4, count - c);
      if (n == 4 && stride == 1 && rows == rows_at_once) {
        std::array<Four, 4> r;
        for (int i = 0; i < 4; ++i) load_four(images + i * width + c, r[i]);
        transpose(r);
        for (int i = 0; i < 4; ++i) {
          double* const to = columns[c + i].target + b;
          Four four;
          load_four(to, four);
          store_four(four + r[i], to);
        }
      } else if (n == 4 && are_side_by_side<width>(columns, c)) {
        for (Index i = 0; i < rows; ++i) {
          double* const to = columns[c].target + (b + i) * stride;
          Four four, image;
          load_four(to, four);
          load_four(images + i * width + c, image);
          store_four(four + image, to);
        }
      } else {
        for (Index i = 0; i < rows; ++i) {
          for (int j = 0; j < n; ++j) {
            columns[c + j].target[(b + i) * stride] += images[i * width + c + j];
          }
        }
      }
    }
  }

  Array<double> panel_;
};

}  // namespace cisolve
