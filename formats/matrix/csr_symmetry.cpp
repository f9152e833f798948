#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "formats/matrix/csr_checks.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/csr_places.hpp"

namespace cisolve {
namespace {

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
/// matrix; `csr::none` twice where all agree. Most matrices are their transposes bit for bit, most
/// of the others nearly so entry by entry; rows are measured of what is left.
std::pair<Index, Index> first_asymmetry(const CsrMatrix& a, double tolerance) {
  const auto equal = [tolerance](double v, double mirror) { return agree(v, mirror, tolerance); };
  if (a.storage == Storage::upper || mirrors_cancel(a)) return {csr::none, csr::none};
  if (has_mirrors(a, equal)) return {csr::none, csr::none};
  const std::vector<double> largest = largest_of_rows(a);
  const auto differing_column = [&](Index i) {
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const Index j = a.column_indices[p];
      const double of_rows = std::max(largest[i], largest[j]);
      if (j != i && !agree(a.values[p], csr::value_at(a, j, i), of_rows, tolerance)) return j;
    }
    return csr::none;
  };
  const Index i = csr::first_row(a.rows, [&](Index r) { return differing_column(r) != csr::none; });
  return {i, i == csr::none ? csr::none : differing_column(i)};
}

}  // namespace

void require_symmetric(const CsrMatrix& a, const std::string& name, double tolerance) {
  if (a.rows != a.columns) {
    throw InputError(name + ": the matrix is " + csr::shape(a) +
                     ", expected a square, symmetric one");
  }
  const auto [i, j] = first_asymmetry(a, tolerance);
  if (i == csr::none) return;
  throw InputError(name + ": not symmetric: " + csr::place(i, j) + " is " +
                   csr::text(csr::value_at(a, i, j)) + ", but " + csr::place(j, i) + " is " +
                   csr::text(csr::value_at(a, j, i)) +
                   "; input.symmetrize takes (A + Aᵀ)/2 in its place");
}

bool is_symmetric(const CsrMatrix& a, double tolerance) {
  return a.rows == a.columns && first_asymmetry(a, tolerance).first == csr::none;
}

bool is_exactly_symmetric(const CsrMatrix& a) {
  require_full(a, "comparing a matrix with its transpose");
  return a.rows == a.columns && has_mirrors(a, [](double value, double mirror) {
           return std::memcmp(&value, &mirror, sizeof value) == 0;
         });
}

}  // namespace cisolve
