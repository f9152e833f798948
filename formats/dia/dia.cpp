#include "formats/dia/dia.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <vector>

#include "core/threads/parallel.hpp"
#include "formats/array_sink.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

/// A flag for every diagonal that holds an entry. The first is the one in the lower left corner,
/// column − row = 1 − rows.
std::vector<unsigned char> occupied_diagonals(const CsrMatrix& a) {
  std::vector<unsigned char> occupied(static_cast<std::size_t>(a.rows) + a.columns - 1, 0);
  unsigned char* const diagonals = occupied.data();
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 256)
  for (Index i = 0; i < a.rows; ++i) {
    // The diagonal of column 0 in this row; every pointer is read once, as writes might alias.
    unsigned char* const first = diagonals + (Offset{a.rows} - 1 - i);
    const Index* const end = a.column_indices.data() + a.row_offsets[i + 1];
    for (const Index* column = a.column_indices.data() + a.row_offsets[i]; column < end; ++column) {
      // Most diagonals are found again and again: lines that are only read stay shared.
      std::atomic_ref<unsigned char> diagonal(first[*column]);
      if (diagonal.load(std::memory_order_relaxed) == 0) {
        diagonal.store(1, std::memory_order_relaxed);
      }
    }
  }
  return occupied;
}

/// True if a matrix has so few entries that a list of their diagonals is shorter than the one of
/// all diagonals, as one of a few rows and 2^31 columns has.
bool has_few_entries(const CsrMatrix& a) {
  const auto diagonals = Offset{a.rows} + a.columns;
  return diagonals > 8 * (a.nonzeros() + a.rows);
}

/// Diagonals that have entries, column − row, ascending.
Array<Index> sorted_diagonals(const CsrMatrix& a) {
  Array<Index> offsets(static_cast<std::size_t>(a.nonzeros()));
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      offsets[p] = a.column_indices[p] - i;
    }
  }
  std::ranges::sort(offsets);
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

std::size_t dia_bytes(const CsrMatrix& a, const FormatOptions&) {
  return DiaMatrix::bytes(a.rows, static_cast<std::size_t>(count_diagonals(a)));
}

void dump_dia(const CsrMatrix& a, const FormatOptions&, ArraySink& sink) {
  const DiaMatrix dia = to_dia(a);
  sink.array("offsets", dia.offsets);
  sink.array("values", dia.values, {static_cast<Offset>(dia.offsets.size()), dia.rows});
}

}  // namespace

std::size_t DiaMatrix::bytes(Index rows, std::size_t diagonals) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const std::size_t one = static_cast<std::size_t>(rows) * sizeof(double) + sizeof(Index);
  return diagonals > most / one ? most : diagonals * one;
}

Offset count_diagonals(const CsrMatrix& a) {
  if (has_few_entries(a)) return std::ssize(sorted_diagonals(a));
  const auto occupied = occupied_diagonals(a);
  return std::reduce(occupied.begin(), occupied.end(), Offset{0});
}

Array<Index> diagonal_offsets(const CsrMatrix& a) {
  if (has_few_entries(a)) return sorted_diagonals(a);
  const auto occupied = occupied_diagonals(a);
  Array<Index> offsets;
  for (std::size_t d = 0; d < occupied.size(); ++d) {
    if (occupied[d]) offsets.push_back(static_cast<Index>(static_cast<Offset>(d) - (a.rows - 1)));
  }
  return offsets;
}

DiaMatrix to_dia(const CsrMatrix& a) {
  DiaMatrix dia{a.rows, a.columns, diagonal_offsets(a), {}};
  const auto diagonals = static_cast<Offset>(dia.offsets.size());
  dia.values = Array<double>(static_cast<std::size_t>(diagonals) * dia.rows);
#pragma omp parallel if (worth_threads(a.nonzeros()))
  {
#pragma omp for schedule(static)
    for (Offset p = 0; p < diagonals * dia.rows; ++p) dia.values[p] = 0.0;
#pragma omp for schedule(static)
    for (Index i = 0; i < a.rows; ++i) {
      // Columns ascend in the row, so its diagonals do.
      auto diagonal = dia.offsets.begin();
      for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
        diagonal = std::lower_bound(diagonal, dia.offsets.end(), a.column_indices[e] - i);
        dia.values[(diagonal - dia.offsets.begin()) * dia.rows + i] = a.values[e];
      }
    }
  }
  return dia;
}

Format dia_format() {
  return {.name = "dia",
          .description = "diagonals, for banded matrices",
          .bytes = dia_bytes,
          .cpu = make_dia_cpu,
          .cuda = make_dia_cuda,
          .dump = dump_dia,
          .scratch = contiguous_scratch};
}

}  // namespace cisolve
