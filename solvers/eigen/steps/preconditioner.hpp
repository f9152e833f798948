#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/steps/inner_solve.hpp"

namespace cisolve {

/// M ≈ A − θ in one sector (Leininger et al., J. Comput. Chem. 2001, 22, 1574): A itself over the
/// rows P, its diagonal D elsewhere,
///   T := −M⁻¹R:   t_P = U (θ − E)⁻¹ Uᵀ r_P,  A_PP = U E Uᵀ;   t_i = r_i / (θ − D_i) for i not in
///   P,
/// all denominators held away from zero, or −|M|⁻¹R, by −|θ − E| and −|θ − D|. θ differs from
/// column to column.
///
/// Vectors over K are real ones here, P has all rows of an element's components, and A_PP is in its
/// real form: M multiplies from the left.
///
/// If the rows of T are distributed over ranks, so are those of U, by each rank's part of P.
class Preconditioner {
 public:
  /// `rows`: P, or what this rank owns of it, numbered from the sector's first row here; `matrix`:
  /// A_PP, whole; `own`: the numbers in P of `rows`, ascending; `diagonal`: of the sector's rows
  /// here, kept by reference; `columns`: the most a block T has.
  Preconditioner(Backend& backend, std::span<const Index> rows, const HostMatrix& matrix,
                 std::span<const Index> own, ConstView diagonal, int columns);

  /// T := −M⁻¹T, or −|M|⁻¹T, in place.
  void apply(std::span<const double> theta, Denominator kind, double smallest_denominator, View t);

  /// T := −M⁻¹T with A over more rows than P, where an InnerSolve is there; else as `apply`.
  void correct(std::span<const double> theta, Denominator kind, double smallest_denominator,
               View t);
  void take(std::unique_ptr<InnerSolve> inner) { inner_ = std::move(inner); }
  std::int64_t inner_applications() const { return inner_ ? inner_->applications() : 0; }

  /// T := F⁻¹R, where T may be R, F = −U diag(`levels`) Uᵀ over P and −`diagonal` elsewhere:
  /// another function of A's model. n × 1 and np × 1, below zero, in the backend's memory.
  void divide(ConstView diagonal, ConstView levels, ConstView r, View t);

  /// The eigenvalues of A_PP over K, ascending.
  const HostVector& levels() const { return levels_; }
  /// Y := eigenvectors first … first + k − 1 of A_PP, zero outside P.
  void eigenvectors(int first, View y);

 private:
  void apply(std::span<const double> theta, Denominator kind, double smallest_denominator,
             ConstView diagonal, ConstView levels, ConstView r, View t);

  Backend& backend_;
  ConstView diagonal_;
  HostVector levels_;          ///< E
  MultiVector device_levels_;  ///< np × 1
  MultiVector vectors_;        ///< U, of this rank's rows
  Buffer<Index> rows_;
  std::vector<double> zeros_;
  std::unique_ptr<InnerSolve> inner_;
  MultiVector block_;         ///< r_P, then t_P
  MultiVector coefficients_;  ///< Uᵀr_P, then (θ − E)⁻¹ of it
};

}  // namespace cisolve
