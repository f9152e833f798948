#pragma once

#include <cstddef>
#include <span>

#include "backends/view.hpp"

// Products of tall blocks of vectors with small matrices, each block read once: bound by bytes. All
// calls are asynchronous on the default stream. Sums are added in a fixed order, without atomics:
// the same bits on every run on one kind of device.

namespace cisolve::cuda {

/// Columns of Y that one kernel of `gram` takes, and of `combination`.
constexpr int widest_gram = 8;
constexpr int widest_combination = 32;

/// to := the sum of `parts` row-major matrices of `count` elements, k a row; the rows of the
/// result, in device or pinned memory, are `stride` apart.
void add_partials(const double* partial, int parts, int count, int k, double* to,
                  std::int64_t stride);

/// Numbers of device memory that `gram` needs where [X₁ X₂] has m columns, on `blocks` thread
/// blocks, and `combination` for its squares.
std::size_t gram_partials(int m, int blocks);
std::size_t square_partials(int blocks);

/// C := [X₁ X₂]ᵀY, (m₁ + m₂) × k, k ≤ widest_gram; `c` and its stride may be device memory or
/// pinned host memory. X₂ may have no columns.
void gram(ConstView x1, ConstView x2, ConstView y, double* partial, int blocks, double* c,
          std::int64_t stride);

/// The columns that coefficients of `combination` are stored with, zeros filling them up: k itself
/// or somewhat more; k ≤ widest_combination.
int combination_width(int k);

/// Coefficients that travel with the kernel's arguments, instead of by a copy of their own.
constexpr int most_parameters = 480;

/// Y := X₁C₁ + X₂C₂ + βY, β = 0 ignoring what Y held; `host`: C₁, then C₂, in rows of
/// combination_width(k) numbers. `device`: the same in device memory where there are more than
/// most_parameters, else null. Y may be the first columns of X₂ when β = 0. `squares`, where not
/// null, gets the squares of the k columns' norms of Y, `partial` being room for partial sums.
void combination(ConstView x1, ConstView x2, std::span<const double> host, const double* device,
                 double beta, View y, int blocks, double* partial, double* squares);

/// Y := XC where X is wide, an array of few rows; C is m × k in device memory, k ≤ widest_gram.
void wide_combination(ConstView x, ConstView c, View y);

/// Y := αBX + βY with B block-diagonal: `blocks`, m × N, as of Backend::multiply_blocks.
void multiply_blocks(double alpha, ConstView blocks, ConstView x, double beta, View y);

}  // namespace cisolve::cuda
