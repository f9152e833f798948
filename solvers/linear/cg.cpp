// Conjugate gradients with Jacobi's preconditioner (Y. Saad, Iterative Methods for Sparse Linear
// Systems, 2nd ed., algorithm 9.1). Where S and D are negative definite it goes as for −S and −D.
#include "solvers/linear/linear_step.hpp"

namespace cisolve {
namespace {

class ConjugateGradients final : public LinearStep {
 public:
  ConjugateGradients(LinearSystem& system, int columns)
      : system_(system),
        p_(system.backend(), system.rows(), columns),
        z_(system.backend(), system.rows(), columns),
        sp_(system.backend(), system.rows(), columns) {}

  void begin(ConstView r) override {
    system_.divide(r, p_.view());
    rho_ = system_.dots(r, p_.view());
  }

  std::optional<SolveStatus> advance(ConstView, View x, View r) override {
    system_.apply(p_.view(), sp_.view());
    const ColumnScalars curvature = system_.dots(p_.view(), sp_.view());
    for (const double c : curvature) {
      if (c * system_.sign() < 0.0) return SolveStatus::indefinite;
    }
    const ColumnScalars alpha = ratio(rho_, curvature);
    system_.add(1.0, alpha, p_.view(), x);
    system_.add(-1.0, alpha, sp_.view(), r);
    system_.divide(r, z_.view());
    const ColumnScalars rho = system_.dots(r, z_.view());
    system_.scale_and_add(z_.view(), ratio(rho, rho_), p_.view());
    rho_ = rho;
    return std::nullopt;
  }

 private:
  LinearSystem& system_;
  MultiVector p_, z_, sp_;
  ColumnScalars rho_;
};

}  // namespace

std::unique_ptr<LinearStep> make_cg(LinearSystem& system, int columns) {
  return std::make_unique<ConjugateGradients>(system, columns);
}

}  // namespace cisolve
