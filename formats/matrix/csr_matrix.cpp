#include "formats/matrix/csr_matrix.hpp"

#include <algorithm>
#include <array>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "formats/matrix/csr_places.hpp"
#include "formats/matrix/elements.hpp"

namespace cisolve {

std::size_t CsrMatrix::bytes(Index rows, Offset nonzeros, int components) {
  const std::size_t element = sizeof(Index) + static_cast<std::size_t>(components) * sizeof(double);
  return (static_cast<std::size_t>(rows) + 1) * sizeof(Offset) +
         static_cast<std::size_t>(nonzeros) * element;
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

void require_real(const CsrMatrix& a, const std::string& user) {
  if (a.components == 1) return;
  throw InputError(user + ": the elements are " + (a.components == 2 ? "complex" : "quaternions") +
                   ", expected real ones");
}

CsrMatrix upper_triangle(const CsrMatrix& a, const std::string& name) {
  require_symmetric(a, name);
  if (a.storage == Storage::upper) return a;
  // First entry of row i from the diagonal on.
  const auto begin = [&](Index i) {
    const auto columns = a.column_indices.begin();
    return std::lower_bound(columns + a.row_offsets[i], columns + a.row_offsets[i + 1], i) -
           columns;
  };
  const int d = a.components;
  CsrMatrix upper{a.rows,         a.columns, Array<Offset>(a.row_offsets.size()), {}, {},
                  Storage::upper, d};
  upper.row_offsets[0] = 0;
  for (Index i = 0; i < a.rows; ++i) {
    upper.row_offsets[i + 1] = upper.row_offsets[i] + a.row_offsets[i + 1] - begin(i);
  }
  upper.column_indices = Array<Index>(static_cast<std::size_t>(upper.nonzeros()));
  upper.values = Array<double>(static_cast<std::size_t>(upper.nonzeros()) * d);
#pragma omp parallel for if (worth_threads(upper.nonzeros())) schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    const Offset from = begin(i), to = upper.row_offsets[i];
    std::copy_n(a.column_indices.data() + from, upper.row_length(i),
                upper.column_indices.data() + to);
    std::copy_n(a.values.data() + from * d, upper.row_length(i) * d, upper.values.data() + to * d);
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
  result.longest_row = csr::first_row(a.rows, [&](Index i) { return a.row_length(i) == maximum; });
  return result;
}

std::vector<double> diagonal(const CsrMatrix& a, Index first) {
  // Elements lie far apart: those of a few rows are on their way from memory at once.
  constexpr Index at_once = 64;
  std::vector<double> result(static_cast<std::size_t>(a.rows), 0.0);
#pragma omp parallel for if (worth_threads(30.0 * a.rows)) schedule(dynamic, 16)
  for (Index piece = 0; piece <= (a.rows - 1) / at_once; ++piece) {
    const Index begin = piece * at_once, count = std::min(at_once, a.rows - begin);
    std::array<Offset, at_once> places;
    for (Index i = 0; i < count; ++i) {
      places[i] = csr::find(a, begin + i, first + begin + i);
      if (places[i] >= 0) __builtin_prefetch(a.values.data() + places[i] * a.components);
    }
    for (Index i = 0; i < count; ++i) {
      if (places[i] >= 0) result[begin + i] = a.values[places[i] * a.components];
    }
  }
  return result;
}

CsrMatrix selected_rows(const CsrMatrix& a, std::span<const Index> wanted) {
  const int d = a.components;
  CsrMatrix some{static_cast<Index>(wanted.size()), a.columns, {0}, {}, {}, Storage::full, d};
  for (const Index row : wanted) {
    some.row_offsets.push_back(some.row_offsets.back() + a.row_length(row));
  }
  some.column_indices.resize(some.nonzeros());
  some.values.resize(some.nonzeros() * d);
#pragma omp parallel for if (worth_threads(some.nonzeros())) schedule(dynamic, 64)
  for (Index i = 0; i < some.rows; ++i) {
    const Offset from = a.row_offsets[wanted[i]], to = some.row_offsets[i];
    std::copy_n(a.column_indices.data() + from, some.row_length(i),
                some.column_indices.data() + to);
    std::copy_n(a.values.data() + from * d, some.row_length(i) * d, some.values.data() + to * d);
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
  const int d = a.components;
  HostMatrix result =
      HostMatrix::Zero(Offset{n} * d, static_cast<Eigen::Index>(columns.size()) * d);
  const auto put = [&](Index i, Index j, const double* element) {
    for (int r = 0; r < d; ++r) {
      for (int c = 0; c < d; ++c) {
        result(Offset{i} * d + r, Offset{j} * d + c) = left_factor(element, r, c);
      }
    }
  };
#pragma omp parallel for if (worth_threads(Offset{n} * n)) schedule(dynamic, 16)
  for (Index i = 0; i < n; ++i) {
    // Both lists ascend, so each search starts where the one before ended.
    auto from = a.column_indices.begin() + a.row_offsets[rows[i]];
    const auto end = a.column_indices.begin() + a.row_offsets[rows[i] + 1];
    for (const Wanted& w : wanted) {
      from = std::lower_bound(from, end, w.column);
      if (from == end) break;
      if (*from != w.column) continue;
      put(i, w.position, a.values.data() + (from - a.column_indices.begin()) * d);
    }
  }
  return result;
}

HostMatrix principal_submatrix(const CsrMatrix& a, std::span<const Index> rows) {
  HostMatrix result = dense_part(a, rows, rows);
  // The transpose of an element's real form is that of its conjugate.
  if (a.storage == Storage::upper) {
    HostMatrix mirrored = result.transpose();
    mirrored.diagonal().setZero();
    result += mirrored;
  }
  return result;
}

HostMatrix diagonal_blocks(const CsrMatrix& a, Index size) {
  require_real(a, "blocks along the diagonal");
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
