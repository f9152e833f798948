#pragma once

#include <optional>
#include <vector>

#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// log Σ_{j=0}^m p_j(κ)² at one κ as T grows; LanczosBound says of what.
class PolynomialSum {
 public:
  explicit PolynomialSum(double kappa) : kappa_(kappa) {}
  /// T grows by α_m and β_m; `before`: β_{m−1}.
  void append(double alpha, double before, double beta);
  /// None where T has an eigenvalue at or below κ; infinite once the Krylov space is whole.
  std::optional<double> log() const;

 private:
  double kappa_;
  double pivot_ = 1.0;       ///< of T − κ = LDLᵀ
  double log_square_ = 0.0;  ///< log p_m²
  double sum_ = 1.0;         ///< Σ_{j≤m} p_j² / p_m²
};

/// The tridiagonal matrix T of m Lanczos steps, and what it says of eigenvalues that no step has
/// shown.
///
/// Let p_0, …, p_m be the orthonormal polynomials of T: the Lanczos vectors are v_{j+1} = p_j(K)
/// v_1, each of length one. An eigenvector x of K with eigenvalue κ has (xᵀv_{j+1})² = p_j(κ)²
/// (xᵀv_1)², hence
///   (xᵀv_1)² Σ_{j=0}^m p_j(κ)² ≤ 1.
/// Below all Ritz values the sum grows with every step and with the distance. A vector drawn
/// uniformly from the unit sphere in N dimensions has (xᵀv_1)² < δ with a probability of at most
/// √(2Nδ/π). So an eigenvalue at or below κ has shown itself, with that probability of error at
/// most, where the sum reaches 1/δ (of complex and quaternion vectors with Nδ/2 and (Nδ)²/8 in the
/// place of that: docs/adr/0036-a-bound-over-k.md; van Dorsselaer, Hochstenbach, van der Vorst,
/// SIAM J. Matrix Anal. Appl. 2000, 22, 837; before any step is taken: Kuczyński, Woźniakowski,
/// ibid. 1992, 13, 1094).
class LanczosBound {
 public:
  /// T grows by α_m and by β_m, which couples v_m to v_{m+1}; zero where the Krylov space is whole.
  void append(double alpha, double beta);
  int steps() const { return static_cast<int>(alpha_.size()); }

  /// log Σ_{j=0}^m p_j(κ)²; none where T has an eigenvalue at or below κ.
  std::optional<double> log_sum(double kappa) const;
  /// log Σ at κ = 0, which is at hand.
  std::optional<double> log_sum() const { return at_zero_.log(); }
  /// The smallest κ ≥ 0 for which eigenvalues at or below −κ are excluded, where the sum is asked
  /// to reach exp(needed); infinite where none is. 0 may be T's own doing: no Ritz value is below
  /// 0.
  double excluded_below(double needed) const;
  /// Steps in all for log Σ p_j(0)² to reach `needed`, if it goes on growing as in the second half
  /// of the steps so far; infinite where it does not grow.
  double steps_needed(double needed) const;
  /// The lowest Ritz pair, its vector in the Lanczos vectors, and its residual norm.
  struct Lowest {
    double value = 0.0, residual = 0.0;
    HostVector vector;
  };
  Lowest lowest() const;

  /// Value that log Σ has to reach in a space of N real dimensions for an error of at most
  /// `probability`; with b independent start vectors, the value for each. `components`: the real
  /// dimensions d that an eigenvector spans; over K also its multiples by K's units.
  static double needed(double dimensions, double probability, int starts = 1, int components = 1);

 private:
  std::vector<double> alpha_, beta_;
  PolynomialSum at_zero_{0.0};
  std::vector<double> sums_;  ///< log Σ p_j(0)² after each step; 0 where a Ritz value is below 0
  double scale_ = 0.0;        ///< largest element of T
};

}  // namespace cisolve
