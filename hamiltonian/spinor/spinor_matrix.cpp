#include "hamiltonian/spinor/spinor_matrix.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

#include "core/memory.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/matrix/count_progress.hpp"
#include "hamiltonian/spinor/column_sort.hpp"

namespace cisolve {
namespace {

using Member = Remainders::Member;

struct Element {
  double re, im;

  bool is_zero() const {  // of either sign
    return (std::bit_cast<std::uint64_t>(re) | std::bit_cast<std::uint64_t>(im)) << 1 == 0;
  }
};

/// The elements of a row that are not exactly zero, counted.
struct SpinorCounter {
  /// `element` of some columns.
  template <class ElementOf>
  void add(std::span<const Member> columns, const ElementOf& element) {
    Offset found = 0;
    for (const Member& column : columns) found += element(column).is_zero() ? 0 : 1;
    count += found;
  }
  void add_diagonal(Index, double) { ++count; }

  Offset count = 0;
};

/// Writes the elements that SpinorCounter counts. The next element overwrites a zero, without a
/// branch; this needs room for one more.
class SpinorWriter {
 public:
  explicit SpinorWriter(CsrMatrix& matrix) : matrix_(matrix), sort_(matrix.columns) {}

  void begin_row(Index number) {
    number_ = number;
    keys_.resize(static_cast<std::size_t>(matrix_.row_length(number)) + 1);
    values_.resize(keys_.size());
    count_ = 0;
  }
  template <class ElementOf>
  void add(std::span<const Member> columns, const ElementOf& element) {
    std::uint64_t* const keys = keys_.data();
    Element* const values = values_.data();
    std::size_t count = count_;
    for (const Member& column : columns) {
      const Element value = element(column);
      keys[count] = static_cast<std::uint64_t>(column.string) << 32 | count;
      values[count] = {value.re + 0.0, value.im + 0.0};  // no -0, which H_JI might have as 0
      count += value.is_zero() ? 0 : 1;
    }
    count_ = count;
  }
  void add_diagonal(Index column, double value) {
    keys_[count_] = static_cast<std::uint64_t>(column) << 32 | count_;
    values_[count_++] = {value, 0.0};
  }
  void end_row() {
    keys_.resize(count_);
    sort_(keys_);
    const Offset begin = matrix_.row_offsets[number_];
    Index* const columns = matrix_.column_indices.data() + begin;
    double* const values = matrix_.values.data() + 2 * begin;
    for (std::size_t i = 0; i < count_; ++i) {
      columns[i] = static_cast<Index>(keys_[i] >> 32);
      const auto& [re, im] = values_[static_cast<std::uint32_t>(keys_[i])];
      values[2 * i] = re;
      values[2 * i + 1] = im;
    }
  }

