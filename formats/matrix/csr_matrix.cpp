#include "formats/matrix/csr_matrix.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <utility>

#include "core/error.hpp"
#include "core/host_matrix.hpp"
#include "core/parallel.hpp"
#include "formats/matrix/csr_checks.hpp"

namespace cisolve {
namespace {

constexpr Index none = std::numeric_limits<Index>::max();

/// "row 3, column 2": places in messages count from 1.
std::string place(Index row, Index column) {
  return "row " + std::to_string(Offset{row} + 1) + ", column " +
         std::to_string(Offset{column} + 1);
}

std::string shape(const CsrMatrix& a) {
  return std::to_string(a.rows) + " × " + std::to_string(a.columns);
}

std::string text(double value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}

/// The lowest row for which `offends(row)` holds, `none` where there is none; parallel.
template <class Predicate>
Index first_row(Index rows, Predicate offends) {
  Index first = none;
  FirstException exception;
  const bool shared = worth_threads(10.0 * rows);
#pragma omp parallel for if (shared) schedule(dynamic, 256) reduction(min : first)
  for (Index i = 0; i < rows; ++i) {
    exception.guard([&] {
      if (i < first && offends(i)) first = i;
    });
  }
  exception.rethrow();
  return first;
}

/// Where entry (row, column) is stored, −1 when it is not.
Offset find(const CsrMatrix& a, Index row, Index column) {
  constexpr Offset few = 64;  // are sooner counted than searched by halves
  const Index* const columns = a.column_indices.data() + a.row_offsets[row];
  const Offset length = a.row_length(row);
  Offset place = 0;
  if (length <= few) {
    int before = 0;
#pragma omp simd reduction(+ : before)
    for (int e = 0; e < static_cast<int>(length); ++e) before += columns[e] < column ? 1 : 0;
    place = before;
  } else {
    place = std::lower_bound(columns, columns + length, column) - columns;
  }
  return place < length && columns[place] == column ? a.row_offsets[row] + place : -1;
}

/// a_ij, 0 where it is not stored.
double value_at(const CsrMatrix& a, Index row, Index column) {
  const Offset p = find(a, row, column);
  return p < 0 ? 0.0 : a.values[p];
}

bool agree(double value, double mirror, double relative_to, double tolerance) {
  return std::abs(value - mirror) <= tolerance * relative_to;
}

bool agree(double value, double mirror, double tolerance) {
  return agree(value, mirror, std::min(std::abs(value), std::abs(mirror)), tolerance);
}

/// The largest magnitude in every row. Of a diagonal element, whose mirror it is itself, a
/// hundredth counts: what it hides of others is rounding alone.
std::vector<double> largest_of_rows(const CsrMatrix& a) {
  std::vector<double> largest(static_cast<std::size_t>(a.rows), 0.0);
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const double weight = a.column_indices[p] == i ? 0.01 : 1.0;
      largest[i] = std::max(largest[i], weight * std::abs(a.values[p]));
    }
  }
  return largest;
}

/// Whether every entry of a square matrix has its mirror stored, and equal(value, mirror) holds of
/// them. O(nonzeros), and a search in every row for each share: the mirrors of a column's entries
/// below the diagonal, from above, lie one behind another in the row of that number.
template <class Equal>
bool has_mirrors(const CsrMatrix& a, const Equal& equal) {
  constexpr Offset entries_a_search = 8;
  const Offset affordable = a.nonzeros() / (entries_a_search * std::max<Offset>(a.rows, 1));
  const int wanted = worth_threads(a.nonzeros()) ? 2 * omp_get_max_threads() : 1;
  const int shares = static_cast<int>(std::clamp<Offset>(affordable, std::min(wanted, 4), wanted));
  std::vector<Offset> mirror(static_cast<std::size_t>(a.rows));
  bool all = true;
#pragma omp parallel for if (shares > 1) schedule(dynamic, 1)
  for (int s = 0; s < shares; ++s) {  // of the columns
    const auto first = static_cast<Index>(Offset{a.rows} * s / shares);
    const auto last = static_cast<Index>(Offset{a.rows} * (s + 1) / shares);
    const auto place = [&](Index row, Index column) {
      return std::lower_bound(a.column_indices.begin() + a.row_offsets[row],
                              a.column_indices.begin() + a.row_offsets[row + 1], column) -
             a.column_indices.begin();
    };
    bool so_far = true;
    for (Index j = first; j < last; ++j) mirror[j] = place(j, j + 1);
    for (Index i = first + 1; i < a.rows && so_far; ++i) {
      const Index end = std::min(i, last);
      for (Offset p = first == 0 ? a.row_offsets[i] : place(i, first);
           so_far && p < a.row_offsets[i + 1] && a.column_indices[p] < end; ++p) {
        const Index j = a.column_indices[p];
        const Offset q = mirror[j]++;
        so_far =
            q < a.row_offsets[j + 1] && a.column_indices[q] == i && equal(a.values[p], a.values[q]);
      }
    }
    for (Index j = first; j < last; ++j) so_far = so_far && mirror[j] == a.row_offsets[j + 1];
    if (!so_far) {
#pragma omp atomic write
      all = false;
    }
  }
  return all;
}

