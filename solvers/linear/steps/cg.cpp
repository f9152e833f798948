// Conjugate gradients with Jacobi's preconditioner (Y. Saad, Iterative Methods for Sparse Linear
// Systems, 2nd ed., algorithm 9.1). Negative definite S and D give the iterates of −S and −D.
// The z_j are orthogonal in the inner product of D, and p_k = ρ_k Σ_j z_j / ρ_j, so that
//   p_kᵀDp_k = ρ_k² Σ_{j ≤ k} 1 / ρ_j.
// If p_kᵀSp_k is only rounding beside that, p_k is a null vector, and no step is made along it.
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/linear/methods.hpp"
#include "solvers/linear/steps/linear_step.hpp"

namespace cisolve {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

class ConjugateGradients final : public LinearStep {
 public:
  ConjugateGradients(LinearSystem& system, int columns)
      : system_(system),
        p_(system.backend(), system.rows(), columns),
        sp_(system.backend(), system.rows(), columns) {}

  void begin(ConstView r) override {
    // p = D⁻¹r,  ρ = rᵀp
    system_.divide(r, p_.view());
    rho_ = system_.dots(r, p_.view());
    inverse_rhos_.assign(rho_.size(), 0.0);
    exhausted_.assign(rho_.size(), false);
  }

  bool exhausted(int column) const override { return exhausted_[column]; }

  // Traffic: 13 numbers, a product, three waits.
  std::optional<SolveStatus> advance(ConstView, View x, View r) override {
    // α = ρ / pᵀSp
    system_.apply(p_.view(), sp_.view());
    const ColumnScalars curvature = system_.dots(p_.view(), sp_.view());
    ColumnScalars alpha = ratio(rho_, curvature);
    for (std::size_t j = 0; j < alpha.size(); ++j) {
      inverse_rhos_[j] += 1.0 / std::abs(rho_[j]);
      const double of_d = std::abs(rho_[j]) * (std::abs(rho_[j]) * inverse_rhos_[j]);
      system_.see_eigenvalue(std::abs(curvature[j]) / of_d);
      const double nothing = epsilon * system_.magnitude() * of_d;
      exhausted_[j] = exhausted_[j] || std::abs(curvature[j]) <= nothing;
      if (exhausted_[j]) {
        alpha[j] = 0.0;
      } else if (curvature[j] * system_.sign() < 0.0) {
        return SolveStatus::indefinite;
      }
    }
    // r := r − αSp,  ρ' = rᵀD⁻¹r
    ColumnScalars minus_alpha = alpha;
    for (double& factor : minus_alpha) factor = -factor;
    const ColumnScalars rho = system_.step_residual(minus_alpha, sp_.view(), r);
    // x := x + αp,  p := D⁻¹r + (ρ' / ρ) p
    system_.step_along(alpha, ratio(rho, rho_), r, p_.view(), x);
    rho_ = rho;
    return std::nullopt;
  }

 private:
  LinearSystem& system_;
  MultiVector p_, sp_;
  ColumnScalars rho_, inverse_rhos_;
  std::vector<bool> exhausted_;
};

}  // namespace

LinearMethodTraits cg_linear_method() {
  return {.method = LinearMethod::cg,
          .needs_definite = true,
          .recurs = true,
          .vectors = 2,
          .patience = patience_of_krylov,
          .make = make_step<ConjugateGradients>};
}

}  // namespace cisolve
