#include "solvers/eigen/steps/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/dense.hpp"
#include "core/error.hpp"
#include "core/infinity.hpp"

namespace cisolve {
namespace {

/// Numbers read or written by an iteration of Davidson's method beside its product, with k new
/// vectors to a basis of m (Subspace), and by a step of the polynomial. Beside the numbers an
/// iteration takes about 50 µs on a CPU, for matrices of m rows and many small steps; on a GPU,
/// which moves numbers a hundred times faster, more, of which this makes nothing.
double iteration_traffic(double n, int m, int k) {
  return n * (7.0 * m + 20.0 * k) + 150'000.0;
}
double step_traffic(double n, int k) {
  return n * 6.0 * k;
}
/// Of a product: an element of d numbers and its column once, and what it is multiplied with.
double product_traffic(double nonzeros, double n, int k, int d) {
  return nonzeros * (d + 0.5 + 0.5 * d * k) + 2.0 * n * k;
}

// Levels of A_PP that differ by no more count as one, in units of the scale.
constexpr double degenerate = 1e-8;

/// Whether A_PP has but one level, and more than the block takes: the diagonal tells nothing of the
/// lowest states, and the start vectors are as good as others.
bool start_is_arbitrary(const Workspace& work) {
  double lowest = infinity, highest = -infinity;
  Index count = 0;
  for (int s = 0; s < work.sectors(); ++s) {
    const HostVector& levels = work.search(s).levels();  // ascending
    if (levels.size() == 0) continue;
    lowest = std::min(lowest, levels[0]);
    highest = std::max(highest, levels[levels.size() - 1]);
    count += levels.size();
  }
  return count > work.block && highest - lowest <= degenerate;
}

}  // namespace

Chebyshev::Chebyshev(Workspace& work) : work_(work), numbers_(work.a.product_numbers()) {
  pace_.gains.resize(start_is_arbitrary(work) ? 2 : 8);
}

double Chebyshev::value(int number, const Roots& roots) {
  values_.clear();
  for (int s = 0; s < work_.sectors(); ++s) {
    const auto known = work_.search(s).values();
    values_.insert(values_.end(), known.data(), known.data() + known.size());
  }
  const auto place = std::min<std::size_t>(number, values_.size() - 1);
  std::ranges::nth_element(values_, values_.begin() + static_cast<std::ptrdiff_t>(place));
  return std::max(values_[place], roots.highest());
}

double Chebyshev::growth(double theta, double a) const {
  return std::acosh(1.0 + 2.0 * std::max(a - theta, 0.0) / (end_ - a));
}

bool Chebyshev::has_interval(const Roots& roots, double a) const {
  return end_ - a > 1e-3 * (end_ - roots.highest());
}

bool Chebyshev::worth(Roots& roots) {
  const int seen = static_cast<int>(pace_.gains.size());
  const double norm = roots.residual_norm();
  if (pace_.iterations++ > 0) {
    // A norm that rises, where a lower state comes into sight, is no loss.
    const bool falls = 0.0 < norm && norm < pace_.norm;
    const double gain = falls ? std::log(pace_.norm / norm) : 0.0;
    pace_.gains[pace_.iterations % seen] = gain;
    pace_.gained += gain;
  }
  if (norm > 0.0) pace_.norm = norm;
  if (on_) return still_worth(roots);
  if (refused_ || !numbers_ || pace_.iterations <= seen) return false;
  const double n = static_cast<double>(work_.backend.components()) * work_.all_rows;
  const double product = product_traffic(*numbers_, n, work_.block, work_.backend.components());
  const double pace = std::max(std::accumulate(pace_.gains.begin(), pace_.gains.end(), 0.0) / seen,
                               pace_.gained / (pace_.iterations - 1));
  const double davidson =
      pace / (product + iteration_traffic(n, work_.basis.columns(), work_.block));
  const auto better = [&] {
    const double a = value(work_.options.states, roots);
    if (!has_interval(roots, value(work_.block + 1, roots))) return false;
    const double grows = growth(roots.highest(), a);
    return grows / (product + step_traffic(n, work_.block)) > davidson;
  };
  // The highest diagonal element is below the largest eigenvalue: nothing is tried in vain.
  if (end_ == 0.0) end_ = work_.backend.extremes(work_.diagonal.view()).second;
  on_ = better() && prepare() && better();
  return on_;
}

void Chebyshev::take_pace(const Pace& pace) {
  if (pace.gains.size() == pace_.gains.size()) pace_ = pace;
}

bool Chebyshev::still_worth(const Roots& roots) {
  return on_ && has_interval(roots, value(work_.block + 1, roots));
}

bool Chebyshev::prepare() {
  if (z_.columns() > 0) return true;
  const std::size_t bytes =
      sizeof(double) * static_cast<std::size_t>(work_.rows) * static_cast<std::size_t>(work_.block);
  try {
    // It is in no plan, and a host that overcommits would refuse nothing.
    if (bytes > work_.backend.free_memory() / 2) throw ResourceError("no room for polynomials");
    z_ = MultiVector(work_.backend, work_.rows, work_.block);
  } catch (const ResourceError&) {
    if (!work_.ranks().alone()) throw;  // the others do not know
    refused_ = true;
    return false;
  }
  if (!bound_) bound_ = largest_eigenvalue();
  end_ = *bound_;
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
  // By the energy a state is found at a residual that is not known before.
  if (work_.options.stop_by == StopBy::energy || !(left > 0.0) ||
      pace_.gains[pace_.iterations % pace_.gains.size()] < kept)
    return cautious;
  return std::max(cautious, left / std::ceil(left / most));
}

void Chebyshev::correct(Roots& roots, View t, const std::function<bool()>& goes_on) {
  constexpr double largest = 300.0;  // of what any is: the numbers stay finite
  constexpr int least = 4, most = 60;
  Backend& backend = work_.backend;
  const double a = value(work_.block + 1, roots), c = 0.5 * (a + end_), e = 0.5 * (end_ - a);
  const double grows = std::max(growth(roots.highest(), a), 1e-3);
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
      fastest = std::max(fastest, growth(theta, a));
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