/// Row and column of the first stored entry, row-wise, that differs from its mirror in a square
/// matrix; `none` twice where all agree. Most matrices are their transposes bit for bit, most of
/// the others nearly so entry by entry; rows are measured of what is left.
std::pair<Index, Index> first_asymmetry(const CsrMatrix& a, double tolerance) {
  const auto equal = [tolerance](double v, double mirror) { return agree(v, mirror, tolerance); };
  if (a.storage == Storage::upper || mirrors_cancel(a)) return {none, none};
  if (has_mirrors(a, equal)) return {none, none};
  const std::vector<double> largest = largest_of_rows(a);
  const auto differing_column = [&](Index i) {
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const Index j = a.column_indices[p];
      const double of_rows = std::max(largest[i], largest[j]);
      if (j != i && !agree(a.values[p], value_at(a, j, i), of_rows, tolerance)) return j;
    }
    return none;
  };
  const Index i = first_row(a.rows, [&](Index r) { return differing_column(r) != none; });
  return {i, i == none ? none : differing_column(i)};
}

void require_offsets(const CsrMatrix& a, const std::string& name) {
  const auto fail = [&](const std::string& what) { throw InputError(name + ": " + what); };
  if (a.rows < 1 || a.columns < 1) {
    fail("the matrix is " + shape(a) + ", expected at least one row and column");
  }
  if (a.row_offsets.size() != static_cast<std::size_t>(a.rows) + 1) {
    fail(std::to_string(a.row_offsets.size()) +
         " row offsets, expected rows + 1 = " + std::to_string(Offset{a.rows} + 1));
  }
  if (a.row_offsets[0] != 0) {
    fail("the first row offset is " + std::to_string(a.row_offsets[0]) + ", expected 0");
  }
  const Index i =
      first_row(a.rows, [&](Index r) { return a.row_offsets[r + 1] < a.row_offsets[r]; });
  if (i != none) {
    fail("row offsets descend after row " + std::to_string(Offset{i} + 1) + ": " +
         std::to_string(a.row_offsets[i]) + ", then " + std::to_string(a.row_offsets[i + 1]));
  }
  const auto stored = static_cast<std::size_t>(a.nonzeros());
  if (a.column_indices.size() != stored || a.values.size() != stored) {
    fail("row offsets end at " + std::to_string(stored) + ", but there are " +
         std::to_string(a.column_indices.size()) + " column indices and " +
         std::to_string(a.values.size()) + " values");
  }
}

/// What is wrong in row i, empty when nothing is.
std::string row_fault(const CsrMatrix& a, Index i) {
  for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
    const Index column = a.column_indices[p];
    if (column < 0 || column >= a.columns) {
      return place(i, column) + " lies outside the " + shape(a) + " matrix";
    }
    if (a.storage == Storage::upper && column < i) {
      return place(i, column) + " lies below the diagonal of an upper triangle";
    }
    if (p > a.row_offsets[i] && column == a.column_indices[p - 1]) {
      return place(i, column) + " is given twice";
    }
    if (p > a.row_offsets[i] && column < a.column_indices[p - 1]) {
      return place(i, column) + " follows column " +
             std::to_string(Offset{a.column_indices[p - 1]} + 1) + ", expected ascending columns";
    }
    if (!std::isfinite(a.values[p])) {
      return place(i, column) + " is " + text(a.values[p]) + ", expected a finite number";
    }
  }
  return {};
}

}  // namespace

std::size_t CsrMatrix::bytes(Index rows, Offset nonzeros) {
  return (static_cast<std::size_t>(rows) + 1) * sizeof(Offset) +
         static_cast<std::size_t>(nonzeros) * (sizeof(Index) + sizeof(double));
}

