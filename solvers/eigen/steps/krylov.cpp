#include "solvers/eigen/steps/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>

#include "backends/ranks/agree.hpp"
#include "core/dense.hpp"
#include "core/error.hpp"
#include "core/infinity.hpp"
#include "solvers/eigen/lower/exclusion_search.hpp"
#include "solvers/eigen/lower/lanczos_bound.hpp"
#include "solvers/eigen/lower/sturm_bound.hpp"

namespace cisolve {
namespace {

// Squares of lengths: numbers of 10⁴, which single precision takes as well.
constexpr double far = 1e8;
// Once the Krylov space is whole, what is left is rounding.
constexpr double rounding = 1e-13;
// Ritz values of one level, in units of the scale.
constexpr double same_level = 1e-7;
// What is excluded without a search, below the highest state.
constexpr double fine_gap = 0.1 * verified_gap;

/// Numbers that a step moves beside its product, or could in the time that it takes besides.
double krylov_traffic(double n, int starts, int sectors) {
  return starts * (10.0 * n + 20'000.0 * sectors);
}

/// From one look at the Ritz pairs to the next, where `left` is left of the residuals' logarithm
/// and it falls by `gain` a step, after so many.
int steps_to_next_look(double gain, double left, int steps) {
  constexpr double least = 4.0, cautious = 0.8;
  const double most = std::max(16.0, 0.25 * steps);
  return static_cast<int>(gain > 0.0 ? std::clamp(cautious * left / gain, least, most) : most);
}

/// Of ascending energies those not above `end`.
std::span<const double> below(const Eigen::Ref<const HostVector>& energies, double end) {
  const auto last = std::ranges::upper_bound(energies, end);
  return {energies.data(), static_cast<std::size_t>(last - energies.begin())};
}

}  // namespace

double Krylov::Recurrence::residual(int i) const {
  if (failed) return infinity;
  return beta.back() * std::abs(vectors(vectors.rows() - 1, i));
}

bool Krylov::Part::whole() const {
  return std::ranges::all_of(of_start, &Recurrence::whole);
}

bool Krylov::worth(const Roots& roots) {
  constexpr double near = 1e3;     // of the tolerance
  constexpr double clearly = 2.0;  // how much faster it is to be
  // The first iterations gain little in any case: as many are waited for as take that part of what
  // the usual number of steps takes.
  constexpr double first = 3.0, part = 0.15, usual = 100.0;
  // Ritz values that have a long way to fall promise more.
  constexpr double usual_growth = 0.2;
  if (work_.options.project || !outlook_.known()) return false;
  starts_ = work_.options.states > 1 ? 2 : 1;
  const double step =
      outlook_.product(starts_) + krylov_traffic(outlook_.vector(), starts_, work_.sectors());
  const double few = std::max(first, part * usual * step / outlook_.iteration());
  if (!outlook_.has_seen(few) && !outlook_.has_seen_enough()) return false;
  if (roots.smallest_norm() < near * work_.options.residual_tolerance()) return false;
  outlook_.end();
  if (!outlook_.has_interval(roots, outlook_.value(work_.block + 1, roots))) return false;
  const double next = outlook_.value(work_.options.states, roots);
  const double best = outlook_.has_seen_enough() ? outlook_.gain() : outlook_.best_gain();
  const double growth = std::min(outlook_.growth(roots.highest(), next), usual_growth);
  const bool faster = growth / step > clearly * best / outlook_.iteration();
  return faster && has_room();
}

bool Krylov::has_room() {
  constexpr int least = 100, most = 300;
  constexpr double part_of_memory = 0.125;
  const double bytes = 8.0 * static_cast<double>(work_.rows) * starts_;
  const double fit = part_of_memory * static_cast<double>(work_.backend.free_memory()) / bytes;
  const std::vector<double> of_all = work_.ranks().gather(fit);
  const double blocks = std::min<double>(most, *std::ranges::min_element(of_all));
  if (tried_ || !(blocks >= least)) return false;
  tried_ = true;
  room_ = static_cast<int>(blocks);
  try {
    vectors_ = MultiVector(work_.backend, work_.rows, room_ * starts_);
  } catch (const ResourceError&) {
    if (!work_.ranks().alone()) throw;  // the others do not know
    return false;
  }
  return true;
}

/// x_{j+1} of every start, side by side.
View Krylov::x(int j) {
  const View all = vectors_.view();
  const std::int64_t size = static_cast<std::int64_t>(work_.rows) * starts_;
  return {all.data + j * size, work_.rows, starts_, starts_};
}

void Krylov::correct(View t, View scratch, const std::function<bool()>& goes_on) {
  constexpr double part_of_tolerance = 0.3;
  constexpr double longer = 1.4;  // for the states to be known as the lowest
  constexpr int apart = 24;       // steps in which what rounding brings up stays small
  const double small =
      part_of_tolerance * std::max(work_.options.residual_tolerance(), work_.a.rounding_error());
  begin();
  double residual = infinity;
  double most_steps = work_.options.verify == Verify::off || rounded_ ? 0.0 : infinity;
  int steps = 0, last = 0, next = 10, purged = 0;
  bool done = false;
  while (!done) {
    step(steps++);
    const bool ends = std::ranges::all_of(parts_, &Part::whole) || steps + 1 == room_ || !goes_on();
    if (steps < next && !ends) continue;
    const bool purge = steps - purged >= apart;
    if (purge) purged = steps;
    for (int s = 0; s < work_.sectors(); ++s) {
      for (int i = 0; i < starts_; ++i) {
        solve(parts_[s].of_start[i]);
        if (purge) keep_orthogonal(s, i, steps - 1, work_.part(i == 0 ? t : scratch, s));
      }
    }
    const double before = std::exchange(residual, largest_residual());
    const bool found = residual <= small;
    done = work_.ranks().of_first(ends || (found && (steps >= most_steps || excludes_lower())));
    if (found && most_steps == infinity) most_steps = longer * steps;
    const double gain = std::log(before / residual) / (steps - last);
    last = steps;
    next = steps + steps_to_next_look(gain, std::log(residual / small), steps);
  }
  for (int s = 0; s < work_.sectors(); ++s) {
    choose(s, work_.part(t, s), work_.part(scratch, s));
  }
  vectors_ = {};
}

void Krylov::begin() {
  rounded_ = work_.a.rounding_error() > 0.0;
  zeros_.assign(starts_, 0.0);
  by_.resize(starts_);
  dots_.resize(starts_);
  parts_.assign(static_cast<std::size_t>(work_.sectors()), {});
  for (int s = 0; s < work_.sectors(); ++s) {
    const View first = work_.part(x(0), s);
    work_.backend.fill_normal(work_.options.seed + 7907, work_.rows_before(s), first);
    work_.backend.column_norms(first, dots_);
    parts_[s].of_start.resize(starts_);
    for (int i = 0; i < starts_; ++i) parts_[s].of_start[i].length.push_back(dots_[i]);
  }
}

/// Traffic of a step, numbers a row and vector beside the product: eight, and two waits a sector.
void Krylov::step(int j) {
  work_.a.apply(x(j), x(j + 1));
  for (int s = 0; s < work_.sectors(); ++s) {
    if (!parts_[s].whole()) recur(s, j);
  }
}

void Krylov::recur(int s, int j) {
  Backend& backend = work_.backend;
  std::vector<Recurrence>& of_start = parts_[s].of_start;
  const View x_j = work_.part(x(j), s), next = work_.part(x(j + 1), s);
  const View before = j > 0 ? work_.part(x(j - 1), s) : x_j;
  // Ax_j − β_j² x_{j−1},  α_j
  for (int i = 0; i < starts_; ++i) by_[i] = -of_start[i].before;
  backend.add_columns(zeros_, x_j, by_, before, next, dots_);
  for (int i = 0; i < starts_; ++i) {
    Recurrence& r = of_start[i];
    const double square = r.length.back() * r.length.back();
    if (!r.whole) r.alpha.push_back(dots_[i] / square);
    by_[i] = r.whole ? 0.0 : -r.alpha.back();
  }
  // − α_j x_j,  β_{j+1}
  backend.add_columns(by_, x_j, zeros_, x_j, next);
  backend.column_dots(next, next, dots_);
  for (int i = 0; i < starts_; ++i) by_[i] = of_start[i].grow(dots_[i]);
  if (std::ranges::any_of(by_, [](double scale) { return scale != 1.0; })) {
    backend.scale_columns(by_, next);
  }
}

/// False after a failure, and for elements of which rounding takes the digits that tell levels.
bool Krylov::Recurrence::can_tell() const {
  constexpr double largest = 1e8;  // ε times this is far below `finest_gap`
  const auto small = [](double element) { return std::abs(element) <= largest; };
  return !failed && std::ranges::all_of(alpha, small) && std::ranges::all_of(beta, small);
}

/// Takes note of x_{j+1}, whose square this is; the factor that it is to be multiplied with.
double Krylov::Recurrence::grow(double square) {
  if (whole) return 0.0;
  if (!std::isfinite(alpha.back()) || !std::isfinite(square)) {
    alpha.pop_back();
    failed = whole = true;
    return 0.0;
  }
  const double previous = beta.empty() ? 0.0 : beta.back(), next = std::sqrt(square);
  beta.push_back(next / length.back());
  whole = !(beta.back() > rounding * std::max(std::abs(alpha.back()), previous));
  if (whole) {
    beta.back() = 0.0;
    return 0.0;
  }
  const double scale = square < far && square * far > 1.0 ? 1.0 : 1.0 / next;
  before = scale * beta.back() * beta.back();
  length.push_back(scale * next);
  return scale;
}

/// The lowest Ritz pairs, each once. What rounding brings up again of one that has converged has
/// its value, or next to nothing of x_1 in it (Cullum, Willoughby, J. Comput. Phys. 1981, 44, 329).
void Krylov::solve(Recurrence& r) const {
  constexpr double nothing = 1e-3;  // of what a random vector has
  const int states = work_.options.states;
  const auto steps = static_cast<int>(r.alpha.size());
  if (steps == 0) return;
  SymmetricEigen pairs = lowest_of_tridiagonal(r.alpha, r.beta, std::min(steps, 2 * states + 2));
  agree(work_.ranks(), pairs);
  std::vector<int> kept;
  const auto residual = [&](int i) { return std::abs(pairs.vectors(steps - 1, i)); };
  const double least = nothing / std::sqrt(static_cast<double>(work_.all_rows));
  for (int i = 0; i < pairs.values.size(); ++i) {
    if (std::abs(pairs.vectors(0, i)) < least) continue;
    const bool copy = !kept.empty() && pairs.values[i] - pairs.values[kept.back()] <= same_level;
    if (!copy) kept.push_back(i);
    if (copy && residual(i) < residual(kept.back())) kept.back() = i;
  }
  r.values = pairs.values(kept);
  r.vectors = pairs.vectors(Eigen::all, kept);
}

/// Of the lowest levels of all sectors, as many as states, in every Krylov space.
double Krylov::largest_residual() {
  double largest = 0.0;
  for (int start = 0; start < starts_; ++start) {
    lowest_.clear();
    for (const Part& part : parts_) {
      const Recurrence& r = part.of_start[start];
      for (int i = 0; i < r.values.size(); ++i) lowest_.emplace_back(r.values[i], r.residual(i));
    }
    const auto states = static_cast<std::size_t>(work_.options.states);
    if (lowest_.size() < states) return infinity;
    std::ranges::sort(lowest_);
    for (std::size_t i = 0; i < states; ++i) largest = std::max(largest, lowest_[i].second);
  }
  return work_.ranks().of_first(largest);
}

/// t = Σ_j s_j x_j / ‖x_j‖ of one recurrence's Ritz pairs from number `first` on.
void Krylov::combine(int s, int start, int first, View t) {
  const Recurrence& r = parts_[s].of_start[start];
  const Eigen::Index steps = std::ssize(r.alpha);
  const auto count = std::clamp<Eigen::Index>(r.values.size() - first, 0, t.columns);
  HostMatrix c = HostMatrix::Zero(steps, t.columns);
  terms_.clear();
  for (Eigen::Index j = 0; j < steps; ++j) {
    c.row(j).head(count) = r.vectors.row(j).segment(first, count) / r.length[j];
    terms_.push_back(work_.part(x(static_cast<int>(j)), s).slice(start, 1));
  }
  work_.backend.combine(terms_, c, t);
}

/// How many of the lowest pairs have vectors that were made: one that has come up among them since
/// moves those above it.
int Krylov::Recurrence::count_made() {
  const auto most = std::min<Eigen::Index>(std::ssize(made), values.size());
  Eigen::Index same = 0;
  while (same < most && std::abs(made[same] - values[same]) <= same_level) ++same;
  made.resize(same);
  return static_cast<int>(same);
}

/// Takes out of x_j and x_{j+1} their parts along the lowest pairs once these have converged:
/// rounding would bring them up again, as copies (Parlett, Scott, Math. Comp. 1979, 33, 217). Y:
/// the vectors of the pairs, which it makes once.
void Krylov::keep_orthogonal(int s, int start, int j, View y) {
  constexpr double converged = 1e-10;  // of T; their parts have then come up to ε/converged
  Recurrence& r = parts_[s].of_start[start];
  if (r.whole) return;
  const auto most = std::min<Eigen::Index>(y.columns, r.values.size());
  const double least = converged * *std::ranges::max_element(r.beta);
  const int made = r.count_made();
  int ready = made;
  while (ready < most && r.residual(ready) <= least) r.made.push_back(r.values[ready++]);
  if (ready > made) combine(s, start, made, y.slice(made, ready - made));
  if (ready == 0) return;
  const View known = y.slice(0, ready);
  for (const int i : {j, j + 1}) {
    const View x_i = work_.part(x(i), s).slice(start, 1);
    work_.backend.gram(known, x_i, products_);
    work_.backend.combine(-1.0, known, products_, 1.0, x_i);
  }
}

/// T := the lowest Ritz vectors, level by level; of one where the two recurrences have different
/// vectors both, the second made orthogonal to the first.
void Krylov::choose(int s, View t, View scratch) {
  constexpr double different = 1e-4;
  const auto combine_others = [&](int start, View y) {
    const int made = parts_[s].of_start[start].count_made();
    combine(s, start, made, y.slice(made, y.columns - made));
  };
  combine_others(0, t);
  if (starts_ == 1) return;
  combine_others(1, scratch);
  const HostVector &values = parts_[s].of_start[0].values, &others = parts_[s].of_start[1].values;
  // R = T' − T(TᵀT')/(TᵀT) of the same level, T' the second recurrence's
  const int d = work_.backend.components(), columns = t.columns;
  HostMatrix squares, products, c = HostMatrix::Zero(d * columns, d * columns);
  work_.backend.gram(t, t, squares);
  work_.backend.gram(t, scratch, products);
  std::vector<int> second(columns, -1);
  for (int i = 0; i < std::min<int>(columns, static_cast<int>(values.size())); ++i) {
    for (int j = 0; j < std::min<int>(columns, static_cast<int>(others.size())); ++j) {
      if (std::abs(values[i] - others[j]) > same_level) continue;
      second[i] = j;
      c.block(d * i, d * j, d, d) = products.block(d * i, d * j, d, d) / squares(d * i, d * i);
    }
  }
  std::vector<double> lengths(columns), sines(columns);
  work_.backend.column_norms(scratch, lengths);
  work_.backend.combine(-1.0, t, c, 1.0, scratch);
  work_.backend.column_norms(scratch, sines);
  const double same =
      0.25 * std::numbers::pi * work_.options.exclusion_probability / work_.options.states;
  std::vector<std::pair<bool, int>> chosen;  // of the second recurrence or not, and its column
  for (int i = 0; i < columns; ++i) {
    chosen.emplace_back(false, i);
    const int j = second[i];
    if (j < 0) continue;
    if (sines[j] <= same * lengths[j]) parts_[s].simple.push_back(values[i]);
    if (sines[j] > different * lengths[j]) chosen.emplace_back(true, j);
  }
  // From the last on: a column moves to a later place.
  for (int to = columns - 1; to >= 0; --to) {
    const auto [of_second, from] = chosen[to];
    if (of_second || from != to) {
      work_.backend.copy((of_second ? scratch : t).slice(from, 1), t.slice(to, 1));
    }
  }
}

bool Krylov::excludes_others(int s, std::span<const double> known, double width, double end) const {
  const int components = work_.backend.components();
  const double probability = 0.5 * work_.options.exclusion_probability / work_.sectors();
  const double needed = LanczosBound::needed(static_cast<double>(components) * work_.rows_of(s),
                                             probability, starts_, components);
  return std::ranges::all_of(parts_[s].of_start, [&](const Recurrence& r) {
    return r.can_tell() && cisolve::excludes_others({r.alpha, r.beta}, known, width, end, needed);
  });
}

/// True if that is so of the Ritz values, the highest state being that of as many levels as states.
bool Krylov::excludes_lower() const {
  const double end = lowest_[work_.options.states - 1].first - fine_gap;
  for (int s = 0; s < work_.sectors(); ++s) {
    const std::span known = below(parts_[s].of_start[0].values, end);
    if (!excludes_others(s, known, finest_gap, end)) return false;
  }
  return true;
}

double Krylov::excluded_gap(const Roots& roots) const {
  if (parts_.empty() || rounded_) return infinity;
  const double width = std::max(finest_gap, roots.residual_norm());
  const double gap = std::max(fine_gap, 2.0 * width), end = roots.highest() - gap;
  for (int s = 0; s < work_.sectors(); ++s) {
    const std::span known = below(work_.search(s).values().head(roots.wanted(s)), end);
    const auto is_simple = [&](double energy) {
      return std::ranges::any_of(parts_[s].simple,
                                 [&](double level) { return std::abs(level - energy) <= width; });
    };
    if (!std::ranges::all_of(known, is_simple)) return infinity;
    if (!excludes_others(s, known, width, end)) return infinity;
  }
  return gap;
}

}  // namespace cisolve
