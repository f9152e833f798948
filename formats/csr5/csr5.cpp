#include "formats/csr5/csr5.hpp"

#include <algorithm>
#include <bit>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "formats/array_sink.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

constexpr int lanes = Csr5Matrix::lanes;
constexpr Index tallest_tile = 64;  // a lane's row starts are the bits of one word

std::size_t csr5_bytes(Offset nonzeros, Offset nonempty_rows, Offset tiles, Offset tail_rows) {
  constexpr std::size_t lane = sizeof(std::uint64_t) + sizeof(std::uint16_t);
  return nonzeros * (sizeof(double) + sizeof(Index)) + nonempty_rows * sizeof(Index) +
         (tiles + 1) * sizeof(Index) + tiles * lanes * lane + (tail_rows + 1) * sizeof(Offset);
}

std::size_t csr5_bytes(const CsrMatrix& a, const FormatOptions& options) {
  const Offset tile_entries = Offset{lanes} * csr5_tile_height(a, options.tile_height);
  const Offset tiles = a.nonzeros() / tile_entries;
  Offset nonempty_rows = 0, tail_rows = 0;
#pragma omp parallel for if (worth_threads(a.nonzeros())) reduction(+ : nonempty_rows, tail_rows)
  for (Index i = 0; i < a.rows; ++i) {
    if (a.row_length(i) == 0) continue;
    ++nonempty_rows;
    if (a.row_offsets[i + 1] > tiles * tile_entries) ++tail_rows;
  }
  return csr5_bytes(a.nonzeros(), nonempty_rows, tiles, tail_rows);
}

/// Place of entry `p` of the matrix, counted row by row.
Offset place_of(const Csr5Matrix& m, Offset p) {
  const Offset tile = p / m.tile_entries();
  if (tile >= m.tiles()) return p;
  const Offset within = p % m.tile_entries();
  return tile * m.tile_entries() + within % m.tile_height * lanes + within / m.tile_height;
}

/// Number of nonempty rows that begin before entry p.
Index rows_before(const CsrMatrix& a, const Array<Index>& nonempty_rows, Offset p) {
  const auto place =
      std::ranges::lower_bound(nonempty_rows, p, {}, [&](Index row) { return a.row_offsets[row]; });
  return static_cast<Index>(place - nonempty_rows.begin());
}

void describe_tile(const CsrMatrix& a, Offset tile, Csr5Matrix& m) {
  std::uint64_t* const starts = m.row_starts.data() + tile * lanes;
  std::fill_n(starts, lanes, 0);
  const Offset begin = tile * m.tile_entries();
  const auto rows = static_cast<Index>(m.nonempty_rows.size());
  m.tile_rows[tile] = rows_before(a, m.nonempty_rows, begin);
  for (Index r = m.tile_rows[tile]; r < rows; ++r) {
    const Offset within = a.row_offsets[m.nonempty_rows[r]] - begin;
    if (within >= m.tile_entries()) break;
    starts[within / m.tile_height] |= std::uint64_t{1} << within % m.tile_height;
  }
  int begun = 0;
  for (int l = 0; l < lanes; ++l) {
    m.y_offsets[tile * lanes + l] = static_cast<std::uint16_t>(begun);
    begun += std::popcount(starts[l]);
  }
}

void dump_csr5(const CsrMatrix& a, const FormatOptions& options, ArraySink& sink) {
  const Csr5Matrix m = to_csr5(a, options.tile_height);
  sink.scalar("lanes", lanes);
  sink.scalar("tile_height", m.tile_height);
  sink.array("nonempty_rows", m.nonempty_rows);
  sink.array("tile_rows", m.tile_rows);
  sink.array("row_starts", m.row_starts, {m.tiles(), lanes});
  sink.array("y_offsets", m.y_offsets, {m.tiles(), lanes});
  sink.array("tail_offsets", m.tail_offsets);
  sink.array("column_indices", m.column_indices);
  sink.array("values", m.values);
}

}  // namespace

std::size_t Csr5Matrix::bytes() const {
  return csr5_bytes(static_cast<Offset>(values.size()), static_cast<Offset>(nonempty_rows.size()),
                    tiles(), tail_rows());
}

std::string Csr5Matrix::description() const {
  return std::to_string(tiles()) + " tiles of " + std::to_string(lanes) + " × " +
         std::to_string(tile_height);
}

Index csr5_tile_height(const CsrMatrix& a, Index requested) {
  if (requested < 0 || requested > tallest_tile) {
    throw InputError("csr5: a tile height of " + std::to_string(requested) + " is outside 0 … " +
                     std::to_string(tallest_tile));
  }
  if (requested > 0) return requested;
  const Offset mean = a.rows > 0 ? a.nonzeros() / a.rows : 0;
  if (mean <= 4) return 4;
  if (mean <= 32) return static_cast<Index>(mean);
  return mean <= 256 ? 32 : 6;
}

Csr5Matrix to_csr5(const CsrMatrix& a, Index tile_height) {
  Csr5Matrix m;
  m.rows = a.rows;
  m.columns = a.columns;
  m.tile_height = csr5_tile_height(a, tile_height);
  for (Index i = 0; i < a.rows; ++i) {
    if (a.row_length(i) > 0) m.nonempty_rows.push_back(i);
  }
  const Offset tiles = a.nonzeros() / m.tile_entries();
  const Offset tail = tiles * m.tile_entries();
  m.tile_rows = Array<Index>(tiles + 1);
  m.row_starts = Array<std::uint64_t>(tiles * lanes);
  m.y_offsets = Array<std::uint16_t>(tiles * lanes);
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(static)
  for (Offset tile = 0; tile < tiles; ++tile) describe_tile(a, tile, m);
  m.tile_rows[tiles] = rows_before(a, m.nonempty_rows, tail);

  m.tail_offsets.push_back(a.nonzeros());
  for (auto r = m.nonempty_rows.rbegin();
       r != m.nonempty_rows.rend() && a.row_offsets[*r + 1] > tail; ++r) {
    m.tail_offsets.push_back(std::max(a.row_offsets[*r], tail));
  }
  std::ranges::reverse(m.tail_offsets);

  m.column_indices = Array<Index>(a.nonzeros());
  m.values = Array<double>(a.nonzeros());
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(static)
  for (Offset p = 0; p < a.nonzeros(); ++p) {
    const Offset to = place_of(m, p);
    m.column_indices[to] = a.column_indices[p];
    m.values[to] = a.values[p];
  }
  return m;
}

Format csr5_format() {
  return {.name = "csr5",
          .description = "CSR5: equal tiles across rows, summed by segments",
          .bytes = csr5_bytes,
          .cpu = make_csr5_cpu,
          .cuda = make_csr5_cuda,
          .dump = dump_csr5,
          .scratch = contiguous_scratch};
}

}  // namespace cisolve
