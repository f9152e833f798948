#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/support/support.hpp"

// Matrices whose products are compared with the serial reference: sizes around a warp and a block
// of threads, and rows of very different lengths.
namespace cisolve::testing {

struct Shape {
  std::string name;
  CsrMatrix matrix;
};

inline std::vector<Index> random_columns(Index columns, int count, std::mt19937& engine) {
  std::uniform_int_distribution<Index> any(0, columns - 1);
  std::vector<Index> row(count);
  for (Index& j : row) j = any(engine);
  return row;
}

inline const std::vector<Shape>& general_shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> list;
    std::mt19937 engine(7);
    // Around the warp and the thread block; at least 9 columns, so every boundary fits.
    for (const Index n : {1, 31, 32, 33, 257}) {
      list.push_back({"n" + std::to_string(n), matrix_of_rows(n, std::max(n, 9), [&](Index) {
                        return random_columns(std::max(n, 9), 12, engine);
                      })});
    }
    list.push_back({"empty_rows", matrix_of_rows(100, 100, [&](Index i) {
                      return i % 3 == 0 ? std::vector<Index>{} : random_columns(100, 7, engine);
                    })});
    list.push_back(
        {"no_entries", matrix_of_rows(40, 40, [](Index) { return std::vector<Index>{}; })});
    list.push_back({"one_dense_row", matrix_of_rows(300, 300, [&](Index i) {
                      if (i != 150) return random_columns(300, 3, engine);
                      std::vector<Index> every(300);
                      std::iota(every.begin(), every.end(), 0);
                      return every;
                    })});
    list.push_back({"row_past_100000", matrix_of_rows(3, 120000, [&](Index i) {
                      if (i != 1) return random_columns(120000, 4, engine);
                      std::vector<Index> every(120000);
                      std::iota(every.begin(), every.end(), 0);
                      return every;
                    })});
    list.push_back(
        {"wide", matrix_of_rows(20, 500, [&](Index) { return random_columns(500, 60, engine); })});
    list.push_back(
        {"tall", matrix_of_rows(500, 20, [&](Index) { return random_columns(20, 6, engine); })});
    list.push_back({"long_rows", matrix_of_rows(70, 900, [&](Index i) {
                      return random_columns(900, 100 + 3 * i, engine);
                    })});
    return list;
  }();
  return all;
}

/// Sizes and rows as in `general_shapes`, for formats that store a symmetric matrix.
inline const std::vector<Shape>& symmetric_shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> list;
    std::mt19937 engine(8);
    for (const Index n : {1, 31, 32, 33, 257}) {
      list.push_back({"n" + std::to_string(n), symmetric_matrix_of_rows(n, [&](Index) {
                        return random_columns(n, 6, engine);
                      })});
    }
    list.push_back({"empty_rows", symmetric_matrix_of_rows(100, [&](Index i) {
                      std::vector<Index> row = random_columns(100, i % 3 == 0 ? 0 : 7, engine);
                      std::erase_if(row, [](Index j) { return j % 3 == 0; });
                      return row;
                    })});
    list.push_back(
        {"no_entries", symmetric_matrix_of_rows(40, [](Index) { return std::vector<Index>{}; })});
    list.push_back({"one_dense_row_and_column", symmetric_matrix_of_rows(300, [&](Index i) {
                      if (i != 150) return random_columns(300, 3, engine);
                      std::vector<Index> every(300);
                      std::iota(every.begin(), every.end(), 0);
                      return every;
                    })});
    // The first row is stored whole, the last one only as a column.
    for (const Index dense : {0, 119999}) {
      list.push_back({"row_past_100000_" + std::to_string(dense),
                      symmetric_matrix_of_rows(120000, [dense](Index i) {
                        return i % 1000 == 7 ? std::vector<Index>{dense, i, i - i % 5}
                                             : std::vector<Index>{dense};
                      })});
    }
    list.push_back({"long_rows", symmetric_matrix_of_rows(900, [&](Index i) {
                      return random_columns(900, i < 70 ? 100 + 3 * i : 2, engine);
                    })});
    return list;
  }();
  return all;
}

}  // namespace cisolve::testing
