// Minimal residuals, preconditioned with |D| (C. C. Paige, M. A. Saunders, SIAM J. Numer. Anal.
// 1975, 12, 617; H. Elman, D. Silvester, A. Wathen, Finite Elements and Fast Iterative Solvers,
// algorithm 6.1, whose letters these are). The iterate x minimises the norm of |D|^-½ r; r itself
// follows from
//   r := s² r + (cη / γ) v.
// α₀ and c γ give ‖SD⁻¹r‖ over ‖r‖ for the residual before a step (S.-C. T. Choi, C. C. Paige,
// M. A. Saunders, SIAM J. Sci. Comput. 2011, 33, 1810, lemma 3.3). If that is negligible beside S,
// the iterate is a least-squares solution.
#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/linear/methods.hpp"
#include "solvers/linear/steps/linear_step.hpp"

namespace cisolve {
namespace {

// A part of S. The loop then begins anew, and from a residual that is one eigenvector the first
// step solves for an eigenvalue that is small but none of rounding's.
constexpr double no_part = 1e-7;
// Less than this is an eigenvalue that rounding has made.
constexpr double of_rounding = 1e-13;

class MinimalResiduals final : public LinearStep {
 public:
  MinimalResiduals(LinearSystem& system, int columns) : system_(system) {
    for (MultiVector* block : {&v_before_, &v_, &z_, &w_before_, &w_, &sz_}) {
      *block = MultiVector(system.backend(), system.rows(), columns);
    }
  }

  void begin(ConstView r) override {
    Backend& backend = system_.backend();
    backend.copy(r, v_.view());
    for (MultiVector* block : {&v_before_, &w_before_, &w_}) backend.fill(0.0, block->view());
    const std::size_t k = r.columns;
    state_.assign(k, State{});
    largest_.resize(k);
    const ColumnScalars gamma = norms_of_v();
    // γ = η = (rᵀ|D|⁻¹r)^½,  v = r / γ
    for (std::size_t j = 0; j < k; ++j) state_[j].gamma = state_[j].eta = gamma[j];
    normalise(gamma);
  }

  bool exhausted(int column) const override { return state_[column].exhausted; }

  // Traffic: 36 numbers, a product, three waits.
  std::optional<SolveStatus> advance(ConstView, View x, View r) override {
    // v and z are normalised here: v_before and v of unit length in |D|⁻¹.
    // δ = zᵀSz
    system_.apply(z_.view(), sz_.view());
    const ColumnScalars delta = system_.dots(z_.view(), sz_.view());
    const std::size_t k = delta.size();
    ColumnScalars gamma(k);
    for (std::size_t j = 0; j < k; ++j) gamma[j] = state_[j].first ? 0.0 : state_[j].gamma;
    // v_before, v := v, Sz − δv − γ v_before
    system_.add(-1.0, delta, v_.view(), sz_.view());
    system_.add(-1.0, gamma, v_before_.view(), sz_.view());
    std::swap(v_before_, v_);
    std::swap(v_, sz_);
    // w of this step takes z, which norms_of_v overwrites.
    system_.backend().copy(z_.view(), sz_.view());
    // γ' = (vᵀz)^½,  z = |D|⁻¹v
    const ColumnScalars next = norms_of_v();
    rotate(delta, next);
    make_direction();
    // x := x + cη w
    system_.add(1.0, step_, w_.view(), x);
    normalise(next);
    // r := s² r + (cη / γ) v, η and v being the next ones
    system_.backend().scale_columns(kept_, r);
    system_.add(1.0, new_part_, v_.view(), r);
    return std::nullopt;
  }

 private:
  /// State of each column.
  struct State {
    double gamma = 0.0, eta = 0.0;
    double c_before = 1.0, c = 1.0, s_before = 0.0, s = 0.0;
    bool first = true;
    bool exhausted = false;
  };

  /// Z := |D|⁻¹V; sqrt(v_jᵀz_j).
  ColumnScalars norms_of_v() {
    system_.divide_by_magnitude(v_.view(), z_.view());
    ColumnScalars norms = system_.dots(v_.view(), z_.view());
    for (double& norm : norms) norm = norm > 0.0 ? std::sqrt(norm) : std::abs(norm);
    return norms;
  }

  void normalise(const ColumnScalars& norms) {
    const ColumnScalars inverse = ratio(ColumnScalars(norms.size(), 1.0), norms);
    system_.backend().scale_columns(inverse, v_.view());
    system_.backend().scale_columns(inverse, z_.view());
  }

  /// The rotation that makes the new column of T triangular, and what follows from it.
  void rotate(const ColumnScalars& delta, const ColumnScalars& next) {
    const std::size_t k = delta.size();
    for (ColumnScalars* scalars : {&inverse_, &of_w_, &of_w_before_, &step_, &kept_, &new_part_}) {
      scalars->assign(k, 0.0);
    }
    for (std::size_t j = 0; j < k; ++j) {
      State& q = state_[j];
      const double gamma = q.first ? 0.0 : q.gamma;
      const double alpha0 = q.c * delta[j] - q.c_before * q.s * gamma;
      const double alpha1 = std::hypot(alpha0, next[j]);
      const double alpha2 = q.s * delta[j] + q.c_before * q.c * gamma;
      const double alpha3 = q.s_before * gamma;
      largest_[j] = std::max({largest_[j], std::abs(delta[j]), next[j]});
      system_.see_eigenvalue(largest_[j]);
      const double left = std::hypot(alpha0, q.c * next[j]);
      q.exhausted = q.exhausted || left <= no_part * largest_[j];
      // Solved exactly, or singular: the column stays. A first step along an eigenvector is made
      // where its eigenvalue, α₀, is none of rounding's: the loop sees whether x is better.
      if (!(alpha1 > 0.0) ||
          (q.exhausted && (!q.first || std::abs(alpha0) <= of_rounding * largest_[j]))) {
        kept_[j] = 1.0;
        continue;
      }
      q.c_before = std::exchange(q.c, alpha0 / alpha1);
      q.s_before = std::exchange(q.s, next[j] / alpha1);
      inverse_[j] = 1.0 / alpha1;
      of_w_[j] = alpha2;
      of_w_before_[j] = alpha3;
      step_[j] = q.c * q.eta;
      q.eta *= -q.s;
      kept_[j] = q.s * q.s;
      new_part_[j] = q.c * q.eta;
      q.gamma = next[j];
      q.first = false;
    }
  }

  /// w, w_before := (z − α₃ w_before − α₂ w) / α₁, w, z being in sz.
  void make_direction() {
    system_.add(-1.0, of_w_before_, w_before_.view(), sz_.view());
    system_.add(-1.0, of_w_, w_.view(), sz_.view());
    system_.backend().scale_columns(inverse_, sz_.view());
    std::swap(w_before_, w_);
    std::swap(w_, sz_);
  }

  LinearSystem& system_;
  MultiVector v_before_, v_, z_, w_before_, w_, sz_;
  std::vector<State> state_;
  ColumnScalars largest_;  ///< elements of T, of all beginnings
  ColumnScalars inverse_, of_w_, of_w_before_, step_, kept_, new_part_;
};

}  // namespace

LinearMethodTraits minres_linear_method() {
  return {.method = LinearMethod::minres,
          .recurs = true,
          .vectors = 6,
          .patience = patience_of_krylov,
          .make = make_step<MinimalResiduals>};
}

}  // namespace cisolve
