#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "backends/ranks/row_partition.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// Dense blocks on the diagonal of a matrix; of one that is distributed over ranks whole on each.
struct DiagonalBlocks {
  HostMatrix matrix;  ///< m × N: the blocks one below another, of N rows each, the last of what
                      ///< is left of m (columns beyond its rows are not looked at)
  std::vector<Index> rows;  ///< the m rows of the matrix that they stand for; empty: all, in order
};

/// Treatment of a zero on the diagonal: no method can divide by it, but one that needs only a
/// preconditioner may divide by one instead.
enum class ZeroDiagonal { refused, counts_as_one };

/// The part M of S = A − σ that a method divides by: its diagonal D, or with blocks B the matrix
/// that has B − σ over their rows and D over the others. Resident on the backend; the blocks are
/// inverted once, on the host. If vectors are distributed over ranks, D is this rank's; blocks are
/// whole and lie over rows that are named, ascending. All ranks call alike.
class Splitting {
 public:
  /// `d`: D, n × 1; σ for messages. Throws InputError naming the first row whose D is zero, where
  /// that is refused, infinite or NaN.
  Splitting(Backend& backend, HostMatrix d, double shift,
            ZeroDiagonal zeros = ZeroDiagonal::refused);
  /// `d` is in units of 2^u, `blocks` are A's. Throws also where a block minus σ is singular in
  /// double precision, naming its first row.
  Splitting(Backend& backend, HostMatrix d, double shift, int unit, const DiagonalBlocks& blocks);

  /// Sign of a symmetric M: +1 if positive definite, −1 if negative definite, else 0.
  int sign() const { return sign_; }
  /// Zeros on the diagonal, of all ranks, that count as one.
  std::int64_t zeros() const { return zeros_; }
  /// X := ωM⁻¹R + βX; β = 0 ignores what X held.
  void update(double omega, ConstView r, double beta, View x);
  /// r_j := r_j + a_j v_j; squares_j := r_jᵀD⁻¹r_j. Without blocks, as the next one.
  void step_residual(std::span<const double> a, ConstView v, View r, std::span<double> squares) {
    backend_.step_residual(a, v, d_.view(), r, squares);
  }
  /// x_j := x_j + a_j p_j; then p_j := D⁻¹r_j + b_j p_j.
  void step_along(std::span<const double> a, std::span<const double> b, ConstView r, View p,
                  View x) {
    backend_.step_along(a, b, r, d_.view(), p, x);
  }
  /// Z := |M|⁻¹R; with blocks only where M is definite.
  void divide_by_magnitude(ConstView r, View z);

 private:
  /// Returns the sign that they have in common.
  int invert(const DiagonalBlocks& blocks, double shift, int unit);

  Backend& backend_;
  int sign_ = 0;
  std::int64_t zeros_ = 0;
  MultiVector d_;          ///< n × 1; where blocks lie, 1; none where they lie everywhere
  MultiVector magnitude_;  ///< |D|, made when it is needed
  MultiVector inverse_;    ///< of the blocks, laid out as they are
  // Data of blocks over some of the rows:
  RowPartition parts_;  ///< of the blocks' rows, by the ranks that own them
  Buffer<Index> rows_;  ///< this rank's, of its own
  MultiVector own_;     ///< over these
  MultiVector r_, z_;   ///< over the rows of all blocks; r_ of several ranks
};

}  // namespace cisolve
