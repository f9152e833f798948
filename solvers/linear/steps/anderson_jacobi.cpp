// Alternating Anderson-Jacobi (P. P. Pratapa, P. Suryanarayana, J. E. Pask, J. Comput. Phys. 2016,
// 306, 43). With f = D⁻¹r, and X and F the last m differences of x and of f, every p-th step is
//   x += ωf − (X + ωF)(FᵀF)⁻¹Fᵀf,
// the others are x += ωf. Each column has its own differences.
#include <Eigen/QR>

#include <cmath>

#include "backends/ranks/agree.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/linear/methods.hpp"
#include "solvers/linear/steps/linear_step.hpp"

namespace cisolve {
namespace {

class AndersonJacobi final : public LinearStep {
 public:
  AndersonJacobi(LinearSystem& system, double omega, int depth, int period, int columns)
      : system_(system),
        omega_(omega),
        depth_(depth),
        period_(period),
        columns_(columns),
        f_(system.backend(), system.rows(), columns),
        change_(system.backend(), system.rows(), columns),
        x_differences_(system.backend(), system.rows(), columns * depth),
        f_differences_(system.backend(), system.rows(), columns * depth) {}

  void begin(ConstView) override { steps_ = 0; }

  // Traffic: 18 numbers, a product, one wait; of an extrapolation 4m + 7 more,
  // and three waits.
  std::optional<SolveStatus> advance(ConstView b, View x, View r) override {
    Backend& backend = system_.backend();
    // f = D⁻¹r
    system_.divide(r, f_.view());
    if (steps_ == 0) {
      backend.fill(0.0, x_differences_.view());
      backend.fill(0.0, f_differences_.view());
    } else {
      // The newest column of F := f − f_before; its slot holds −f of the step before.
      backend.axpby(1.0, f_.view(), 1.0, slot(f_differences_, steps_ - 1));
    }
    ++steps_;
    const bool extrapolates = steps_ % period_ == 0 && steps_ > 1;
    if (extrapolates) find_coefficients();
    const View dx = slot(x_differences_, steps_ - 1), df = slot(f_differences_, steps_ - 1);
    move(extrapolates, x, dx);
    backend.axpby(-1.0, f_.view(), 0.0, df);
    // r := b − Sx
    system_.residual(b, x, r);
    return std::nullopt;
  }

 private:
  View slot(MultiVector& differences, int step) const {
    return differences.slice(step % depth_ * columns_, columns_);
  }

  /// Γ, of each column the least-squares solution of Fγ = f, as a block for `combine`.
  void find_coefficients() {
    Backend& backend = system_.backend();
    backend.gram(f_differences_.view(), f_differences_.view(), gram_);
    backend.gram(f_differences_.view(), f_.view(), projected_);
    gamma_.setZero(columns_ * depth_, columns_);
    HostMatrix g(depth_, depth_);
    HostVector y(depth_), scale(depth_);
    for (int j = 0; j < columns_; ++j) {
      for (int s = 0; s < depth_; ++s) {
        const double square = gram_(s * columns_ + j, s * columns_ + j);
        scale[s] = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
      }
      for (int s = 0; s < depth_; ++s) {
        y[s] = scale[s] * projected_(s * columns_ + j, j);
        for (int t = 0; t < depth_; ++t) {
          g(s, t) = scale[s] * scale[t] * gram_(s * columns_ + j, t * columns_ + j);
        }
      }
      if (!g.allFinite() || !y.allFinite()) continue;
      const HostVector gamma = g.completeOrthogonalDecomposition().solve(y);
      for (int s = 0; s < depth_; ++s) gamma_(s * columns_ + j, j) = scale[s] * gamma[s];
    }
    agree(backend.communicator(), {gamma_.data(), static_cast<std::size_t>(gamma_.size())});
  }

  /// x += ωf − (X + ωF)Γ, the change going to the newest difference, in the place of the oldest.
  void move(bool extrapolates, View x, View dx) {
    Backend& backend = system_.backend();
    if (!extrapolates) {
      backend.axpby(omega_, f_.view(), 0.0, dx);
      backend.axpby(1.0, dx, 1.0, x);
      return;
    }
    const View change = change_.view();
    backend.axpby(omega_, f_.view(), 0.0, change);
    backend.combine(-1.0, x_differences_.view(), gamma_, 1.0, change);
    backend.combine(-omega_, f_differences_.view(), gamma_, 1.0, change);
    backend.copy(change, dx);
    backend.axpby(1.0, change, 1.0, x);
  }

  LinearSystem& system_;
  double omega_;
  int depth_, period_, columns_;
  MultiVector f_, change_, x_differences_, f_differences_;
  HostMatrix gram_, projected_, gamma_;
  int steps_ = 0;
};

std::unique_ptr<LinearStep> make_anderson_jacobi(LinearSystem& system, const LinearOptions& options,
                                                 const std::optional<Interval>& interval,
                                                 int columns) {
  return std::make_unique<AndersonJacobi>(system, relaxation_weight(options, interval),
                                          options.anderson_depth, options.anderson_period, columns);
}

}  // namespace

LinearMethodTraits anderson_jacobi_linear_method() {
  return {.method = LinearMethod::anderson_jacobi,
          .needs_definite = true,
          .weights = Weights::of_interval,
          .vectors = 2,
          .vectors_a_depth = 2,
          .patience = patience_of_relaxation,
          .make = make_anderson_jacobi};
}

}  // namespace cisolve
