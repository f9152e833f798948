#include "hamiltonian/matrix/list_matrix.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/threads/parallel.hpp"
#include "core/timer.hpp"
#include "hamiltonian/matrix/list_elements.hpp"
#include "hamiltonian/space/listed/list_pairs.hpp"

namespace cisolve {
namespace {

/// The rows that are made, and their numbers.
class RowChoice {
 public:
  RowChoice(const ListPairs& pairs, Index first, Index last) : first_(first), count_(last - first) {
    mark(pairs, [&](auto f) {
      for (Index row = first; row < last; ++row) f(row);
    });
  }
  /// Rows that ascend.
  RowChoice(const ListPairs& pairs, std::span<const Index> rows)
      : count_(static_cast<Index>(rows.size())),
        numbers_(static_cast<std::size_t>(pairs.space().size()), -1) {
    for (std::size_t k = 0; k < rows.size(); ++k) numbers_[rows[k]] = static_cast<Index>(k);
    mark(pairs, [&](auto f) { std::ranges::for_each(rows, f); });
  }

  Index size() const { return count_; }
  /// −1: it is none of them.
  Index number(Index row) const {
    if (!numbers_.empty()) return numbers_[row];
    return row >= first_ && row < first_ + count_ ? row - first_ : -1;
  }
  /// True if any of them is among the determinants of a unit.
  bool meets(const ListPairs& pairs, const ListPairs::Unit& unit) const {
    return pairs.any_string(unit, [&](Spin spin, Index string) { return has_[spin][string] != 0; });
  }

 private:
  template <class ForEach>
  void mark(const ListPairs& pairs, ForEach for_each) {
    const ListedSpace& space = pairs.space();
    has_[alpha].assign(space.alpha.strings.size(), 0);
    has_[beta].assign(space.beta.strings.size(), 0);
    for_each([&](Index row) {
      has_[alpha][pairs.alpha_of(row)] = 1;
      has_[beta][space.beta_of(row)] = 1;
    });
  }

  Index first_ = 0, count_;
  std::vector<Index> numbers_;                    ///< of each row; empty: those from `first`
  std::array<std::vector<std::uint8_t>, 2> has_;  ///< by string
};

/// The entries that all threads have counted.
class UnitProgress {
 public:
  explicit UnitProgress(const CountWatch& watch) : watch_(watch) {}
  void add(Offset entries) {
    const std::lock_guard lock(mutex_);
    entries_ += entries;
    if (timer_.seconds() < told_ + watch_.interval) return;
    told_ = timer_.seconds();
    watch_.tell({0, entries_});
  }

 private:
  const CountWatch& watch_;
  std::mutex mutex_;
  Offset entries_ = 0;
  Timer timer_;
  double told_ = 0.0;
};

/// Sorts a row by its columns.
class RowSorter {
 public:
  void sort(CsrMatrix& matrix, Index row) {
    const Offset begin = matrix.row_offsets[row];
    const auto n = static_cast<std::size_t>(matrix.row_length(row));
    order_.resize(n);
    values_.assign(&matrix.values[begin], &matrix.values[begin] + n);
    for (std::size_t i = 0; i < n; ++i) {
      order_[i] = static_cast<std::uint64_t>(matrix.column_indices[begin + i]) << 32 | i;
    }
    std::ranges::sort(order_);
    for (std::size_t i = 0; i < n; ++i) {
      matrix.column_indices[begin + i] = static_cast<Index>(order_[i] >> 32);
      matrix.values[begin + i] = values_[static_cast<std::uint32_t>(order_[i])];
    }
  }

 private:
  std::vector<std::uint64_t> order_;  ///< columns, and where their values are
  std::vector<double> values_;
};

}  // namespace

/// Elements of the matrix over pairs of determinants.
class ListMatrixBuilder::Elements {
 public:
  Elements(const Integrals& integrals, const ListedSpace& space, Storage kept)
      : pairs(space), elements(integrals, pairs), storage(kept) {}

  /// Calls take(number, column, value) for the elements beside the diagonal of the chosen rows, in
  /// any order, by all threads; `progress` may be null.
  template <class Take>
  void for_each(const RowChoice& choice, UnitProgress* progress, Take take) const;
  CsrMatrix filled(const RowChoice& choice, Array<Offset> row_offsets,
                   std::span<const Index> rows) const;
  Array<Offset> counted(const RowChoice& choice, UnitProgress* progress) const;

