#pragma once

#include <utility>
#include <vector>

#include "solvers/linear/methods.hpp"
#include "solvers/linear/steps/linear_step.hpp"

namespace cisolve {

/// X += ω_k M⁻¹R, the weights one after another, from the first again after the last. Traffic: nine
/// numbers, a product, one wait.
class Relaxation final : public LinearStep {
 public:
  Relaxation(LinearSystem& system, std::vector<double> weights)
      : system_(system), weights_(std::move(weights)) {}

  void begin(ConstView) override { next_ = 0; }

  std::optional<SolveStatus> advance(ConstView b, View x, View r) override {
    // x := x + ωM⁻¹r
    system_.relax(weights_[next_], r, x);
    // r := b − Sx
    system_.residual(b, x, r);
    next_ = (next_ + 1) % weights_.size();
    return std::nullopt;
  }

 private:
  LinearSystem& system_;
  std::vector<double> weights_;
  std::size_t next_ = 0;
};

/// Makes a relaxation with one weight.
inline std::unique_ptr<LinearStep> make_relaxation(LinearSystem& system,
                                                   const LinearOptions& options,
                                                   const std::optional<Interval>& interval, int) {
  return std::make_unique<Relaxation>(system, std::vector{relaxation_weight(options, interval)});
}

}  // namespace cisolve
