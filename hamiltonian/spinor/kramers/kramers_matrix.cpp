#include "hamiltonian/spinor/kramers/kramers_matrix.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/threads/parallel.hpp"
#include "hamiltonian/spinor/column_sort.hpp"

namespace cisolve {
namespace {

/// Brings the columns of rows of H, one row after the other, into the order of pairs.
class PairColumns {
 public:
  PairColumns(const KramersPairs& pairs, CsrMatrix& rows)
      : pairs_(pairs), rows_(rows), sort_(rows.columns) {}

  void turn(Index row) {
    const Offset begin = rows_.row_offsets[row], end = rows_.row_offsets[row + 1];
    Index* const columns = rows_.column_indices.data() + begin;
    double* const values = rows_.values.data() + 2 * begin;
    values_.assign(values, values + 2 * (end - begin));
    keys_.clear();
    for (std::size_t k = 0; k < values_.size() / 2; ++k) {
      const auto [pair, reversed] = pairs_.place(columns[k]);
      const auto column = 2 * static_cast<std::uint64_t>(pair) + reversed;
      if (reversed && pairs_.sign(pair) < 0) {
        for (double* part : {&values_[2 * k], &values_[2 * k + 1]}) *part = 0.0 - *part;  // no -0
      }
      keys_.push_back(column << 32 | k);
    }
    sort_(keys_);
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      columns[k] = static_cast<Index>(keys_[k] >> 32);
      const double* const value = &values_[2 * static_cast<std::uint32_t>(keys_[k])];
      std::copy(value, value + 2, values + 2 * k);
    }
  }

 private:
  const KramersPairs& pairs_;
  CsrMatrix& rows_;
  ColumnSort sort_;
  std::vector<std::uint64_t> keys_;  ///< columns, and where their values are
  std::vector<double> values_;
};

std::vector<Index> firsts_of(const KramersPairs& pairs, Index first, Index last) {
  std::vector<Index> made;
  for (Index pair = first; pair < last; ++pair) made.push_back(pairs.first(pair));
  return made;
}

std::vector<Index> firsts_of(const KramersPairs& pairs, std::span<const Index> wanted) {
  std::vector<Index> made;
  for (const Index pair : wanted) made.push_back(pairs.first(pair));
  return made;
}

}  // namespace

KramersMatrixBuilder::KramersMatrixBuilder(const SpinorIntegrals& integrals,
                                           const StringSpace& space, const KramersPairs& pairs)
    : pairs_(pairs), rows_(integrals, space) {}

CsrMatrix KramersMatrixBuilder::in_pairs(CsrMatrix rows) const {
  FirstException exception;
#pragma omp parallel if (worth_threads(rows.nonzeros()))
  {
    PairColumns columns(pairs_, rows);
#pragma omp for schedule(dynamic, 64)
    for (Index i = 0; i < rows.rows; ++i) exception.guard([&] { columns.turn(i); });
  }
  exception.rethrow();
  return rows;
}

Array<Offset> KramersMatrixBuilder::count(const CountWatch& watch, Index first, Index last) const {
  return rows_.count(watch, firsts_of(pairs_, first, last));
}

CsrMatrix KramersMatrixBuilder::fill(Array<Offset> row_offsets, Index first) const {
  const auto last = static_cast<Index>(first + row_offsets.size() - 1);
  return in_pairs(rows_.fill(std::move(row_offsets), firsts_of(pairs_, first, last)));
}

CsrMatrix KramersMatrixBuilder::some_rows(std::span<const Index> wanted) const {
  return in_pairs(rows_.some_rows(firsts_of(pairs_, wanted)));
}

std::vector<double> KramersMatrixBuilder::diagonal(Index first, Index last) const {
  const std::vector<Index> firsts = firsts_of(pairs_, first, last);
  if (firsts.empty()) return {};
  const std::vector<double> all = rows_.diagonal(firsts.front(), firsts.back() + 1);
  std::vector<double> result;
  for (const Index determinant : firsts) result.push_back(all[determinant - firsts.front()]);
  return result;
}

std::vector<double> diagonal_of_pairs(const CsrMatrix& a) {
  std::vector<double> result(static_cast<std::size_t>(a.rows));
  const Index* const columns = a.column_indices.data();
  for_each_index(a.rows, worth_threads(100.0 * a.rows), [&](Index i) {
    const Index* const end = columns + a.row_offsets[i + 1];
    const Index* const found = std::lower_bound(columns + a.row_offsets[i], end, 2 * i);
    result[i] = found != end && *found == 2 * i ? a.values[2 * (found - columns)] : 0.0;
  });
  return result;
}

CsrMatrix quaternion_rows(const CsrMatrix& a) {
  CsrMatrix q;
  q.components = 4;
  q.rows = a.rows;
  q.columns = a.columns / 2;
  q.row_offsets = Array<Offset>(a.row_offsets.size());
  q.row_offsets[0] = 0;
  const auto is_first = [&](Offset k, Offset begin) {  // of the elements of a pair
    return k == begin || a.column_indices[k] / 2 != a.column_indices[k - 1] / 2;
  };
  Offset count = 0;
  for (Index i = 0; i < a.rows; ++i) {
    const Offset begin = a.row_offsets[i];
    for (Offset k = begin; k < a.row_offsets[i + 1]; ++k) count += is_first(k, begin) ? 1 : 0;
    q.row_offsets[i + 1] = count;
  }
  q.column_indices = Array<Index>(static_cast<std::size_t>(count));
  q.values = Array<double>(4 * static_cast<std::size_t>(count));
  std::fill_n(q.values.data(), q.values.size(), 0.0);
  Offset at = -1;
  for (Index i = 0; i < a.rows; ++i) {
    const Offset begin = a.row_offsets[i];
    for (Offset k = begin; k < a.row_offsets[i + 1]; ++k) {
      at += is_first(k, begin) ? 1 : 0;
      q.column_indices[at] = a.column_indices[k] / 2;
      const bool reversed = a.column_indices[k] % 2 != 0;
      double* const element = q.values.data() + 4 * at + (reversed ? 2 : 0);
      for (int c = 0; c < 2; ++c) {
        element[c] = reversed ? 0.0 - a.values[2 * k + c] : a.values[2 * k + c];
      }
    }
  }
  return q;
}

}  // namespace cisolve
