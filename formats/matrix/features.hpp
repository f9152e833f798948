#pragma once

#include <array>
#include <cstddef>

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// The fourteen features of a sparse matrix by which a storage format is chosen (Muhammed, thesis,
/// 2017). They depend on the pattern alone: a nonzero is an entry that is stored, whatever its
/// value. With l_i the nonzeros of row i, all rows counted, empty ones too; lengths are in
/// nonzeros, distances in columns. A quotient by zero is 0: everything but the shape for a matrix
/// without nonzeros.
struct MatrixFeatures {
  Index rows = 0;                  ///< m
  Index columns = 0;               ///< n
  Offset nonzeros = 0;             ///< nnz
  double density = 0.0;            ///< nnz / (m n)
  double row_mean = 0.0;           ///< nnz / m
  double row_deviation = 0.0;      ///< √row_variance
  double row_variance = 0.0;       ///< Σ_i (l_i − mean)² / m, of the population
  Offset row_maximum = 0;          ///< max_i l_i
  double maximum_over_mean = 0.0;  ///< maxavg: max − mean
  double row_distance = 0.0;       ///< distavg: Σ_i (last − first column of row i) / m
  double run_length = 0.0;         ///< clusteravg: nnz / runs of consecutive columns within a row
  Offset diagonals = 0;            ///< ndiag: diagonals (column − row) that hold a nonzero
  double diagonal_fill = 0.0;      ///< diagfill: ndiag · m / nnz, elements of DIA over nonzeros
  double ellpack_fill = 0.0;       ///< fill: m · max / nnz, elements of ELLPACK over nonzeros
};

/// Features of a valid matrix, held whole; refuses an upper triangle (InputError). Parallel: one
/// pass over
/// the columns and one more for the diagonals, for which rows + columns bytes are allocated, or 4
/// for every nonzero where that is less. All sums are of integers, exact: the same bits for any
/// number of threads.
MatrixFeatures features(const CsrMatrix& a);

inline constexpr std::size_t feature_count = 14;
using FeatureVector = std::array<double, feature_count>;

/// In the order of MatrixFeatures, as the thesis names them.
inline constexpr std::array<const char*, feature_count> feature_names{
    "m",   "n",      "nnz",     "density",    "mean",  "sd",       "var",
    "max", "maxavg", "distavg", "clusteravg", "ndiag", "diagfill", "fill"};

/// The features in the order of `feature_names`.
FeatureVector to_vector(const MatrixFeatures& features);

/// log10 of each, none of which is negative. One that is 0 stays 0, as if it were 1: of the
/// logarithm alone, a deviation of 0 cannot be told from one of 1.
FeatureVector logarithms(const FeatureVector& features);

}  // namespace cisolve
