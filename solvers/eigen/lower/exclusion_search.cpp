#include "solvers/eigen/lower/exclusion_search.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/eigen/steps/project.hpp"

namespace cisolve {

ExclusionSearch::ExclusionSearch(Workspace& work, const Roots& roots, double gap,
                                 double probability, std::uint64_t seed, View x, View y)
    : work_(work),
      x_(x),
      y_(y),
      parts_(static_cast<std::size_t>(work.sectors())),
      gap_(gap),
      sigma_(shift(roots)),
      probability_(probability),
      seed_(seed),
      starts_(work.options.exclusion_starts),
      metric_(work, sigma_),
      before_(work.backend, work.rows, starts_),
      u_(work.backend, work.rows, starts_),
      v_(work.backend, work.rows, starts_),
      w_(work.backend, work.rows, starts_),
      shift_by_(starts_, -sigma_),
      scale_(starts_),
      zeros_(starts_, 0.0),
      dots_(starts_) {
  nearest_ = std::max(finest_gap, roots.residual_norm());
  for (int s = 0; s < work.sectors(); ++s) {
    Part& part = parts_[s];
    const Index dimension = work.dimension_of(s);
    part.active = work.search(s).size() < dimension && part.known < dimension;
    part.done = !part.active;
    part.recurrences.assign(starts_, Recurrence(highest_near(s, roots) / metric_.smallest()));
    if (part.known > 0) work.search(s).vectors(work.part(x_, s).slice(0, part.known));
  }
}

/// σ, lifted by what the higher pairs, which are chosen here, may hide.
double ExclusionSearch::shift(const Roots& roots) {
  constexpr int most = 2;  // they take passes over vectors in every step
  const double lowest = roots.highest() - gap_;
  const int room = std::min(x_.columns, y_.columns);
  double lift = 0.0;
  for (int s = 0; s < work_.sectors(); ++s) {
    SectorSearch& search = work_.search(s);
    int& known = parts_[s].known = roots.wanted(s);
    const int last = std::min({known + most, room, search.size()});
    if (last > search.tracked()) {
      search.compute_residuals(last, work_.part(x_, s).slice(0, last));
    }
    double hidden = 0.0;
    for (; known < last; ++known) {
      const double more = roots.hidden(s, known, lowest);
      if (hidden + more > Roots::hidden_part * gap_) break;
      hidden += more;
    }
    lift = std::max(lift, hidden);
  }
  return lowest + lift;
}

/// Largest height above σ at which a state counts as near: up to the highest energy, or behind
/// pairs of X just above it. A state x has (A − σ)x = (E − σ)x, and xᵀ(A − σ)x / xᵀMx is at most (E
/// − σ) / min M.
double ExclusionSearch::highest_near(int s, const Roots& roots) {
  const SectorSearch& search = work_.search(s);
  const double behind = 0.25 * gap_;
  double near = roots.highest(), hides = 0.0, unsure = 0.0;
  for (int j = roots.wanted(s); j < parts_[s].known; ++j) {
    const double beyond = search.values()[j] + behind - near;
    const double hidden = roots.hidden(s, j, near - finest_gap);
    if (hidden <= beyond) {
      hides += hidden;
    } else {
      near += beyond;
      unsure += search.norm(j) * search.norm(j) / behind;
    }
  }
  nearest_ = std::max(nearest_, unsure);
  return near - sigma_ + hides;
}

ConstView ExclusionSearch::x(int s) const {
  return work_.part(x_, s).slice(0, parts_[s].known);
}

ConstView ExclusionSearch::y(int s) const {
  return work_.part(y_, s).slice(0, parts_[s].known);
}

/// Y = M⁻¹X, and the start vectors.
void ExclusionSearch::begin() {
  Backend& backend = work_.backend;
  const bool projected = static_cast<bool>(work_.options.project);
  for (int j = 0; j < starts_; ++j) {
    const std::uint64_t seed = seed_ + 104729 * static_cast<std::uint64_t>(j);
    for (int s = 0; s < work_.sectors(); ++s) {  // a direction uniform on the sphere
      backend.fill_normal(seed, work_.rows_before(s), part(u_, s).slice(j, 1));
    }
  }
  metric_.multiply_by_root(u_.view());
  if (projected) project(work_, u_.view());
  backend.fill(0.0, v_.view());
  backend.fill(0.0, before_.view());
  outside_ = 1.0;
  backend.fill(0.0, y_);
  for (int s = 0; s < work_.sectors(); ++s) {
    if (parts_[s].known == 0) continue;
    metric_.divide(s, x(s), work_.part(y_, s).slice(0, parts_[s].known));
  }
  if (projected) project(work_, y_);
  for (int s = 0; s < work_.sectors(); ++s) {
    Part& p = parts_[s];
    for (Recurrence& r : p.recurrences) r.restart();
    if (p.known > 0) {
      backend.gram(x(s), y(s), c_);
      p.inverse = c_.inverse();
    }
    if (p.done) continue;
    metric_.divide(s, part(u_, s), part(v_, s));
  }
  if (projected) project(work_, v_.view());
  for (int s = 0; s < work_.sectors(); ++s) begin(s);
}

void ExclusionSearch::begin(int s) {
  // Part of the square of u's length below which the remainder is rounding.
  constexpr double nothing = 1e-20;
  Part& p = parts_[s];
  if (p.done) return;
  const View u = part(u_, s), v = part(v_, s);
  dots(u, v);
  const std::vector<double> before = dots_;
  deflate(s, x(s), y(s), u);
  deflate(s, y(s), x(s), v);
  dots(u, v);
  const int components = work_.backend.components();
  double dimensions = static_cast<double>(components) * (work_.rows_of(s) - p.known);
  for (int j = 0; j < starts_; ++j) {
    failed_ = failed_ || !std::isfinite(dots_[j]);
    p.done = p.done || !(dots_[j] > nothing * before[j]);
    dimensions = std::max(dimensions, dots_[j]);
    scale_[j] = 1.0 / std::sqrt(dots_[j]);
  }
  if (p.done) std::ranges::fill(scale_, 0.0);
  work_.backend.scale_columns(scale_, u);
  work_.backend.scale_columns(scale_, v);
  p.needed = LanczosBound::needed(dimensions, probability_ / work_.sectors(), starts_, components);
}

/// dots_j := x_jᵀy_j for the columns.
void ExclusionSearch::dots(ConstView x, ConstView y) {
  work_.backend.column_dots(x, y, dots_);
}

std::pair<LanczosBound::Lowest, int> ExclusionSearch::Part::lowest() const {
  std::pair lowest{recurrences[0].bound.lowest(), 0};
  for (int j = 1; j < static_cast<int>(recurrences.size()); ++j) {
    LanczosBound::Lowest next = recurrences[j].bound.lowest();
    if (next.value < lowest.first.value) lowest = {std::move(next), j};
  }
  return lowest;
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
  while (!failed_ && !complete()) {
    ++steps_;
    step(true);
    if (imprecise_) return End::imprecise;
    for (int s = 0; s < work_.sectors(); ++s) follow(s);
    if (failed_) break;
    const bool go_on = observer(progress());
    if (complete()) break;
    if (!go_on) return found_at_ > 0 ? End::found : End::stopped;
  }
  if (failed_) return End::failed;
  return found_at_ > 0 ? End::found : End::excluded;
}

bool ExclusionSearch::complete() const {
  if (found_at_ > 0) return good_enough();
  return std::ranges::all_of(parts_, &Part::done);
}

/// `record`: α and β are noted; else the steps are gone through again.
///
/// Traffic of a sector, numbers a row: 12 a column beside the product, and two waits; with q
/// columns of X 2q and three a column more, and one wait.
void ExclusionSearch::step(bool record) {
  constexpr double much = 1e4;
  const double outside = outside_;
  work_.a.apply(v_.view(), w_.view());
  for (int s = 0; s < work_.sectors(); ++s) {
    if (parts_[s].active && !parts_[s].done) recur(s);
  }
  if (work_.options.project) project(work_, v_.view());
  for (int s = 0; s < work_.sectors(); ++s) {
    if (parts_[s].active && !parts_[s].done) measure(s, record, outside);
  }
  std::swap(before_, u_);
  std::swap(u_, w_);
  if (!work_.options.project || !(outside_ > much)) return;
  project(work_, u_.view());
  project(work_, before_.view());
  outside_ = 1.0;
}

/// w, and z before it is projected, in v's place.
void ExclusionSearch::recur(int s) {
  Backend& backend = work_.backend;
  Part& p = parts_[s];
  const View u = part(u_, s), v = part(v_, s), w = part(w_, s);
  // w = (A − σ)v − β²u₋,  α = vᵀw / uᵀv
  for (int j = 0; j < starts_; ++j) scale_[j] = -p.recurrences[j].before;
  backend.add_columns(shift_by_, v, scale_, part(before_, s), w, dots_);
  for (int j = 0; j < starts_; ++j) {
    Recurrence& r = p.recurrences[j];
    r.alpha = r.square > 0.0 ? dots_[j] / r.square : 0.0;
    scale_[j] = -r.alpha;
  }
  // w −= αu
  backend.add_columns(scale_, u, zeros_, u, w);  // u once: one pass, where combine takes more
  deflate(s, x(s), y(s), w);
  // z = M⁻¹w
  metric_.divide(s, w, v);
}

/// β, and u and v of a length not far from one. `outside`: before the step.
void ExclusionSearch::measure(int s, bool record, double outside) {
  // Once the Krylov space is whole, what is left is rounding.
  constexpr double rounding = 1e-13;
  // In the inner product of M the matrix is of order one; ε times this is far below a gap.
  constexpr double largest = 1e8;
  constexpr double far = 1e8;  // squares: numbers of 10⁴, which single precision takes as well
  Backend& backend = work_.backend;
  Part& p = parts_[s];
  const View v = part(v_, s), w = part(w_, s);
  // β² = wᵀz / uᵀv
  dots(w, v);
  for (int j = 0; j < starts_; ++j) {
    Recurrence& r = p.recurrences[j];
    if (!std::isfinite(r.alpha) || !std::isfinite(dots_[j])) {
      failed_ = true;
      return;
    }
    const double before = r.beta;
    r.beta = r.square > 0.0 ? std::sqrt(std::max(dots_[j], 0.0) / r.square) : 0.0;
    imprecise_ = imprecise_ || std::max(std::abs(r.alpha), r.beta) > largest;
    if (!(r.beta > rounding * std::abs(r.alpha))) r.beta = 0.0;
    if (r.beta > 0.0)
      outside_ = std::max(outside_, outside * (std::abs(r.alpha) + before) / r.beta);
    if (record && !r.whole) {
      r.bound.append(r.alpha, r.beta);
      r.near.append(r.alpha, before, r.beta);
      r.whole = r.beta == 0.0;
    }
    const bool near = dots_[j] < far && dots_[j] * far > 1.0;
    scale_[j] = r.beta == 0.0 ? 0.0 : near ? 1.0 : 1.0 / std::sqrt(dots_[j]);
    r.before = scale_[j] * r.beta * r.beta;
    r.square = scale_[j] * scale_[j] * dots_[j];
  }
  if (std::ranges::all_of(scale_, [](double scale) { return scale == 1.0; })) return;
  backend.scale_columns(scale_, w);
  backend.scale_columns(scale_, v);
}

/// Takes the result of a sector's last step.
void ExclusionSearch::follow(int s) {
  Part& p = parts_[s];
  if (p.done || failed_) return;
  bool excluded = true, none_near = true, whole = true;
  p.near = false;
  for (const Recurrence& r : p.recurrences) {
    const std::optional<double> below = r.bound.log_sum(), beyond = r.near.log();
    p.found = p.found || !below;
    p.near = p.near || !beyond;
    excluded = excluded && below && *below >= p.needed;
    none_near = none_near && beyond && *beyond >= p.needed;
    whole = whole && r.whole;
  }
  if (p.found && found_at_ == 0) found_at_ = steps_;
  p.done = whole || (excluded && (p.near || none_near));
  if (p.done) work_.backend.fill(0.0, part(v_, s));
}

/// True if the lower states' vectors are worth making: residuals well below the values, or many
/// more steps than the first sight of one took.
bool ExclusionSearch::good_enough() const {
  constexpr double small = 0.3;
  constexpr int least_more = 8;
  if (steps_ >= 2 * found_at_ + least_more) return true;
  return work_.ranks().of_first(std::ranges::all_of(parts_, [](const Part& p) {
    if (!p.found || p.done) return true;
    const LanczosBound::Lowest lowest = p.lowest().first;
    return lowest.residual <= small * std::abs(lowest.value);
  }));
}

/// With A − σ ≥ −κM on X^⊥, no energy there is lower than σ − κ‖M‖.
double ExclusionSearch::excluded_gap() const {
  double kappa = 0.0;
  for (const Part& p : parts_) {
    if (p.done && !p.found) continue;
    for (const Recurrence& r : p.recurrences) {
      kappa = std::max(kappa, r.bound.excluded_below(p.needed));
    }
  }
  return gap_ + kappa * metric_.largest();
}

/// Steps in all, if the sums go on growing as in the second half of the steps so far.
double ExclusionSearch::forecast() const {
  double steps = steps_;
  for (const Part& p : parts_) {
    if (p.done) continue;
    for (const Recurrence& r : p.recurrences) {
      steps = std::max(steps, r.bound.steps_needed(p.needed));
    }
  }
  return steps;
}

bool ExclusionSearch::near() const {
  return std::ranges::any_of(parts_, &Part::near);
}

bool ExclusionSearch::settled() const {
  constexpr double small = 0.25;
  return work_.ranks().of_first(std::ranges::all_of(parts_, [](const Part& p) {
    return p.done || std::ranges::all_of(p.recurrences, [](const Recurrence& r) {
             const LanczosBound::Lowest lowest = r.bound.lowest();
             return lowest.residual <= small * lowest.value;
           });
  }));
}

ExclusionProgress ExclusionSearch::progress() const {
  return {starts_ * std::int64_t{steps_}, starts_ * forecast()};
}

std::vector<char> ExclusionSearch::found() const {
  std::vector<char> found;
  for (const Part& p : parts_) found.push_back(p.found ? 1 : 0);
  return found;
}

ExclusionSearch::End ExclusionSearch::lower_vectors(View t, const Observer& observer) {
  Backend& backend = work_.backend;
  backend.fill(0.0, t);
  std::vector<std::pair<LanczosBound::Lowest, int>> lowest(parts_.size());
  int last = 0;
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    Part& p = parts_[s];
    p.active = p.found;
    p.done = !p.found;
    if (!p.found) continue;
    lowest[s] = p.lowest();
    last = std::max(last, static_cast<int>(lowest[s].first.vector.size()));
  }
  begin();
  for (int j = 0; j < last; ++j) {
    for (int s = 0; s < work_.sectors(); ++s) {
      const auto& [pair, from] = lowest[s];
      if (j >= pair.vector.size()) continue;
      const double square = parts_[s].recurrences[from].square;
      const double part_of_it = square > 0.0 ? pair.vector[j] / std::sqrt(square) : 0.0;
      backend.axpby(part_of_it, part(v_, s).slice(from, 1), 1.0, work_.part(t, s));
    }
    if (j + 1 == last) break;
    step(false);
    if (failed_) return End::failed;
    if (!observer({starts_ * std::int64_t{j + 1}, starts_ * (last - 1.0)})) return End::stopped;
  }
  return End::found;
}

}  // namespace cisolve
