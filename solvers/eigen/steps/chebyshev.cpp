#include "solvers/eigen/steps/chebyshev.hpp"

#include <algorithm>
#include <cmath>

#include "core/dense/dense.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

double step_traffic(double n, int k) {
  return n * 6.0 * k;
}

}  // namespace

bool Chebyshev::worth(const Roots& roots) {
  if (on_) return still_worth(roots);
  if (refused_ || !outlook_.known() || !outlook_.has_seen_enough()) return false;
  const double step = outlook_.product(work_.block) + step_traffic(outlook_.vector(), work_.block);
  const auto better = [&] {
    if (!outlook_.has_interval(roots, outlook_.value(work_.block + 1, roots))) return false;
    const double a = outlook_.value(work_.options.states, roots);
    return outlook_.growth(roots.highest(), a) / step > outlook_.gain() / outlook_.iteration();
  };
  on_ = better() && prepare() && better();
  return on_;
}

bool Chebyshev::still_worth(const Roots& roots) {
  return on_ && outlook_.has_interval(roots, outlook_.value(work_.block + 1, roots));
}

bool Chebyshev::prepare() {
  if (z_.columns() > 0) return true;
  const std::size_t bytes =
      sizeof(double) * static_cast<std::size_t>(work_.rows) * static_cast<std::size_t>(work_.block);
  try {
    // It is in no plan, and a host that overcommits would refuse nothing.
    if (bytes > std::min(work_.backend.free_memory() / 2, work_.options.spare_bytes))
      throw ResourceError("no room for polynomials");
    z_ = MultiVector(work_.backend, work_.rows, work_.block);
  } catch (const ResourceError&) {
    if (!work_.ranks().alone()) throw;  // the others do not know
    refused_ = true;
    return false;
  }
  if (!bound_) bound_ = largest_eigenvalue();
  outlook_.take_bound(*bound_);
  return true;
}

/// An upper bound in practice: a few steps of Lanczos' method, and what the last one leaves (Zhou,
/// Li, Linear Algebra Appl. 2011, 435, 480). Traffic of a step: eleven numbers a row, two waits.
double Chebyshev::largest_eigenvalue() {
  constexpr int steps = 8;
  Backend& backend = work_.backend;
  View before = z_.narrowed(1), v = work_.new_vectors.narrowed(1), w = work_.new_images.narrowed(1);
  const auto scale = [&](double s, View x) { backend.scale_columns({&s, 1}, x); };
  const auto norm = [&](ConstView x) {
    double length = 0.0;
    backend.column_norms(x, {&length, 1});
    return length;
  };
  for (int s = 0; s < work_.sectors(); ++s) {
    backend.fill_random(work_.options.seed, work_.rows_before(s), work_.part(v, s));
  }
  scale(1.0 / norm(v), v);
  backend.fill(0.0, before);
  HostMatrix t = HostMatrix::Zero(steps, steps), alpha;
  double beta = 0.0;
  int m = 0;
  while (m < steps) {
    // w = Av − β v_before − αv,  α = vᵀ(Av − β v_before),  β' = |w|
    work_.a.apply(v, w);
    backend.axpby(-beta, before, 1.0, w);
    backend.gram(v, w, alpha);
    backend.axpby(-alpha(0, 0), v, 1.0, w);
    t(m, m) = alpha(0, 0);
    beta = norm(w);
    if (++m == steps || beta < 1e-12 * std::abs(alpha(0, 0))) break;
    t(m - 1, m) = t(m, m - 1) = beta;
    scale(1.0 / beta, w);
    const View free = before;
    before = v;
    v = w;
    w = free;
  }
  const SymmetricEigen ritz = symmetric_eigen(HostMatrix(t.topLeftCorner(m, m)));
  return work_.ranks().of_first(ritz.values[m - 1] + beta);
}

double Chebyshev::aim(const Roots& roots) const {
  constexpr double cautious = 3.0, most = 6.0;
  constexpr double kept = 2.0;    // of a cautious aim
  constexpr double margin = 0.5;  // a little less is gained than is aimed at
  const double left = std::log(roots.residual_norm() / work_.options.residual_tolerance()) + margin;
  // A stop by energy comes at a residual that is not known before.
  if (work_.options.stop_by == StopBy::energy || !(left > 0.0) || outlook_.last_gain() < kept)
    return cautious;
  return std::max(cautious, left / std::ceil(left / most));
}

void Chebyshev::correct(Roots& roots, View t, const std::function<bool()>& goes_on) {
  constexpr double largest = 300.0;  // of what any is: the numbers stay finite
  constexpr int least = 4, most = 60;
  Backend& backend = work_.backend;
  const double a = outlook_.value(work_.block + 1, roots), b = outlook_.end();
  const double c = 0.5 * (a + b), e = 0.5 * (b - a);
  const double grows = std::max(outlook_.growth(roots.highest(), a), 1e-3);
  double fastest = grows;
  ratio_.resize(work_.sectors());
  argument_.resize(work_.sectors());
  of_t_.resize(work_.sectors());
  for (int s = 0; s < work_.sectors(); ++s) {
    argument_[s].clear();
    for (const int target : roots.task(s).targets) {
      const double theta = work_.search(s).values()[target];
      // A guard may lie within the interval, where C_d has zeros.
      argument_[s].push_back(std::min((theta - c) / e, -1.0));
      fastest = std::max(fastest, outlook_.growth(theta, a));
    }
    argument_[s].resize(t.columns, -1.0);
    ratio_[s] = argument_[s];
  }
  const int degree =
      std::min(std::clamp(static_cast<int>(std::ceil(aim(roots) / grows)), least, most),
               std::max(1, static_cast<int>(largest / fastest)));
  View z = z_.narrowed(t.columns), before = work_.new_images.narrowed(t.columns);
  // z_1 = r/e
  backend.axpby(1.0 / e, t, 0.0, z);
  of_z_.assign(t.columns, -2.0 * c / e);
  for (auto& sector : of_t_) sector.assign(t.columns, 2.0 / e);
  // Traffic of a step: five numbers a row and column beside the product, and no wait.
  for (int k = 1; k < degree && goes_on(); ++k) {
    // z_{k+1} = 2/e A z_k − z_{k−1} − 2c/e z_k + 2/e C_k r
    work_.a.apply(2.0 / e, z, k == 1 ? 0.0 : -1.0, before);  // z_0 = 0
    for (int s = 0; s < work_.sectors(); ++s) {
      for (int j = 0; j < t.columns; ++j) {
        of_t_[s][j] *= ratio_[s][j];
        ratio_[s][j] = 2.0 * argument_[s][j] - 1.0 / ratio_[s][j];
      }
      backend.add_columns(of_z_, work_.part(z, s), of_t_[s], work_.part(t, s),
                          work_.part(before, s));
    }
    std::swap(z, before);
  }
  backend.copy(z, t);
}

}  // namespace cisolve
