#pragma once

#include "backends/correction.hpp"
#include "backends/view.hpp"

// The elementwise kernels of the CUDA backend. All pointers are device memory; every call is
// asynchronous on the default stream. Each element is read and written once: bound by bytes.

namespace cisolve::cuda {

/// A number for each of a few columns, passed among a kernel's arguments.
constexpr int most_column_values = 32;
struct ColumnValues {
  double values[most_column_values];
};

void copy(ConstView x, View y);
void fill(double value, View y);
/// y_ij = mixed_uniform(stream + i k + j).
void fill_random(std::uint64_t stream, View y);
/// y_ij = Random(seed, (first + i) k + j).normal().
void fill_normal(std::uint64_t seed, std::int64_t first, View y);
void axpby(double alpha, ConstView x, double beta, View y);
/// W := αX + βY.
void waxpby(double alpha, ConstView x, double beta, ConstView y, View w);
/// y_j := s_j y_j; k ≤ most_column_values.
void scale_columns(const ColumnValues& s, View y);
/// y_j := y_j + a_j v_j + b_j w_j; k ≤ most_column_values.
void add_columns(const ColumnValues& a, ConstView v, const ColumnValues& b, ConstView w, View y);
void gather_rows(const Index* rows, ConstView x, View y);
void scatter_rows(const Index* rows, ConstView x, View y);
/// An element of a column and its row.
struct LargeElement {
  double value;
  std::int64_t row;
};
/// `elements`: k numbers, in device or pinned memory, the first element of largest magnitude of
/// each column. If `largest`, in device memory, is not null, all magnitudes of at least `part` of
/// |largest_j| count as equal. `partial`: room for blocks × k; 1 ≤ k < 65536.
void largest_elements(ConstView x, const double* largest, double part, LargeElement* partial,
                      int blocks, double* elements);
/// `extremes`: two numbers in device or pinned memory, the lowest and the highest of x, which is
/// not empty; `partial`: room for 2 · blocks.
void extremes(ConstView x, double* partial, int blocks, double* extremes);
/// Y := α max(X − shift, least)^p elementwise.
void shifted_power(double alpha, ConstView x, double shift, double least, Power p, View y);
/// k ≤ most_column_values.
void diagonal_correction(ConstView r, const ColumnValues& theta, ConstView d, Denominator kind,
                         double guard, View t);
void jacobi_update(double omega, ConstView r, ConstView d, double beta, View x);

/// R := R + a_j v_j, squares_j := r_jᵀD⁻¹r_j of the result, in device or pinned memory;
/// k ≤ most_column_values; `partial` as below.
void step_residual(const ColumnValues& a, ConstView v, ConstView d, View r, double* partial,
                   int blocks, double* squares);
/// X := X + a_j p_j, then P := D⁻¹R + b_j p_j; k ≤ most_column_values.
void step_along(const ColumnValues& a, const ColumnValues& b, ConstView r, ConstView d, View p,
                View x);
/// squares_j := ‖x_j‖², in device or pinned memory, k ≤ 256; `partial`: room for blocks × k partial
/// sums, one row a thread block, added in a fixed order.
void column_squares(ConstView x, double* partial, int blocks, double* squares);

}  // namespace cisolve::cuda