 private:
  CsrMatrix& matrix_;
  Index number_ = 0;
  std::vector<std::uint64_t> keys_;  ///< columns, and where their values are
  std::vector<Element> values_;
  ColumnSort sort_;
  std::size_t count_ = 0;
};

constexpr double sign(const Remainders::Taken& one, const Remainders::Taken& other) {
  return (one.odd ^ other.odd) != 0 ? -1.0 : 1.0;
}

constexpr Index rows_of_block = 64;

/// The space, once the host is known to have room for a builder's tables.
const StringSpace& space_with_room(const StringSpace& space) {
  require_host_memory(SpinorMatrixBuilder::bytes_for(space),
                      "tables of matrix elements between " + std::to_string(space.size()) +
                          " determinants over " + std::to_string(space.orbitals) + " spinors");
  return space;
}

}  // namespace

SpinorMatrixBuilder::SpinorMatrixBuilder(const SpinorIntegrals& integrals, const StringSpace& space,
                                         Storage storage)
    : space_(space_with_room(space)),
      storage_(storage),
      tables_(integrals),
      of_singles_(space, 1),
      of_doubles_(space, 2) {}

double SpinorMatrixBuilder::bytes_for(const StringSpace& space) {
  constexpr double of_remainder = 80.0;  // and of the sort that numbers them
  const double electrons = space.electrons;
  return SpinorTables::bytes_for(space.orbitals) +
         of_remainder * 0.5 * electrons * (electrons + 1.0) * static_cast<double>(space.size());
}

std::span<const Remainders::Member> SpinorMatrixBuilder::columns_of(const Remainders& remainders,
                                                                    Index remainder,
                                                                    Index row) const {
  const auto members = remainders.members(remainder);
  if (storage_ == Storage::full) return members;
  return {std::ranges::lower_bound(members, row, {}, &Remainders::Member::string), members.end()};
}

template <class Sink>
void SpinorMatrixBuilder::walk(Index row, Sink& sink) const {
  sink.add_diagonal(row, tables_.energy(space_.strings[row]));
  walk_singles(row, sink);
  walk_doubles(row, sink);
}

template <class Sink>
void SpinorMatrixBuilder::walk_singles(Index row, Sink& sink) const {
  const auto remainders = of_singles_.of(row);
  const auto taken = of_singles_.taken(row);
  std::array<int, OrbitalString::most_orbitals> common;
  for (std::size_t k = 0; k < remainders.size(); ++k) {
    const int p = taken[k].first;
    std::size_t n = 0;
    for (const int i : space_.strings[row].without(p)) common[n++] = i;
    sink.add(columns_of(of_singles_, remainders[k], row), [&](const Member& column) {
      if (column.string == row) return Element{0.0, 0.0};
      const Complex value =
          sign(taken[k], column.taken) * tables_.single(p, column.taken.first, {common.data(), n});
      return Element{value.real(), value.imag()};
    });
  }
}

/// Members that share a spinor with what is taken, the row itself among them, are zeros of the
/// table.
template <class Sink>
void SpinorMatrixBuilder::walk_doubles(Index row, Sink& sink) const {
  const auto remainders = of_doubles_.of(row);
  const auto taken = of_doubles_.taken(row);
  for (std::size_t k = 0; k < remainders.size(); ++k) {
    const double* const table = tables_.doubles(taken[k].first, taken[k].second);
    sink.add(columns_of(of_doubles_, remainders[k], row), [&](const Member& column) {
      const double* const value =
          table + 2 * SpinorTables::pair(column.taken.first, column.taken.second);
      const double factor = sign(taken[k], column.taken);
      return Element{factor * value[0], factor * value[1]};
    });
  }
}

template <class RowOf>
Array<Offset> SpinorMatrixBuilder::counted(const CountWatch& watch, Index rows,
                                           const RowOf& row_of) const {
  const Index blocks = (rows + rows_of_block - 1) / rows_of_block;
  const std::size_t step = spread_step(static_cast<std::size_t>(blocks));
  Array<Offset> row_offsets(static_cast<std::size_t>(rows) + 1);
  row_offsets[0] = 0;
  CountProgress progress(watch);
  FirstException exception;
#pragma omp parallel for if (worth_threads(1000.0 * rows)) schedule(dynamic)
  for (Index k = 0; k < blocks; ++k) {
    exception.guard([&] {
      const auto block = static_cast<Index>(k * step % static_cast<std::size_t>(blocks));
      const Index begin = block * rows_of_block;
      const Index end = std::min<std::int64_t>(rows, std::int64_t{begin} + rows_of_block);
      Offset entries = 0;
      for (Index i = begin; i < end; ++i) {
        SpinorCounter counter;
        walk(row_of(i), counter);
        row_offsets[i + 1] = counter.count;
        entries += counter.count;
      }
      if (watch.tell) progress.add({end - begin, entries});
    });
  }
  exception.rethrow();
  std::partial_sum(row_offsets.begin(), row_offsets.end(), row_offsets.begin());
  return row_offsets;
}

Array<Offset> SpinorMatrixBuilder::count(const CountWatch& watch, Index first, Index last) const {
  return counted(watch, last - first, [first](Index k) { return first + k; });
}

Array<Offset> SpinorMatrixBuilder::count(const CountWatch& watch,
                                         std::span<const Index> wanted) const {
  return counted(watch, static_cast<Index>(wanted.size()), [wanted](Index k) { return wanted[k]; });
}

template <class RowOf>
CsrMatrix SpinorMatrixBuilder::filled(Array<Offset> row_offsets, const RowOf& row_of) const {
  CsrMatrix matrix;
  matrix.components = 2;
  matrix.storage = storage_;
  matrix.rows = static_cast<Index>(row_offsets.size() - 1);
  matrix.columns = size();
  matrix.row_offsets = std::move(row_offsets);
  matrix.column_indices = Array<Index>(static_cast<std::size_t>(matrix.nonzeros()));
  matrix.values = Array<double>(2 * static_cast<std::size_t>(matrix.nonzeros()));
  FirstException exception;
#pragma omp parallel if (worth_threads(matrix.nonzeros()))
  {
    SpinorWriter writer(matrix);
#pragma omp for schedule(dynamic, rows_of_block)
    for (Index k = 0; k < matrix.rows; ++k) {
      exception.guard([&] {
        writer.begin_row(k);
        walk(row_of(k), writer);
        writer.end_row();
      });
    }
  }
  exception.rethrow();
  return matrix;
}

CsrMatrix SpinorMatrixBuilder::fill(Array<Offset> row_offsets, Index first) const {
  return filled(std::move(row_offsets), [first](Index k) { return first + k; });
}

CsrMatrix SpinorMatrixBuilder::fill(Array<Offset> row_offsets,
                                    std::span<const Index> wanted) const {
  return filled(std::move(row_offsets), [wanted](Index k) { return wanted[k]; });
}

CsrMatrix SpinorMatrixBuilder::some_rows(std::span<const Index> wanted) const {
  return fill(count({}, wanted), wanted);
}

std::vector<double> SpinorMatrixBuilder::diagonal(Index first, Index last) const {
  std::vector<double> result(static_cast<std::size_t>(last - first));
#pragma omp parallel for if (worth_threads(50.0 * result.size())) schedule(static)
  for (Index row = first; row < last; ++row) {
    result[row - first] = tables_.energy(space_.strings[row]);
  }
  return result;
}

std::size_t SpinorMatrixBuilder::table_bytes() const {
  return tables_.bytes() + of_singles_.bytes() + of_doubles_.bytes();
}

}  // namespace cisolve
