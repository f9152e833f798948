#pragma once

#include <algorithm>
#include <vector>

#include "formats/matrix/csr_matrix.hpp"

/// Sinks for the elements of a row, which come by ascending column: both passes of the matrix
/// builder walk the same code with one of these, so that they agree on every element.
namespace cisolve {

/// The elements of a row that are not exactly zero, counted; `first` is the row of row_offsets[0].
class Counter {
 public:
  explicit Counter(Array<Offset>& row_offsets, std::int64_t first = 0)
      : row_offsets_(row_offsets), first_(first) {}
  void begin_row(std::int64_t) { count_ = 0; }
  void add(Index, double value) { count_ += value != 0.0; }
  void add_diagonal(Index, double) { ++count_; }
  void end_row(std::int64_t row) { row_offsets_[row - first_ + 1] = count_; }

 private:
  Array<Offset>& row_offsets_;
  std::int64_t first_;
  Offset count_ = 0;
};

/// Writer of the elements. Zeros are overwritten by the next element, without a branch, which needs
/// room for one element after the row: hence a buffer, for that place is another thread's.
class Writer {
 public:
  /// `first`: which row the matrix's first one is.
  explicit Writer(CsrMatrix& matrix, std::int64_t first = 0) : matrix_(matrix), first_(first) {}
  void begin_row(std::int64_t row) {
    const auto length = matrix_.row_length(static_cast<Index>(row - first_));
    const auto room = static_cast<std::size_t>(length) + 1;
    if (columns_.size() < room) {
      columns_.resize(room);
      values_.resize(room);
    }
    count_ = 0;
  }
  void add(Index column, double value) {
    columns_[count_] = column;
    values_[count_] = value;
    count_ += value != 0.0;
  }
  void add_diagonal(Index column, double value) {
    columns_[count_] = column;
    values_[count_++] = value;
  }
  void end_row(std::int64_t row) {
    const Offset begin = matrix_.row_offsets[row - first_];
    std::copy_n(columns_.data(), count_, matrix_.column_indices.data() + begin);
    std::copy_n(values_.data(), count_, matrix_.values.data() + begin);
  }

 private:
  CsrMatrix& matrix_;
  std::int64_t first_;
  Array<Index> columns_;
  Array<double> values_;
  Offset count_ = 0;
};

/// Collector of the elements of one row.
struct Collector {
  std::vector<Index> columns;
  std::vector<double> values;

  void begin_row(std::int64_t) {}
  void add(Index column, double value) {
    if (value != 0.0) add_diagonal(column, value);
  }
  void add_diagonal(Index column, double value) {
    columns.push_back(column);
    values.push_back(value);
  }
  void end_row(std::int64_t) {}
};

}  // namespace cisolve
