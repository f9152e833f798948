#include "formats/csb/csb.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "formats/array_sink.hpp"

namespace cisolve {
namespace {

constexpr Index largest_block = 65536;  // local rows and columns have 16 bits

Offset blocks_along(Index length, Index block_size) {
  return (Offset{length} + block_size - 1) / block_size;
}

/// The rows of a block row, first … last − 1.
struct RowRange {
  Index first, last;
};
RowRange rows_of(Offset block_row, Index rows, Index block_size) {
  return {static_cast<Index>(block_row * block_size),
          static_cast<Index>(std::min<Offset>(rows, (block_row + 1) * block_size))};
}

/// First block of each block row, counting only blocks that hold an entry.
Array<Offset> count_blocks(const CsrMatrix& a, Index block_size) {
  const Offset block_rows = blocks_along(a.rows, block_size);
  const Offset block_columns = blocks_along(a.columns, block_size);
  Array<Offset> offsets(block_rows + 1);
  offsets[0] = 0;
  // The block row that met this block column last; taken here, since no exception may leave a
  // parallel region.
  Array<Offset> last_seen(block_columns * omp_get_max_threads());
#pragma omp parallel if (worth_threads(a.nonzeros()))
  {
    Offset* const seen = last_seen.data() + block_columns * omp_get_thread_num();
    std::fill_n(seen, block_columns, -1);
#pragma omp for schedule(dynamic)
    for (Offset block_row = 0; block_row < block_rows; ++block_row) {
      const RowRange range = rows_of(block_row, a.rows, block_size);
      Offset count = 0;
      for (Offset p = a.row_offsets[range.first]; p < a.row_offsets[range.last]; ++p) {
        Offset& met = seen[a.column_indices[p] / block_size];
        if (met != block_row) ++count;
        met = block_row;
      }
      offsets[block_row + 1] = count;
    }
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

std::size_t csb_bytes(Offset nonzeros, Offset blocks, Offset block_rows) {
  constexpr std::size_t entry = sizeof(double) + 2 * sizeof(std::uint16_t);
  return nonzeros * entry + blocks * sizeof(Index) + (blocks + 1) * sizeof(Offset) +
         (block_rows + 1) * sizeof(Offset);
}

std::size_t csb_bytes(const CsrMatrix& a, const FormatOptions& options) {
  const Index block_size = csb_block_size(a, options.block_size);
  const Array<Offset> offsets = count_blocks(a, block_size);
  return csb_bytes(a.nonzeros(), offsets.back(), blocks_along(a.rows, block_size));
}

/// Fills one block row, whose entries lie where the host matrix has them, sorted by block. `next`
/// has an element for every block column, all zero before and after.
void fill_block_row(const CsrMatrix& a, Offset block_row, Offset* next, CsbMatrix& csb) {
  const Index size = csb.block_size;
  const RowRange range = rows_of(block_row, a.rows, size);
  const Offset entries_begin = a.row_offsets[range.first];
  const Offset entries_end = a.row_offsets[range.last];

  // Columns of the blocks, and the number of entries of each.
  Index* const columns = csb.block_columns.data() + csb.block_row_offsets[block_row];
  Offset blocks = 0;
  for (Offset p = entries_begin; p < entries_end; ++p) {
    const Index column = a.column_indices[p] / size;
    if (next[column]++ == 0) columns[blocks++] = column;
  }
  std::sort(columns, columns + blocks);

  // Counts become places.
  Offset place = entries_begin;
  for (Offset b = 0; b < blocks; ++b) {
    csb.block_offsets[csb.block_row_offsets[block_row] + b] = place;
    place += std::exchange(next[columns[b]], place);
  }
  for (Index i = range.first; i < range.last; ++i) {
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const Index j = a.column_indices[p];
      const Offset to = next[j / size]++;
      csb.local_rows[to] = static_cast<std::uint16_t>(i - range.first);
      csb.local_columns[to] = static_cast<std::uint16_t>(j % size);
      csb.values[to] = a.values[p];
    }
  }
  for (Offset b = 0; b < blocks; ++b) next[columns[b]] = 0;
}

void dump_csb(const CsrMatrix& a, const FormatOptions& options, ArraySink& sink) {
  const CsbMatrix csb = to_csb(a, options.block_size);
  sink.scalar("block_size", csb.block_size);
  sink.array("block_row_offsets", csb.block_row_offsets);
  sink.array("block_columns", csb.block_columns);
  sink.array("block_offsets", csb.block_offsets);
  sink.array("local_rows", csb.local_rows);
  sink.array("local_columns", csb.local_columns);
  sink.array("values", csb.values);
}

}  // namespace

std::size_t CsbMatrix::bytes() const {
  return csb_bytes(static_cast<Offset>(values.size()), blocks(), block_rows());
}

std::string CsbMatrix::description() const {
  return "block " + std::to_string(block_size) + ", " + std::to_string(blocks()) + " of " +
         std::to_string(block_rows()) + " × " + std::to_string(blocks_along(columns, block_size)) +
         " stored";
}

Index csb_block_size(const CsrMatrix& a, Index requested) {
  if (requested < 0 || requested > largest_block) {
    throw InputError("csb: a block size of " + std::to_string(requested) + " is outside 0 … " +
                     std::to_string(largest_block));
  }
  if (requested > 0) return requested;
  const double root = std::sqrt(static_cast<double>(std::max(a.rows, a.columns)));
  const auto below = static_cast<Index>(std::bit_floor(static_cast<unsigned>(root)));
  const Index nearest = root - below <= 2.0 * below - root ? below : 2 * below;
  return std::clamp<Index>(nearest, 32, largest_block);
}

CsbMatrix to_csb(const CsrMatrix& a, Index block_size) {
  CsbMatrix csb;
  csb.rows = a.rows;
  csb.columns = a.columns;
  csb.block_size = csb_block_size(a, block_size);
  csb.block_row_offsets = count_blocks(a, csb.block_size);
  csb.block_columns = Array<Index>(csb.block_row_offsets.back());
  csb.block_offsets = Array<Offset>(csb.block_row_offsets.back() + 1);
  csb.block_offsets.back() = a.nonzeros();
  csb.local_rows = Array<std::uint16_t>(a.nonzeros());
  csb.local_columns = Array<std::uint16_t>(a.nonzeros());
  csb.values = Array<double>(a.nonzeros());

  const Offset block_rows = csb.block_rows();
  const Offset block_columns = blocks_along(a.columns, csb.block_size);
  Array<Offset> next(block_columns * omp_get_max_threads());
#pragma omp parallel if (worth_threads(a.nonzeros()))
  {
    Offset* const own = next.data() + block_columns * omp_get_thread_num();
    std::fill_n(own, block_columns, 0);
#pragma omp for schedule(dynamic)
    for (Offset block_row = 0; block_row < block_rows; ++block_row) {
      fill_block_row(a, block_row, own, csb);
    }
  }
  return csb;
}

Format csb_format() {
  return {.name = "csb",
          .description = "compressed sparse blocks, 16-bit places within a block",
          .bytes = csb_bytes,
          .cpu = make_csb_cpu,
          .cuda = make_csb_cuda,
          .dump = dump_csb};
}

}  // namespace cisolve
