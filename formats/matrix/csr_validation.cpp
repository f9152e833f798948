#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "formats/matrix/csr_checks.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/csr_places.hpp"
#include "formats/matrix/elements.hpp"

namespace cisolve {
namespace {

void require_offsets(const CsrMatrix& a, const std::string& name) {
  const auto fail = [&](const std::string& what) { throw InputError(name + ": " + what); };
  if (a.rows < 1 || a.columns < 1) {
    fail("the matrix is " + csr::shape(a) + ", expected at least one row and column");
  }
  if (a.row_offsets.size() != static_cast<std::size_t>(a.rows) + 1) {
    fail(std::to_string(a.row_offsets.size()) +
         " row offsets, expected rows + 1 = " + std::to_string(Offset{a.rows} + 1));
  }
  if (a.row_offsets[0] != 0) {
    fail("the first row offset is " + std::to_string(a.row_offsets[0]) + ", expected 0");
  }
  const Index i =
      csr::first_row(a.rows, [&](Index r) { return a.row_offsets[r + 1] < a.row_offsets[r]; });
  if (i != csr::none) {
    fail("row offsets descend after row " + std::to_string(Offset{i} + 1) + ": " +
         std::to_string(a.row_offsets[i]) + ", then " + std::to_string(a.row_offsets[i + 1]));
  }
  const int d = a.components;
  if (d != 1 && d != 2 && d != 4) {
    fail("elements of " + std::to_string(d) + " numbers, expected 1, 2 or 4");
  }
  const auto stored = static_cast<std::size_t>(a.nonzeros());
  if (a.column_indices.size() != stored || a.values.size() != stored * d) {
    fail("row offsets end at " + std::to_string(stored) + ", but there are " +
         std::to_string(a.column_indices.size()) + " column indices and " +
         std::to_string(a.values.size()) + " values" +
         (d == 1 ? "" : ", expected " + std::to_string(d) + " an element"));
  }
}

/// The fault of row i, empty when there is none.
std::string row_fault(const CsrMatrix& a, Index i) {
  for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
    const Index column = a.column_indices[p];
    if (column < 0 || column >= a.columns) {
      return csr::place(i, column) + " lies outside the " + csr::shape(a) + " matrix";
    }
    if (a.storage == Storage::upper && column < i) {
      return csr::place(i, column) + " lies below the diagonal of an upper triangle";
    }
    if (p > a.row_offsets[i] && column == a.column_indices[p - 1]) {
      return csr::place(i, column) + " is given twice";
    }
    if (p > a.row_offsets[i] && column < a.column_indices[p - 1]) {
      return csr::place(i, column) + " follows column " +
             std::to_string(Offset{a.column_indices[p - 1]} + 1) + ", expected ascending columns";
    }
    const double* const element = a.values.data() + p * a.components;
    if (!std::all_of(element, element + a.components, [](double v) { return std::isfinite(v); })) {
      return csr::place(i, column) + " is " + csr::text(element, a.components) +
             ", expected a finite number";
    }
  }
  return {};
}

/// Elements of D real numbers; offsets are consistent.
template <int D>
void sort_rows_of(CsrMatrix& a) {
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
    std::array<double, D> element;
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
        row[p].column = a.column_indices[begin + p];
        std::copy_n(a.values.data() + (begin + p) * D, D, row[p].element.data());
      }
      std::sort(row, row + length,
                [](const Entry& x, const Entry& y) { return x.column < y.column; });
      for (Offset p = 0; p < length; ++p) {
        a.column_indices[begin + p] = row[p].column;
        std::copy_n(row[p].element.data(), D, a.values.data() + (begin + p) * D);
      }
    }
  }
}

/// The checks of a matrix that pass. Throws InputError naming what does not.
EntryChecks passed(const CsrMatrix& a, const std::string& name) {
  require_offsets(a, name);
  const EntryChecks checks = check_entries(a);
  if (checks.consistent) return checks;
  const Index i = csr::first_row(a.rows, [&](Index r) { return !row_fault(a, r).empty(); });
  throw InputError(name + ": " + row_fault(a, i));
}

}  // namespace

void validate(const CsrMatrix& a, const std::string& name) {
  passed(a, name);
}

CsrMatrix validated(CsrMatrix a, const std::string& name) {
  a.mirrored = passed(a, name).mirrored;
  return a;
}

void sort_rows(CsrMatrix& a, const std::string& name) {
  require_offsets(a, name);
  with_components(a.components, [&](auto d) { sort_rows_of<d.value>(a); });
}

}  // namespace cisolve
