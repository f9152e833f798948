#include "formats/matrix/features.hpp"

#include <algorithm>
#include <cmath>

#include "core/threads/parallel.hpp"
#include "formats/dia/dia.hpp"

namespace cisolve {
namespace {

/// 64 bits do not hold the squares of four full rows.
__extension__ using WideInteger = __int128;

/// Sums over rows.
struct PatternSums {
  WideInteger squares = 0;  ///< of row lengths
  Offset maximum = 0;
  Offset distances = 0;  ///< from the first to the last column
  Offset runs = 0;       ///< of consecutive columns
};

/// Runs of consecutive columns among ascending ones.
Index count_runs(const Index* columns, Index length) {
  Index runs = length > 0;
  for (Index p = 1; p < length; ++p) runs += columns[p] != columns[p - 1] + 1;
  return runs;
}

PatternSums sum_over_rows(const CsrMatrix& a) {
  WideInteger squares = 0;
  Offset maximum = 0, distances = 0, runs = 0;
  const bool shared = worth_threads(a.nonzeros());
#pragma omp parallel for if (shared) schedule(dynamic, 256) \
    reduction(+ : squares, distances, runs) reduction(max : maximum)
  for (Index i = 0; i < a.rows; ++i) {
    const Offset length = a.row_length(i);
    if (length == 0) continue;
    const Index* const columns = a.column_indices.data() + a.row_offsets[i];
    squares += length * length;
    maximum = std::max(maximum, length);
    distances += columns[length - 1] - columns[0];
    runs += count_runs(columns, static_cast<Index>(length));
  }
  return {squares, maximum, distances, runs};
}

}  // namespace

MatrixFeatures features(const CsrMatrix& a) {
  require_full(a, "features");
  MatrixFeatures f;
  f.rows = a.rows;
  f.columns = a.columns;
  f.nonzeros = a.nonzeros();
  if (f.nonzeros == 0) return f;
  const PatternSums sums = sum_over_rows(a);
  const auto m = static_cast<double>(a.rows), nnz = static_cast<double>(f.nonzeros);
  f.density = nnz / (m * a.columns);
  f.row_mean = nnz / m;
  // Σ (l − mean)² = (m Σ l² − nnz²) / m: without cancellation, as the difference is exact.
  const WideInteger total = f.nonzeros;
  f.row_variance = static_cast<double>(a.rows * sums.squares - total * total) / (m * m);
  f.row_deviation = std::sqrt(f.row_variance);
  f.row_maximum = sums.maximum;
  f.maximum_over_mean = static_cast<double>(sums.maximum * a.rows - f.nonzeros) / m;
  f.row_distance = static_cast<double>(sums.distances) / m;
  f.run_length = nnz / static_cast<double>(sums.runs);
  f.diagonals = count_diagonals(a);
  f.diagonal_fill = static_cast<double>(f.diagonals) * m / nnz;
  f.ellpack_fill = static_cast<double>(f.row_maximum) * m / nnz;
  return f;
}

FeatureVector to_vector(const MatrixFeatures& f) {
  return {static_cast<double>(f.rows),
          static_cast<double>(f.columns),
          static_cast<double>(f.nonzeros),
          f.density,
          f.row_mean,
          f.row_deviation,
          f.row_variance,
          static_cast<double>(f.row_maximum),
          f.maximum_over_mean,
          f.row_distance,
          f.run_length,
          static_cast<double>(f.diagonals),
          f.diagonal_fill,
          f.ellpack_fill};
}

FeatureVector logarithms(const FeatureVector& features) {
  FeatureVector result;
  std::ranges::transform(features, result.begin(),
                         [](double value) { return value > 0.0 ? std::log10(value) : 0.0; });
  return result;
}

}  // namespace cisolve
