#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "formats/csb/csb.hpp"
#include "formats/csr5/csr5.hpp"
#include "formats/cusparse_sell/cusparse_sell.hpp"
#include "formats/dia/dia.hpp"
#include "formats/hyb/hyb.hpp"
#include "formats/jad/jad.hpp"
#include "formats/shared/sliced_ell.hpp"

/// The matrix that a format's arrays stand for, read as the format's header describes them.
namespace cisolve::testing {

struct Entry {
  Index row, column;
  double value;
};

/// Entries in any order of rows, each row's own in the order in which they are to stand.
inline CsrMatrix of_entries(Index rows, Index columns, std::vector<Entry> entries) {
  std::ranges::stable_sort(entries, {}, &Entry::row);
  CsrMatrix a{rows, columns, Array<Offset>(static_cast<std::size_t>(rows) + 1, 0), {}, {}};
  for (const Entry& entry : entries) {
    ++a.row_offsets[entry.row + 1];
    a.column_indices.push_back(entry.column);
    a.values.push_back(entry.value);
  }
  for (Index i = 0; i < rows; ++i) a.row_offsets[i + 1] += a.row_offsets[i];
  return a;
}

inline std::vector<Entry> entries_of(const CooMatrix& m) {
  std::vector<Entry> entries;
  for (Offset p = 0; p < m.nonzeros(); ++p) {
    entries.push_back({m.row_indices[p], m.column_indices[p], m.values[p]});
  }
  return entries;
}
inline CsrMatrix to_csr(const CooMatrix& m) {
  return of_entries(m.rows, m.columns, entries_of(m));
}

/// Without stored zeros: they are the same as padding.
inline CsrMatrix to_csr(const DiaMatrix& m) {
  std::vector<Entry> entries;
  for (Offset p = 0; p < static_cast<Offset>(m.values.size()); ++p) {
    const auto row = static_cast<Index>(p % m.rows);
    if (m.values[p] != 0.0) entries.push_back({row, row + m.offsets[p / m.rows], m.values[p]});
  }
  return of_entries(m.rows, m.columns, entries);
}

inline CsrMatrix to_csr(const JadMatrix& m) {
  std::vector<Entry> entries;
  for (Index d = 0; d < m.diagonals(); ++d) {
    for (Offset p = m.diagonal_offsets[d]; p < m.diagonal_offsets[d + 1]; ++p) {
      const Index row = m.row_order[p - m.diagonal_offsets[d]];
      entries.push_back({row, m.column_indices[p], m.values[p]});
    }
  }
  return of_entries(m.rows, m.columns, entries);
}

inline CsrMatrix to_csr(const CsbMatrix& m) {
  std::vector<Entry> entries;
  for (Index row = 0; row < m.block_rows(); ++row) {
    for (Offset b = m.block_row_offsets[row]; b < m.block_row_offsets[row + 1]; ++b) {
      for (Offset e = m.block_offsets[b]; e < m.block_offsets[b + 1]; ++e) {
        entries.push_back({row * m.block_size + m.local_rows[e],
                           m.block_columns[b] * m.block_size + m.local_columns[e], m.values[e]});
      }
    }
  }
  return of_entries(m.rows, m.columns, entries);
}

inline CsrMatrix to_csr(const Csr5Matrix& m) {
  const auto nonzeros = static_cast<Offset>(m.values.size());
  const Offset tail = m.tiles() * m.tile_entries();
  std::vector<Index> starting(nonzeros, -1);  // the row that begins with an entry
  for (Offset tile = 0; tile < m.tiles(); ++tile) {
    const Index* row = m.nonempty_rows.data() + m.tile_rows[tile];
    for (Offset within = 0; within < m.tile_entries(); ++within) {
      const auto starts = m.row_starts[tile * Csr5Matrix::lanes + within / m.tile_height];
      if ((starts >> within % m.tile_height & 1) != 0) {
        starting[tile * m.tile_entries() + within] = *row++;
      }
    }
  }
  // The tail's first row may have begun in a tile.
  for (Index r = std::max(m.tile_rows.back(), m.first_tail_row());
       r < static_cast<Index>(m.nonempty_rows.size()); ++r) {
    starting[m.tail_offsets[r - m.first_tail_row()]] = m.nonempty_rows[r];
  }
  std::vector<Entry> entries;
  Index row = -1;
  for (Offset p = 0; p < nonzeros; ++p) {
    if (starting[p] >= 0) row = starting[p];
    const Offset begin = p - p % m.tile_entries(), within = p - begin;
    const Offset place =
        p >= tail ? p : begin + within % m.tile_height * Csr5Matrix::lanes + within / m.tile_height;
    entries.push_back({row, m.column_indices[place], m.values[place]});
  }
  return of_entries(m.rows, m.columns, entries);
}

/// Adds a row of `width` entries, padding included, that lie `step` apart from `place` on. Padding
/// is known by its column, which does not ascend, so one case is lost: of a row with a single
/// entry, a zero stored in the first column, nothing comes back.
inline void add_padded_row(Index row, Offset place, Offset step, Index width,
                           const Array<Index>& columns, const Array<double>& values,
                           std::vector<Entry>& entries) {
  for (Index e = 0; e < width; ++e, place += step) {
    const bool ascends = e == 0 || columns[place] > columns[place - step];
    const bool empty = e == 0 && columns[place] == 0 && values[place] == 0.0 &&
                       (width == 1 || columns[place + step] == 0);
    if (!ascends || empty) return;
    entries.push_back({row, columns[place], values[place]});
  }
}

inline CsrMatrix to_csr(const HybMatrix& m) {
  const EllMatrix& ell = m.ell;
  const bool by_row = ell.order == EllMatrix::Order::by_row;
  std::vector<Entry> entries;
  for (Index i = 0; i < ell.rows; ++i) {
    const Offset place = by_row ? Offset{i} * ell.width : i, step = by_row ? 1 : ell.rows;
    if (!std::ranges::binary_search(m.coo.row_indices, i)) {
      add_padded_row(i, place, step, ell.width, ell.column_indices, ell.values, entries);
      continue;
    }
    for (Offset p = place; p < place + ell.width * step; p += step) {  // full, as some lie past it
      entries.push_back({i, ell.column_indices[p], ell.values[p]});
    }
  }
  std::ranges::copy(entries_of(m.coo), std::back_inserter(entries));
  return of_entries(ell.rows, ell.columns, entries);
}

inline CsrMatrix to_csr(const SlicedEllMatrix& m) {
  std::vector<Entry> entries;
  for (Index s = 0; s < m.slices(); ++s) {
    for (Index r = 0; r < m.height(s); ++r) {
      const Index stored = s * m.slice_height + r;
      const Index row = m.row_order.empty() ? stored : m.row_order[stored];
      Offset place = m.slice_offsets[s] + r;
      if (m.row_lengths.empty()) {
        add_padded_row(row, place, m.height(s), m.width(s), m.column_indices, m.values, entries);
        continue;
      }
      for (Index e = 0; e < m.row_lengths[stored]; ++e, place += m.height(s)) {
        entries.push_back({row, m.column_indices[place], m.values[place]});
      }
    }
  }
  return of_entries(m.rows, m.columns, entries);
}

inline CsrMatrix to_csr(const CusparseSellMatrix& m) {
  std::vector<Entry> entries;
  for (Index i = 0; i < m.rows; ++i) {
    const Offset slice = i / m.height, end = m.slice_offsets[slice + 1];
    for (Offset p = m.slice_offsets[slice] + i % m.height; p < end; p += m.height) {
      if (m.column_indices[p] >= 0) entries.push_back({i, m.column_indices[p], m.values[p]});
    }
  }
  return of_entries(m.rows, m.columns, entries);
}

}  // namespace cisolve::testing
