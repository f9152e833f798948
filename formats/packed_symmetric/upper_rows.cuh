#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "backends/cuda/check.hpp"
#include "backends/cuda/warp.cuh"
#include "formats/matrix/row_source.hpp"
#include "formats/packed/plan.hpp"

// The upper triangle of a source of whole rows. Columns ascend, so that a row's part from the
// diagonal on is its end: a search by halves finds where it begins, and a warp copies it. A first
// pass over the rows counts them.

namespace cisolve::upper_rows {

/// begins_i := the first entry of row i, counted from its own first, that is not below the
/// diagonal; lengths_i := the number of entries from there on. A thread a row.
static __global__ void find_diagonals(DeviceRows rows, Index first_row, Index* begins,
                                      Index* lengths) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i >= rows.count) return;
  const Offset first = rows.row_offsets[i] - rows.row_offsets[0];
  const auto length = static_cast<Index>(rows.row_offsets[i + 1] - rows.row_offsets[i]);
  const Index diagonal = first_row + rows.first + static_cast<Index>(i);
  Index low = 0, high = length;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (rows.column_indices[first + middle] < diagonal) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  begins[i] = low;
  lengths[i] = length - low;
}

/// Copies what is not below the diagonal to where `offsets` says. A warp a row.
static __global__ void copy_triangle(DeviceRows rows, const Index* begins, const Offset* offsets,
                                     Index* columns, double* values) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / warp;
  if (i >= rows.count) return;
  const Offset from = rows.row_offsets[i] - rows.row_offsets[0] + begins[i];
  const Offset to = offsets[i] - offsets[0], count = offsets[i + 1] - offsets[i];
  for (Offset e = threadIdx.x % warp; e < count; e += warp) {
    columns[to + e] = rows.column_indices[from + e];
    values[to + e] = rows.values[from + e];
  }
}

class UpperRows final : public RowSource {
 public:
  /// `whole`, a symmetric matrix, and `backend`, a CUDA device, must outlive it.
  UpperRows(RowSource& whole, Backend& backend) : whole_(whole), backend_(backend) {
    offsets_ = Array<Offset>(static_cast<std::size_t>(whole.rows()) + 1);
    offsets_[0] = 0;
    whole_.for_each_block(packed_window, [&](const DeviceRows& rows) {
      find(rows);
      std::vector<Index> lengths(rows.count);
      backend_.download_bytes(lengths_.data(), lengths.data(), lengths.size() * sizeof(Index));
      for (Index i = 0; i < rows.count; ++i) {
        offsets_[rows.first + i + 1] = offsets_[rows.first + i] + lengths[i];
      }
    });
  }

  Index columns() const override { return whole_.columns(); }
  Index first_row() const override { return whole_.first_row(); }
  const Array<Offset>& row_offsets() const override { return offsets_; }
  std::size_t device_bytes() const override { return whole_.device_bytes(); }
  std::vector<double> diagonal() const override { return whole_.diagonal(); }

  void for_each_block(Index wanted, const std::function<void(const DeviceRows&)>& f) override {
    whole_.for_each_block(wanted, [&](const DeviceRows& rows) {
      if (rows.count == 0) return f(rows);
      find(rows);
      const Offset* offsets = offsets_.data() + rows.first;
      const Offset entries = offsets[rows.count] - offsets[0];
      grow(columns_, entries);
      grow(values_, entries);
      grow(device_offsets_, Offset{rows.count} + 1);
      backend_.upload_bytes(offsets, device_offsets_.data(),
                            (static_cast<std::size_t>(rows.count) + 1) * sizeof(Offset));
      copy_triangle<<<blocks_of(std::int64_t{rows.count} * warp), block_threads>>>(
          rows, begins_.data(), device_offsets_.data(), columns_.data(), values_.data());
      check_launch("upper triangle");
      f({rows.first, rows.count, device_offsets_.data(), columns_.data(), values_.data()});
    });
  }

  CsrMatrix some_rows(std::span<const Index> wanted) const override {
    const CsrMatrix whole = whole_.some_rows(wanted);
    CsrMatrix upper{whole.rows, whole.columns, {0}, {}, {}};
    for (Index k = 0; k < whole.rows; ++k) {
      for (Offset e = whole.row_offsets[k]; e < whole.row_offsets[k + 1]; ++e) {
        if (whole.column_indices[e] < first_row() + wanted[k]) continue;
        upper.column_indices.push_back(whole.column_indices[e]);
        upper.values.push_back(whole.values[e]);
      }
      upper.row_offsets.push_back(static_cast<Offset>(upper.values.size()));
    }
    return upper;
  }

 private:
  void find(const DeviceRows& rows) {
    if (rows.count == 0) return;
    grow(begins_, rows.count);
    grow(lengths_, rows.count);
    find_diagonals<<<blocks_of(rows.count), block_threads>>>(rows, first_row(), begins_.data(),
                                                             lengths_.data());
    check_launch("search for diagonals");
  }

  template <class T>
  void grow(Buffer<T>& buffer, Offset count) {
    const auto wanted = static_cast<std::size_t>(std::max<Offset>(count, 1));
    if (buffer.size() >= wanted) return;
    buffer = {};  // released before the larger one is taken
    buffer = Buffer<T>(backend_, wanted);
  }

  RowSource& whole_;
  Backend& backend_;
  Array<Offset> offsets_;
  Buffer<Index> begins_, lengths_, columns_;
  Buffer<double> values_;
  Buffer<Offset> device_offsets_;
};

}  // namespace cisolve::upper_rows