  ListPairs pairs;
  ListElements elements;
  Storage storage;
};

template <class Take>
void ListMatrixBuilder::Elements::for_each(const RowChoice& choice, UnitProgress* progress,
                                           Take take) const {
  const auto& units = pairs.units();
  FirstException exception;
#pragma omp parallel if (worth_threads(20.0 * pairs.space().size()))
  {
    ListPairs::Scratch scratch;
#pragma omp for schedule(dynamic)
    for (std::size_t k = 0; k < units.size(); ++k) {
      exception.guard([&] {
        const ListPairs::Unit& unit = units[k];
        Offset entries = 0;
        // A pair whose rows are not wanted is not computed.
        const auto visit = [&](Index x, Index y, auto value) {
          const auto [low, high] = std::minmax(x, y);
          const Index of_low = choice.number(low);
          const Index of_high = storage == Storage::full ? choice.number(high) : -1;
          if (of_low < 0 && of_high < 0) return;
          const double h = value();
          if (h == 0.0) return;
          if (of_low >= 0) take(of_low, high, h);
          if (of_high >= 0) take(of_high, low, h);
          entries += (of_low >= 0) + (of_high >= 0);
        };
        if (choice.meets(pairs, unit)) elements.visit(unit, scratch, visit);
        if (progress != nullptr) progress->add(entries);
      });
    }
  }
  exception.rethrow();
}

Array<Offset> ListMatrixBuilder::Elements::counted(const RowChoice& choice,
                                                   UnitProgress* progress) const {
  Array<Offset> row_offsets(static_cast<std::size_t>(choice.size()) + 1);
  std::ranges::fill(row_offsets, Offset{1});  // the diagonal
  row_offsets[0] = 0;
  for_each(choice, progress, [&](Index number, Index, double) {
    std::atomic_ref(row_offsets[number + 1]).fetch_add(1, std::memory_order_relaxed);
  });
  for (Index k = 0; k < choice.size(); ++k) row_offsets[k + 1] += row_offsets[k];
  return row_offsets;
}

CsrMatrix ListMatrixBuilder::Elements::filled(const RowChoice& choice, Array<Offset> row_offsets,
                                              std::span<const Index> rows) const {
  CsrMatrix matrix;
  matrix.storage = storage;
  matrix.rows = choice.size();
  matrix.columns = static_cast<Index>(pairs.space().size());
  matrix.row_offsets = std::move(row_offsets);
  matrix.column_indices = Array<Index>(static_cast<std::size_t>(matrix.nonzeros()));
  matrix.values = Array<double>(static_cast<std::size_t>(matrix.nonzeros()));
  Array<Offset> next(static_cast<std::size_t>(matrix.rows));
  std::copy_n(matrix.row_offsets.begin(), next.size(), next.begin());
  for_each(choice, nullptr, [&](Index number, Index column, double value) {
    const Offset at = std::atomic_ref(next[number]).fetch_add(1, std::memory_order_relaxed);
    matrix.column_indices[at] = column;
    matrix.values[at] = value;
  });
  FirstException exception;
#pragma omp parallel if (worth_threads(matrix.nonzeros()))
  {
    RowSorter sorter;
#pragma omp for schedule(dynamic, 64)
    for (Index k = 0; k < matrix.rows; ++k) {
      exception.guard([&] {
        matrix.column_indices[next[k]] = rows[k];
        matrix.values[next[k]] = elements.diagonal(rows[k]);
        sorter.sort(matrix, k);
      });
    }
  }
  exception.rethrow();
  return matrix;
}

ListMatrixBuilder::ListMatrixBuilder(const Integrals& integrals, const ListedSpace& space,
                                     Storage storage)
    : elements_(std::make_unique<const Elements>(integrals, space, storage)) {}

ListMatrixBuilder::~ListMatrixBuilder() = default;

Index ListMatrixBuilder::size() const {
  return static_cast<Index>(elements_->pairs.space().size());
}

Array<Offset> ListMatrixBuilder::count(const CountWatch& watch, Index first, Index last) const {
  const RowChoice choice(elements_->pairs, first, last);
  UnitProgress progress(watch);
  return elements_->counted(choice, watch.tell ? &progress : nullptr);
}

CsrMatrix ListMatrixBuilder::fill(Array<Offset> row_offsets, Index first) const {
  std::vector<Index> rows(row_offsets.size() - 1);
  std::iota(rows.begin(), rows.end(), first);
  const RowChoice choice(elements_->pairs, first, first + static_cast<Index>(rows.size()));
  return elements_->filled(choice, std::move(row_offsets), rows);
}

CsrMatrix ListMatrixBuilder::some_rows(std::span<const Index> wanted) const {
  std::vector<Index> rows(wanted.begin(), wanted.end());
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  const RowChoice choice(elements_->pairs, rows);
  const CsrMatrix each = elements_->filled(choice, elements_->counted(choice, nullptr), rows);
  CsrMatrix matrix;
  matrix.storage = each.storage;
  matrix.rows = static_cast<Index>(wanted.size());
  matrix.columns = each.columns;
  matrix.row_offsets.push_back(0);
  for (const Index row : wanted) {
    const Index k = choice.number(row);
    const auto begin = each.row_offsets[k], end = each.row_offsets[k + 1];
    matrix.column_indices.insert(matrix.column_indices.end(), each.column_indices.begin() + begin,
                                 each.column_indices.begin() + end);
    matrix.values.insert(matrix.values.end(), each.values.begin() + begin,
                         each.values.begin() + end);
    matrix.row_offsets.push_back(static_cast<Offset>(matrix.values.size()));
  }
  return matrix;
}

std::vector<double> ListMatrixBuilder::diagonal(Index first, Index last) const {
  std::vector<double> result(static_cast<std::size_t>(last - first));
#pragma omp parallel for if (worth_threads(50.0 * result.size())) schedule(static)
  for (Index row = first; row < last; ++row) {
    result[row - first] = elements_->elements.diagonal(row);
  }
  return result;
}

std::size_t ListMatrixBuilder::table_bytes() const {
  return elements_->pairs.bytes();
}

}  // namespace cisolve
