#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "formats/matrix/csr_checks.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/csr_places.hpp"
#include "formats/matrix/elements.hpp"

namespace cisolve {
namespace {

template <int D>
bool agree(const double* element, const double* mirror, double relative_to, double tolerance) {
  return distance_to_conjugate<D>(element, mirror) <= tolerance * relative_to;
}

template <int D>
bool agree(const double* element, const double* mirror, double tolerance) {
  return agree<D>(element, mirror, std::min(magnitude<D>(element), magnitude<D>(mirror)),
                  tolerance);
}

template <int D>
const double* element(const CsrMatrix& a, Offset p) {
  return a.values.data() + p * D;
}

/// The largest magnitude in every row. A diagonal element counts a hundredth: it is its own mirror,
/// and beside it only rounding of others is lost.
template <int D>
std::vector<double> largest_of_rows(const CsrMatrix& a) {
  std::vector<double> largest(static_cast<std::size_t>(a.rows), 0.0);
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const double weight = a.column_indices[p] == i ? 0.01 : 1.0;
      largest[i] = std::max(largest[i], weight * magnitude<D>(element<D>(a, p)));
    }
  }
  return largest;
}

/// True if every entry off the diagonal of a square matrix has its mirror stored, and
/// equal(element, mirror) holds of them. O(nonzeros), and a search in every row for each share: the
/// mirrors of a column's entries below the diagonal, from above, lie one behind another in the row
/// of that number.
template <int D, class Equal>
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
        so_far = q < a.row_offsets[j + 1] && a.column_indices[q] == i &&
                 equal(element<D>(a, p), element<D>(a, q));
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

/// True if equal(element, element) holds along the diagonal of a matrix that is not real.
template <int D, class Equal>
bool has_real_diagonal(const CsrMatrix& a, const Equal& equal) {
  if constexpr (D == 1) return true;
  return csr::first_row(a.rows, [&](Index i) {
           const double* const own = csr::element_at(a, i, i);
           return !equal(own, own);
         }) == csr::none;
}

/// Row and column of the first stored entry, row-wise, that differs from its mirror in a square
/// matrix; `csr::none` twice where all agree. Most matrices are their transposes bit for bit, most
/// of the others nearly so entry by entry; rows are measured of what is left.
template <int D>
std::pair<Index, Index> first_asymmetry(const CsrMatrix& a, double tolerance) {
  const auto equal = [tolerance](const double* own, const double* mirror) {
    return agree<D>(own, mirror, tolerance);
  };
  const bool upper = a.storage == Storage::upper;
  const auto mirrored = [&] { return a.mirrored || (D == 1 && check_entries(a).mirrored); };
  if ((upper || mirrored() || has_mirrors<D>(a, equal)) && has_real_diagonal<D>(a, equal)) {
    return {csr::none, csr::none};
  }
  const std::vector<double> largest = largest_of_rows<D>(a);
  const auto differing_column = [&](Index i) {
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const Index j = a.column_indices[p];
      if (j == i ? D == 1 : upper) continue;
      const double of_rows = std::max(largest[i], largest[j]);
      if (!agree<D>(element<D>(a, p), csr::element_at(a, j, i), of_rows, tolerance)) return j;
    }
    return csr::none;
  };
  const Index i = csr::first_row(a.rows, [&](Index r) { return differing_column(r) != csr::none; });
  return {i, i == csr::none ? csr::none : differing_column(i)};
}

std::pair<Index, Index> first_asymmetry(const CsrMatrix& a, double tolerance) {
  return with_components(a.components,
                         [&](auto d) { return first_asymmetry<d.value>(a, tolerance); });
}

}  // namespace

void require_symmetric(const CsrMatrix& a, const std::string& name, double tolerance) {
  const bool real = a.components == 1;
  const std::string symmetric = real ? "symmetric" : "Hermitian";
  if (a.rows != a.columns) {
    throw InputError(name + ": the matrix is " + csr::shape(a) + ", expected a square, " +
                     symmetric + " one");
  }
  const auto [i, j] = first_asymmetry(a, tolerance);
  if (i == csr::none) return;
  const auto is = [&](Index row, Index column) {
    return csr::place(row, column) + " is " +
           csr::text(csr::element_at(a, row, column), a.components);
  };
  std::string fault = name + ": not " + symmetric + ": " + is(i, j);
  fault += i == j ? ", expected a real number on the diagonal" : ", but " + is(j, i);
  if (real) fault += "; input.symmetrize takes (A + Aᵀ)/2 in its place";
  throw InputError(fault);
}

bool is_symmetric(const CsrMatrix& a, double tolerance) {
  return a.rows == a.columns && first_asymmetry(a, tolerance).first == csr::none;
}

bool is_exactly_symmetric(const CsrMatrix& a) {
  require_full(a, "comparing a matrix with its transpose");
  if (a.rows != a.columns) return false;
  return with_components(a.components, [&](auto d) {
    const auto equal = [](const double* own, const double* mirror) {
      bool same = std::memcmp(own, mirror, sizeof *own) == 0;
      for (int c = 1; c < decltype(d)::value; ++c) same = same && own[c] == -mirror[c];
      return same;
    };
    return has_mirrors<d.value>(a, equal) && has_real_diagonal<d.value>(a, equal);
  });
}

}  // namespace cisolve