Offset full_nonzeros(const CsrMatrix& a) {
  if (a.storage == Storage::full) return a.nonzeros();
  Offset diagonals = 0;
#pragma omp parallel for if (worth_threads(a.rows)) schedule(static) reduction(+ : diagonals)
  for (Index i = 0; i < a.rows; ++i) {
    diagonals += a.row_length(i) > 0 && a.column_indices[a.row_offsets[i]] == i;
  }
  return 2 * a.nonzeros() - diagonals;
}

void require_full(const CsrMatrix& a, const std::string& user) {
  if (a.storage == Storage::full) return;
  throw InputError(user + ": the host matrix is an upper triangle, expected the whole matrix");
}

CsrMatrix upper_triangle(const CsrMatrix& a, const std::string& name) {
  require_symmetric(a, name);
  if (a.storage == Storage::upper) return a;
  // Where row i's part from the diagonal on begins.
  const auto begin = [&](Index i) {
    const auto columns = a.column_indices.begin();
    return std::lower_bound(columns + a.row_offsets[i], columns + a.row_offsets[i + 1], i) -
           columns;
  };
  CsrMatrix upper{a.rows, a.columns, Array<Offset>(a.row_offsets.size()), {}, {}, Storage::upper};
  upper.row_offsets[0] = 0;
  for (Index i = 0; i < a.rows; ++i) {
    upper.row_offsets[i + 1] = upper.row_offsets[i] + a.row_offsets[i + 1] - begin(i);
  }
  upper.column_indices = Array<Index>(static_cast<std::size_t>(upper.nonzeros()));
  upper.values = Array<double>(static_cast<std::size_t>(upper.nonzeros()));
#pragma omp parallel for if (worth_threads(upper.nonzeros())) schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    const Offset from = begin(i), to = upper.row_offsets[i];
    std::copy_n(a.column_indices.data() + from, upper.row_length(i),
                upper.column_indices.data() + to);
    std::copy_n(a.values.data() + from, upper.row_length(i), upper.values.data() + to);
  }
  return upper;
}

RowStatistics row_statistics(const CsrMatrix& a) {
  RowStatistics result;
  if (a.rows == 0) return result;
  Offset minimum = a.row_length(0), maximum = a.row_length(0);
  const bool shared = worth_threads(a.rows);
#pragma omp parallel for if (shared) reduction(min : minimum) reduction(max : maximum)
  for (Index i = 0; i < a.rows; ++i) {
    minimum = std::min(minimum, a.row_length(i));
    maximum = std::max(maximum, a.row_length(i));
  }
  result.minimum = minimum;
  result.maximum = maximum;
  result.mean = static_cast<double>(a.nonzeros()) / a.rows;
  result.longest_row = first_row(a.rows, [&](Index i) { return a.row_length(i) == maximum; });
  return result;
}

void validate(const CsrMatrix& a, const std::string& name) {
  require_offsets(a, name);
  if (is_consistent(a)) return;
  const Index i = first_row(a.rows, [&](Index r) { return !row_fault(a, r).empty(); });
  throw InputError(name + ": " + row_fault(a, i));
}

void sort_rows(CsrMatrix& a, const std::string& name) {
  require_offsets(a, name);
  const auto is_sorted = [&](Index i) {
    const auto columns = a.column_indices.begin();
    return std::is_sorted(columns + a.row_offsets[i], columns + a.row_offsets[i + 1]);
  };
  Offset longest = 0;
  const bool shared = worth_threads(a.nonzeros());
#pragma omp parallel for if (shared) schedule(dynamic, 1024) reduction(max : longest)
  for (Index i = 0; i < a.rows; ++i) {
    if (a.row_length(i) > longest && !is_sorted(i)) longest = a.row_length(i);
  }
  if (longest == 0) return;

  struct Entry {
    Index column;
    double value;
  };
  // Allocated out here, since no exception may leave a parallel region.
  Array<Entry> scratch(static_cast<std::size_t>(longest * omp_get_max_threads()));
#pragma omp parallel if (worth_threads(a.nonzeros()))
  {
    Entry* const row = scratch.data() + longest * omp_get_thread_num();
#pragma omp for schedule(dynamic, 256)
    for (Index i = 0; i < a.rows; ++i) {
      if (is_sorted(i)) continue;
      const Offset begin = a.row_offsets[i], length = a.row_length(i);
      for (Offset p = 0; p < length; ++p) {
        row[p] = {a.column_indices[begin + p], a.values[begin + p]};
      }
      std::sort(row, row + length,
                [](const Entry& x, const Entry& y) { return x.column < y.column; });
      for (Offset p = 0; p < length; ++p) {
        a.column_indices[begin + p] = row[p].column;
        a.values[begin + p] = row[p].value;
      }
    }
  }
}

