#include "solvers/exclusion_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/parallel.hpp"
#include "core/random.hpp"
#include "solvers/project.hpp"

namespace cisolve {
namespace {

/// Independent normal numbers (Box, Muller, Ann. Math. Stat. 1958, 29, 610), the same on every
/// backend: a direction uniform on the sphere.
HostMatrix normal_vector(Index rows, std::uint64_t seed) {
  HostMatrix x(rows, 1);
#pragma omp parallel for schedule(static) if (worth_threads(rows))
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    const double radius = std::sqrt(-2.0 * std::log(random.uniform()));
    x(i, 0) = radius * std::cos(2.0 * std::numbers::pi * random.uniform());
  }
  return x;
}

double dot(Backend& backend, ConstView x, ConstView y, HostMatrix& c) {
  backend.gram(x, y, c);
  return c(0, 0);
}

}  // namespace

ExclusionSearch::ExclusionSearch(Workspace& work, const Roots& roots, double gap,
                                 double probability, std::uint64_t seed, View x, View y)
    : work_(work),
      gap_(gap),
      sigma_(roots.highest() - gap),
      probability_(probability),
      seed_(seed),
      x_(x),
      y_(y),
      metric_(work, sigma_),
      before_(work.backend, work.rows, 1),
      u_(work.backend, work.rows, 1),
      v_(work.backend, work.rows, 1),
      w_(work.backend, work.rows, 1),
      parts_(static_cast<std::size_t>(work.sectors())) {
  // (A − σ)x = (E − σ)x of a state x at the highest energy E: xᵀ(A − σ)x / xᵀMx is at most this.
  near_limit_ = gap_ / metric_.smallest();
  for (int s = 0; s < work.sectors(); ++s) {
    Part& part = parts_[s];
    part.wanted = roots.wanted(s);
    const Index rows = work.order.rows(s);
    part.active = work.search(s).size() < rows && part.wanted < rows;
    part.done = !part.active;
    if (part.wanted > 0) work.search(s).vectors(work.part(x_, s).slice(0, part.wanted));
  }
}

ConstView ExclusionSearch::x(int s) const {
  return work_.part(x_, s).slice(0, parts_[s].wanted);
}

ConstView ExclusionSearch::y(int s) const {
  return work_.part(y_, s).slice(0, parts_[s].wanted);
}

/// Y = M⁻¹X, and the start vectors.
void ExclusionSearch::begin() {
  Backend& backend = work_.backend;
  const bool projected = static_cast<bool>(work_.options.project);
  backend.upload(normal_vector(work_.rows, seed_), u_.view());
  metric_.multiply_by_root(u_.view());
  if (projected) project(work_, u_.view());
  backend.fill(0.0, v_.view());
  backend.fill(0.0, before_.view());
  backend.fill(0.0, y_);
  for (int s = 0; s < work_.sectors(); ++s) {
    if (parts_[s].wanted == 0) continue;
    const View y_s = work_.part(y_, s).slice(0, parts_[s].wanted);
    backend.copy(x(s), y_s);
    metric_.divide(s, y_s);
  }
  if (projected) project(work_, y_);
  for (int s = 0; s < work_.sectors(); ++s) {
    Part& p = parts_[s];
    p.beta = 0.0;
    if (p.wanted > 0) {
      backend.gram(x(s), y(s), c_);
      p.inverse = c_.inverse();
    }
    if (p.done) continue;
    backend.copy(part(u_, s), part(v_, s));
    metric_.divide(s, part(v_, s));
  }
  if (projected) project(work_, v_.view());
  for (int s = 0; s < work_.sectors(); ++s) begin(s);
}

void ExclusionSearch::begin(int s) {
  // Of the square of u's length: less is what rounding leaves of nothing.
  constexpr double nothing = 1e-20;
  Backend& backend = work_.backend;
  Part& p = parts_[s];
  if (p.done) return;
  const View u = part(u_, s), v = part(v_, s);
  const double before = dot(backend, u, v, c_);
  deflate(s, x(s), y(s), u);
  deflate(s, y(s), x(s), v);
  const double square = dot(backend, u, v, c_);
  p.done = !(square > nothing * before);
  const double inverse = p.done ? 0.0 : 1.0 / std::sqrt(square);
  backend.scale_columns({&inverse, 1}, u);
  backend.scale_columns({&inverse, 1}, v);
  const double dimensions = std::max<double>(square, work_.order.rows(s) - p.wanted);
  p.needed = LanczosBound::needed(dimensions, probability_ / work_.sectors());
}

/// t −= along (XᵀM⁻¹X)⁻¹ againstᵀt: out of u what is along X, or out of v what is along Y, so that
/// XᵀM⁻¹u = Xᵀv = 0.
void ExclusionSearch::deflate(int s, ConstView along, ConstView against, View t) {
  if (along.columns == 0) return;
  work_.backend.gram(against, t, c_);
  work_.backend.combine(-1.0, along, HostMatrix(parts_[s].inverse * c_), 1.0, t);
}

ExclusionSearch::End ExclusionSearch::run(const Observer& observer) {
  begin();
  while (!std::ranges::all_of(parts_, [](const Part& p) { return p.done || p.found; }) ||
         (found_at_ > 0 && !good_enough())) {
    step(true);
    for (int s = 0; s < work_.sectors(); ++s) follow(s);
    if (found_at_ > 0 && good_enough()) break;
    if (failed_ || !observer(progress())) return found_at_ > 0 ? End::found : End::stopped;
  }
  return found_at_ > 0 ? End::found : End::excluded;
}

