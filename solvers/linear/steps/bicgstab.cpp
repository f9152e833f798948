// Stabilised bi-conjugate gradients, preconditioned from the right, so that r is the residual
// (H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 1992, 13, 631). r̂ is the shadow residual.
#include <cmath>

#include "solvers/linear/methods.hpp"
#include "solvers/linear/steps/linear_step.hpp"

namespace cisolve {
namespace {

// A shadow residual this near to orthogonal to the residual is replaced by it.
constexpr double least_cosine = 1e-12;

class BiCgStab final : public LinearStep {
 public:
  BiCgStab(LinearSystem& system, int columns) : system_(system) {
    for (MultiVector* block : {&shadow_, &p_, &v_, &z_, &t_}) {
      *block = MultiVector(system.backend(), system.rows(), columns);
    }
  }

  void begin(ConstView r) override {
    system_.backend().copy(r, shadow_.view());
    system_.backend().copy(r, p_.view());
    rho_ = system_.dots(r, r);
    shadow_norms_ = system_.norms(r);
  }

  // Traffic: 33 numbers (35 where k > 1), two products, six waits.
  std::optional<SolveStatus> advance(ConstView, View x, View r) override {
    // v = SM⁻¹p,  α = ρ / r̂ᵀv
    system_.divide(p_.view(), z_.view());
    system_.apply(z_.view(), v_.view());
    const ColumnScalars alpha = ratio(rho_, system_.dots(shadow_.view(), v_.view()));
    // x := x + αM⁻¹p,  r := r − αv
    system_.add(1.0, alpha, z_.view(), x);
    system_.add(-1.0, alpha, v_.view(), r);
    // t = SM⁻¹r,  ω = tᵀr / tᵀt
    system_.divide(r, z_.view());
    system_.apply(z_.view(), t_.view());
    const ColumnScalars omega =
        ratio(system_.dots(t_.view(), r), system_.dots(t_.view(), t_.view()));
    // x := x + ωM⁻¹r,  r := r − ωt
    system_.add(1.0, omega, z_.view(), x);
    system_.add(-1.0, omega, t_.view(), r);
    next_direction(alpha, omega, r);
    return std::nullopt;
  }

 private:
  /// p := r + β (p − ωv),  β = (ρ' / ρ)(α / ω),  ρ' = r̂ᵀr; p := r̂ := r in a column that begins
  /// anew.
  void next_direction(const ColumnScalars& alpha, const ColumnScalars& omega, ConstView r) {
    ColumnScalars rho = system_.dots(shadow_.view(), r);
    const ColumnScalars norms = system_.norms(r);
    ColumnScalars beta = ratio(rho, rho_);
    const ColumnScalars quotient = ratio(alpha, omega);
    for (std::size_t j = 0; j < rho.size(); ++j) {
      beta[j] *= quotient[j];
      if (std::abs(rho[j]) > least_cosine * norms[j] * shadow_norms_[j]) continue;
      const int column = static_cast<int>(j);
      system_.backend().copy(r.slice(column, 1), shadow_.slice(column, 1));
      shadow_norms_[j] = norms[j];
      rho[j] = norms[j] * norms[j];
      beta[j] = 0.0;
    }
    system_.add(-1.0, omega, v_.view(), p_.view());
    system_.scale_and_add(r, beta, p_.view());
    rho_ = rho;
  }

  LinearSystem& system_;
  MultiVector shadow_, p_, v_, z_, t_;
  ColumnScalars rho_, shadow_norms_;
};

}  // namespace

LinearMethodTraits bicgstab_linear_method() {
  return {.method = LinearMethod::bicgstab,
          .any_matrix = true,
          .recurs = true,
          .products = 2,
          .vectors = 5,
          .patience = patience_of_krylov,
          .make = make_step<BiCgStab>};
}

}  // namespace cisolve
