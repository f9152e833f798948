#include "io/npz/sparse_layouts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "formats/matrix/symmetrize.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {
namespace {

/// A matrix that grows element by element, in the order of its rows and of their columns.
class GrowingRows {
 public:
  GrowingRows(Index rows, Index columns, int components)
      : a_{rows, columns, {}, {}, {}, Storage::full, components} {
    a_.row_offsets.push_back(0);
  }
  /// An element of so many numbers, unless it is a zero off the diagonal.
  void add(std::int64_t column, const double* element) {
    const std::int64_t row = std::ssize(a_.row_offsets) - 1;
    const double* const end = element + a_.components;
    if (row != column && std::all_of(element, end, [](double v) { return v == 0.0; })) return;
    a_.column_indices.push_back(static_cast<Index>(column));
    a_.values.insert(a_.values.end(), element, end);
  }
  void end_row() { a_.row_offsets.push_back(std::ssize(a_.column_indices)); }
  CsrMatrix take() { return std::move(a_); }

 private:
  CsrMatrix a_;
};

}  // namespace

CsrMatrix from_columns(const CsrMatrix& a, Index rows, const std::string& name) {
  validate(a, name);
  return transposed(a, {rows, a.rows, allocate<Offset>(std::size_t(rows) + 1, "row offsets", name),
                        allocate<Index>(a.column_indices.size(), "column indices", name),
                        allocate<double>(a.values.size(), "values", name)});
}

CsrMatrix from_coordinates(CsrMatrix a, const Array<Index>& rows, const std::string& name) {
  const int d = a.components;
  const std::size_t entries = a.values.size() / d;
  if (rows.size() != entries || a.column_indices.size() != entries) {
    throw InputError(name + ": " + std::to_string(rows.size()) + " rows, " +
                     std::to_string(a.column_indices.size()) + " columns and " +
                     std::to_string(entries) + " values, expected as many of each");
  }
  std::vector<std::size_t> order(entries);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t e) { return std::pair(rows[e], a.column_indices[e]); });
  CsrMatrix sum{a.rows,        a.columns, Array<Offset>(std::size_t(a.rows) + 1), {}, {},
                Storage::full, d};
  std::ranges::fill(sum.row_offsets, Offset{0});
  std::pair<Index, Index> last{-1, -1};
  for (const std::size_t e : order) {
    const std::pair place{rows[e], a.column_indices[e]};
    if (place.first < 0 || place.first >= a.rows) {
      throw InputError(name + ": row " + std::to_string(std::int64_t{place.first} + 1) +
                       " lies outside the " + std::to_string(a.rows) + " rows");
    }
    const double* const element = a.values.data() + e * d;
    if (place == last) {
      for (int c = 0; c < d; ++c) sum.values.end()[c - d] += element[c];
      continue;
    }
    last = place;
    ++sum.row_offsets[place.first + 1];
    sum.column_indices.push_back(place.second);
    sum.values.insert(sum.values.end(), element, element + d);
  }
  std::partial_sum(sum.row_offsets.begin(), sum.row_offsets.end(), sum.row_offsets.begin());
  return sum;
}

CsrMatrix from_blocks(Index rows, Index columns, const Array<Offset>& begin,
                      const Array<Index>& indices, const NpzElements& data,
                      const std::string& name) {
  const std::int64_t blocks = data.shape[0], height = data.shape[1], width = data.shape[2];
  const auto require = [&](bool holds, const std::string& what) {
    if (!holds) throw InputError(name + ": " + what);
  };
  require(height > 0 && width > 0 && rows % height == 0 && columns % width == 0,
          "blocks of " + std::to_string(height) + " x " + std::to_string(width) +
              " do not fill a matrix of " + std::to_string(rows) + " x " + std::to_string(columns));
  require(std::ssize(indices) == blocks,
          std::to_string(indices.size()) + " indices of " + std::to_string(blocks) + " blocks");
  require(std::ssize(begin) == rows / height + 1 && begin[0] == 0 &&
              begin[begin.size() - 1] == blocks && std::ranges::is_sorted(begin),
          "indptr does not share " + std::to_string(blocks) + " blocks out among " +
              std::to_string(rows / height) + " rows of them");
  for (const std::int64_t j : indices) {
    require(j >= 0 && j < columns / width,
            "column " + std::to_string(j + 1) + " of blocks lies outside the " +
                std::to_string(columns / width) + " columns of them");
  }
  const int d = data.components;
  GrowingRows made(rows, columns, d);
  std::vector<Offset> order;
  std::vector<double> line(width * d);
  for (std::int64_t i = 0; i < rows / height; ++i) {
    order.resize(begin[i + 1] - begin[i]);
    std::iota(order.begin(), order.end(), begin[i]);
    std::ranges::stable_sort(order, {}, [&](Offset e) { return indices[e]; });
    for (std::int64_t p = 0; p < height; ++p) {
      for (auto e = order.begin(); e != order.end();) {
        const std::int64_t j = indices[*e];
        std::ranges::fill(line, 0.0);
        for (; e != order.end() && indices[*e] == j; ++e) {
          const double* values = data.values.data() + (*e * height + p) * width * d;
          for (std::int64_t q = 0; q < width * d; ++q) line[q] += values[q];
        }
        for (std::int64_t q = 0; q < width; ++q) made.add(j * width + q, line.data() + q * d);
      }
      made.end_row();
    }
  }
  return made.take();
}

CsrMatrix from_diagonals(Index rows, Index columns, const Array<std::int64_t>& offsets,
                         const NpzElements& data, const std::string& name) {
  if (std::ssize(offsets) != data.shape[0]) {
    throw InputError(name + ": " + std::to_string(offsets.size()) + " offsets of " +
                     std::to_string(data.shape[0]) + " diagonals");
  }
  std::vector<std::size_t> order(offsets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t d) { return offsets[d]; });
  const auto same = [&](std::size_t a, std::size_t b) { return offsets[a] == offsets[b]; };
  if (const auto twice = std::ranges::adjacent_find(order, same); twice != order.end()) {
    throw InputError(name + ": diagonal " + std::to_string(offsets[*twice]) + " is there twice");
  }
  const std::int64_t length = std::min(data.shape[1], std::int64_t{columns});
  GrowingRows made(rows, columns, data.components);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (const std::size_t d : order) {
      if (offsets[d] < -i || offsets[d] >= length - i) continue;
      const std::int64_t place = d * data.shape[1] + i + offsets[d];
      made.add(i + offsets[d], data.values.data() + place * data.components);
    }
    made.end_row();
  }
  return made.take();
}

}  // namespace cisolve
