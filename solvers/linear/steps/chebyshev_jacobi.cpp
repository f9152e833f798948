// Chebyshev's semi-iteration on D⁻¹S (Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd
// ed., algorithm 12.1). With ε = (λmax − λmin) / (λmax + λmin) the case λmin = λmax needs no
// exception:
//   d := ρ'ρ d + 2 / (θ (2 − ερ)) D⁻¹r,   ρ' = ε / (2 − ερ),   x += d.
// The first d is D⁻¹r / θ, the first ρ is ε.
#include "solvers/linear/methods.hpp"
#include "solvers/linear/steps/linear_step.hpp"

namespace cisolve {
namespace {

class ChebyshevJacobi final : public LinearStep {
 public:
  ChebyshevJacobi(LinearSystem& system, const Interval& interval, int columns)
      : system_(system),
        theta_(0.5 * (interval.highest + interval.lowest)),
        epsilon_((interval.highest - interval.lowest) / (interval.highest + interval.lowest)),
        d_(system.backend(), system.rows(), columns) {}

  void begin(ConstView) override { first_ = true; }

  // Traffic: 14 numbers, a product, one wait.
  std::optional<SolveStatus> advance(ConstView b, View x, View r) override {
    const View d = d_.view();
    double weight = 1.0 / theta_;
    if (first_) {
      system_.backend().fill(0.0, d);
      rho_ = epsilon_;
    } else {
      const double next = epsilon_ / (2.0 - epsilon_ * rho_);
      weight = 2.0 / (theta_ * (2.0 - epsilon_ * rho_));
      system_.backend().scale_columns(ColumnScalars(d.columns, next * rho_), d);
      rho_ = next;
    }
    first_ = false;
    // d := ρ'ρ d + weight D⁻¹r
    system_.relax(weight, r, d);
    // x := x + d
    system_.backend().axpby(1.0, d, 1.0, x);
    // r := b − Sx
    system_.residual(b, x, r);
    return std::nullopt;
  }

 private:
  LinearSystem& system_;
  double theta_, epsilon_;
  double rho_ = 0.0;
  bool first_ = true;
  MultiVector d_;
};

std::unique_ptr<LinearStep> make_chebyshev_jacobi(LinearSystem& system, const LinearOptions&,
                                                  const std::optional<Interval>& interval,
                                                  int columns) {
  return std::make_unique<ChebyshevJacobi>(system, *interval, columns);
}

}  // namespace

LinearMethodTraits chebyshev_jacobi_linear_method() {
  return {.method = LinearMethod::chebyshev_jacobi,
          .needs_definite = true,
          .weights = Weights::several,
          .vectors = 1,
          .patience = patience_of_relaxation,
          .make = make_chebyshev_jacobi};
}

}  // namespace cisolve