void require_symmetric(const CsrMatrix& a, const std::string& name, double tolerance) {
  if (a.rows != a.columns) {
    throw InputError(name + ": the matrix is " + shape(a) + ", expected a square, symmetric one");
  }
  const auto [i, j] = first_asymmetry(a, tolerance);
  if (i == none) return;
  throw InputError(name + ": not symmetric: " + place(i, j) + " is " + text(value_at(a, i, j)) +
                   ", but " + place(j, i) + " is " + text(value_at(a, j, i)) +
                   "; input.symmetrize takes (A + Aᵀ)/2 in its place");
}

bool is_symmetric(const CsrMatrix& a, double tolerance) {
  return a.rows == a.columns && first_asymmetry(a, tolerance).first == none;
}

bool is_exactly_symmetric(const CsrMatrix& a) {
  require_full(a, "comparing a matrix with its transpose");
  return a.rows == a.columns && has_mirrors(a, [](double value, double mirror) {
           return std::memcmp(&value, &mirror, sizeof value) == 0;
         });
}

std::vector<double> diagonal(const CsrMatrix& a, Index first) {
  std::vector<double> result(static_cast<std::size_t>(a.rows), 0.0);
#pragma omp parallel for if (worth_threads(30.0 * a.rows)) schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    if (const Offset p = find(a, i, first + i); p >= 0) result[i] = a.values[p];
  }
  return result;
}

CsrMatrix selected_rows(const CsrMatrix& a, std::span<const Index> wanted) {
  CsrMatrix some{static_cast<Index>(wanted.size()), a.columns, {0}, {}, {}};
  for (const Index row : wanted) {
    some.row_offsets.push_back(some.row_offsets.back() + a.row_length(row));
  }
  some.column_indices.resize(some.nonzeros());
  some.values.resize(some.nonzeros());
#pragma omp parallel for if (worth_threads(some.nonzeros())) schedule(dynamic, 64)
  for (Index i = 0; i < some.rows; ++i) {
    const Offset from = a.row_offsets[wanted[i]], to = some.row_offsets[i];
    std::copy_n(a.column_indices.data() + from, some.row_length(i),
                some.column_indices.data() + to);
    std::copy_n(a.values.data() + from, some.row_length(i), some.values.data() + to);
  }
  return some;
}

HostMatrix dense_part(const CsrMatrix& a, std::span<const Index> rows,
                      std::span<const Index> columns) {
  struct Wanted {
    Index column;
    Index position;
  };
  std::vector<Wanted> wanted;
  for (const Index column : columns) wanted.push_back({column, static_cast<Index>(wanted.size())});
  std::ranges::sort(wanted, {}, &Wanted::column);

  const auto n = static_cast<Index>(rows.size());
  HostMatrix result = HostMatrix::Zero(n, static_cast<Eigen::Index>(columns.size()));
#pragma omp parallel for if (worth_threads(Offset{n} * n)) schedule(dynamic, 16)
  for (Index i = 0; i < n; ++i) {
    // Both lists ascend, so each search starts where the one before ended.
    auto from = a.column_indices.begin() + a.row_offsets[rows[i]];
    const auto end = a.column_indices.begin() + a.row_offsets[rows[i] + 1];
    for (const Wanted& w : wanted) {
      from = std::lower_bound(from, end, w.column);
      if (from == end) break;
      if (*from == w.column) result(i, w.position) = a.values[from - a.column_indices.begin()];
    }
  }
  return result;
}

HostMatrix principal_submatrix(const CsrMatrix& a, std::span<const Index> rows) {
  HostMatrix result = dense_part(a, rows, rows);
  if (a.storage == Storage::upper) {
    HostMatrix mirrored = result.transpose();
    mirrored.diagonal().setZero();
    result += mirrored;
  }
  return result;
}

HostMatrix diagonal_blocks(const CsrMatrix& a, Index size) {
  HostMatrix result = HostMatrix::Zero(a.rows, size);
#pragma omp parallel for if (worth_threads(50.0 * a.rows)) schedule(static)
  for (Index i = 0; i < a.rows; ++i) {
    const Index first = i - i % size;
    const auto columns = a.column_indices.begin();
    const auto end = columns + a.row_offsets[i + 1];
    auto from = std::lower_bound(columns + a.row_offsets[i], end, first);
    for (; from != end && *from - first < size; ++from) {
      const double value = a.values[from - columns];
      result(i, *from - first) = value;
      if (a.storage == Storage::upper) result(*from, i - first) = value;
    }
  }
  return result;
}

}  // namespace cisolve