/// `record`: α and β are noted; else the steps are gone through again.
void ExclusionSearch::step(bool record) {
  // Rounding outside the subspace would grow as fast as the polynomials do.
  constexpr int steps_between_projections = 8;
  work_.a.apply(v_.view(), w_.view());
  ++steps_;
  if (work_.options.project && steps_ % steps_between_projections == 0) project(work_, w_.view());
  for (int s = 0; s < work_.sectors(); ++s) {
    if (parts_[s].active && !parts_[s].done) recur(s);
  }
  if (work_.options.project) project(work_, v_.view());
  for (int s = 0; s < work_.sectors(); ++s) {
    if (parts_[s].active && !parts_[s].done) normalise(s, record);
  }
  std::swap(before_, u_);
  std::swap(u_, w_);
}

/// w, and z before it is projected, in v's place.
void ExclusionSearch::recur(int s) {
  Backend& backend = work_.backend;
  Part& p = parts_[s];
  const View u = part(u_, s), v = part(v_, s), w = part(w_, s);
  backend.axpby(-sigma_, v, 1.0, w);
  backend.axpby(-p.beta, part(before_, s), 1.0, w);
  p.alpha = dot(backend, v, w, c_);
  backend.axpby(-p.alpha, u, 1.0, w);
  deflate(s, x(s), y(s), w);
  backend.copy(w, v);
  metric_.divide(s, v);
}

void ExclusionSearch::normalise(int s, bool record) {
  Backend& backend = work_.backend;
  Part& p = parts_[s];
  const View v = part(v_, s), w = part(w_, s);
  deflate(s, y(s), x(s), v);
  const double square = dot(backend, w, v, c_);
  if (!std::isfinite(p.alpha) || !std::isfinite(square)) {
    failed_ = true;
    return;
  }
  p.beta = std::sqrt(std::max(square, 0.0));
  // Once the Krylov space is whole, what is left is rounding.
  constexpr double rounding = 1e-12;
  if (!(p.beta > rounding * std::abs(p.alpha))) p.beta = 0.0;
  if (record) p.bound.append(p.alpha, p.beta);
  const double inverse = p.beta > 0.0 ? 1.0 / p.beta : 0.0;
  backend.scale_columns({&inverse, 1}, w);
  backend.scale_columns({&inverse, 1}, v);
}

/// What a sector's last step has shown.
void ExclusionSearch::follow(int s) {
  Part& p = parts_[s];
  if (p.done || failed_) return;
  const bool whole = p.beta == 0.0;
  const std::optional<double> below = p.bound.log_sum(0.0), beyond = p.bound.log_sum(near_limit_);
  if (!below) {
    p.found = true;
    if (found_at_ == 0) found_at_ = steps_;
  }
  p.near = !beyond;
  const bool excluded = below && *below >= p.needed;
  p.done = whole || (excluded && (p.near || *beyond >= p.needed));
  if (p.done) work_.backend.fill(0.0, part(v_, s));
}

/// Whether the lower states' vectors are worth making: residuals well below the values, or many
/// more steps than the first sight of one took.
bool ExclusionSearch::good_enough() const {
  constexpr double small = 0.3;
  constexpr int least_more = 8;
  if (steps_ >= 2 * found_at_ + least_more) return true;
  return std::ranges::all_of(parts_, [](const Part& p) {
    if (!p.found || p.done) return true;
    const LanczosBound::Lowest lowest = p.bound.lowest();
    return lowest.residual <= small * std::abs(lowest.value);
  });
}

/// With A − σ ≥ −κM on X^⊥, no energy there is lower than σ − κ‖M‖.
double ExclusionSearch::excluded_gap() const {
  if (failed_) return std::numeric_limits<double>::infinity();
  double kappa = 0.0;
  for (const Part& p : parts_) {
    if (!p.done || p.found) kappa = std::max(kappa, p.bound.excluded_below(p.needed));
  }
  return gap_ + kappa * metric_.largest();
}

/// Steps in all, if the sums go on growing as in the second half of the steps so far.
double ExclusionSearch::forecast() const {
  double steps = steps_;
  for (const Part& p : parts_) {
    if (!p.done) steps = std::max(steps, p.bound.steps_needed(p.needed));
  }
  return steps;
}

bool ExclusionSearch::near() const {
  return std::ranges::any_of(parts_, &Part::near);
}

bool ExclusionSearch::settled() const {
  constexpr double small = 0.25;
  return std::ranges::all_of(parts_, [](const Part& p) {
    if (p.done) return true;
    const LanczosBound::Lowest lowest = p.bound.lowest();
    return lowest.residual <= small * lowest.value;
  });
}

ExclusionProgress ExclusionSearch::progress() const {
  return {steps_, forecast()};
}

std::vector<char> ExclusionSearch::found() const {
  std::vector<char> found;
  for (const Part& p : parts_) found.push_back(p.found ? 1 : 0);
  return found;
}

void ExclusionSearch::lower_vectors(View t) {
  Backend& backend = work_.backend;
  backend.fill(0.0, t);
  std::vector<HostVector> coefficients(parts_.size());
  int last = 0;
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    Part& p = parts_[s];
    p.active = p.found;
    p.done = false;
    if (!p.found) continue;
    coefficients[s] = p.bound.lowest().vector;
    last = std::max(last, p.bound.steps());
  }
  begin();
  for (int j = 0; j < last; ++j) {
    for (int s = 0; s < work_.sectors(); ++s) {
      if (j >= coefficients[s].size()) continue;
      backend.axpby(coefficients[s][j], part(v_, s), 1.0, work_.part(t, s));
    }
    if (j + 1 < last) step(false);
  }
}

}  // namespace cisolve
