#pragma once

#include "backends/view.hpp"

// The elementwise kernels of the CUDA backend. All pointers are device memory; every call is
// asynchronous on the default stream. Each element is read and written once: bound by bytes.

namespace cisolve::cuda {

void copy(ConstView x, View y);
void fill(double value, View y);
void axpby(double alpha, ConstView x, double beta, View y);
/// `s`: k numbers.
void scale_columns(const double* s, View y);
/// `values`: count × k, packed.
void set_rows(const Index* rows, const double* values, int count, View y);
void gather_rows(const Index* rows, ConstView x, View y);
void scatter_rows(const Index* rows, ConstView x, View y);
/// `elements`: k numbers, the first element of largest magnitude of each column.
void largest_elements(ConstView x, double* elements);
/// `theta`: k numbers.
void diagonal_correction(ConstView r, const double* theta, ConstView d, double guard, View t);
void jacobi_update(double omega, ConstView r, ConstView d, View x);

/// Partial sums of squares per column: `partial` gets blocks × k numbers, one row a thread block,
/// added in a fixed order. k ≤ 256.
void column_squares(ConstView x, double* partial, int blocks);

}  // namespace cisolve::cuda
