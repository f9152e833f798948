#include "solvers/eigen/steps/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "backends/ranks/agree.hpp"
#include "core/error.hpp"
#include "core/infinity.hpp"

namespace cisolve {
namespace {

/// Numbers that a step moves beside its product, or could in the time that it takes besides.
double krylov_traffic(double n, int starts, int sectors) {
  return starts * (10.0 * n + 20'000.0 * sectors);
}

/// Steps from one look at the Ritz pairs to the next. `left` remains of the residuals' logarithm,
/// which falls by `gain` a step, after so many steps. The residuals of the lowest pairs fall
/// faster: until the next look they may not fall further than is seen in time
/// (LanczosRecurrence::has_converged).
int steps_to_next_look(double gain, double left, int steps) {
  constexpr double least = 4.0, usual = 16.0, cautious = 0.8, most_fall = 4.0;
  if (!(gain > 0.0 && left > 0.0 && gain < infinity)) return static_cast<int>(usual);
  const double most = std::min(std::max(usual, 0.25 * steps), std::max(usual, most_fall / gain));
  return static_cast<int>(std::clamp(cautious * left / gain, least, most));
}

}  // namespace

bool Krylov::Part::whole() const {
  return std::ranges::all_of(of_start, &LanczosRecurrence::whole);
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
  if (!outlook_.has_interval(roots, outlook_.value(work_.block + 1, roots))) return false;
  const double next = outlook_.value(work_.options.states, roots);
  const double best = outlook_.has_seen_enough() ? outlook_.gain() : outlook_.best_gain();
  const double growth = std::min(outlook_.growth(roots.highest(), next), usual_growth);
  const bool faster = growth / step > clearly * best / outlook_.iteration();
  return faster && has_room();
}

bool Krylov::has_room() {
  constexpr double least = 100.0, most = 300.0;
  constexpr double part_of_free = 0.125, part_of_spare = 0.5;
  if (std::exchange(tried_, true)) return false;
  // Ranks of one host share its memory.
  Communicator& ranks = work_.ranks();
  const double free = static_cast<double>(work_.backend.free_memory()) /
                      (work_.backend.in_host_memory() ? ranks.local_size() : 1);
  const double spare = static_cast<double>(work_.options.spare_bytes);
  const double bytes = 8.0 * static_cast<double>(work_.rows) * starts_;
  const std::vector<double> of_all =
      ranks.gather(std::min(part_of_free * free, part_of_spare * spare) / bytes);
  const double blocks = std::min(most, *std::ranges::min_element(of_all));
  if (!(blocks >= least)) return false;
  room_ = static_cast<int>(blocks);
  try {
    require_on_all(ranks,
                   [this] { vectors_ = MultiVector(work_.backend, work_.rows, room_ * starts_); });
  } catch (const ResourceError&) {
    vectors_ = {};
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
  constexpr double longer = 1.6;  // for the states to be known as the lowest
  constexpr int apart = 10;       // steps in which what rounding brings up stays small
  const double small =
      part_of_tolerance * std::max(work_.options.residual_tolerance(), work_.a.rounding_error());
  begin();
  double residual = infinity;
  double most_steps = work_.options.verify == Verify::off || rounded_ ? 0.0 : infinity;
  int steps = 0, last = 0, next = 10;
  bool done = false, found = false;
  while (!done) {
    step(steps++);
    if (steps % apart == 0) purge(steps - 1, t, scratch);
    const bool ends = std::ranges::all_of(parts_, &Part::whole) || steps + 1 == room_ || !goes_on();
    // The lowest Ritz values of a look before are those of now: they have converged.
    const bool excluded = found && work_.ranks().of_first(excludes_lower());
    if (steps < next && !ends && !excluded) continue;
    solve_recurrences();
    const double before = std::exchange(residual, largest_residual());
    found = residual <= small;
    // Levels that rounding does not tell apart are too few for the states, however many steps.
    const bool in_vain = residual == infinity && before < infinity;
    const bool several = found && steps < most_steps && have_several(t, scratch);
    done = work_.ranks().of_first(ends || in_vain || several ||
                                  (found && (steps >= most_steps || excludes_lower())));
    if (!done) make_converged(t, scratch);
    if (found && most_steps == infinity) most_steps = longer * steps;
    const double gain = std::log(before / residual) / (steps - last);
    last = steps;
    next = steps + steps_to_next_look(gain, std::log(residual / small), steps);
  }
  make_all(small, t, scratch);
  for (int s = 0; s < work_.sectors() && starts_ > 1; ++s) {
    choose(s, work_.part(t, s), work_.part(scratch, s));
  }
  vectors_ = {};
}

void Krylov::solve_recurrences() {
  for (Part& part : parts_) {
    for (LanczosRecurrence& r : part.of_start) {
      r.solve(2 * work_.options.states + 2, work_.all_rows, work_.ranks());
    }
  }
}

/// Takes out of x_j and x_{j+1} their parts along pairs that have converged: rounding would bring
/// them up again, as copies (Parlett, Scott, Math. Comp. 1979, 33, 217).
void Krylov::purge(int j, View t, View scratch) {
  for (int s = 0; s < work_.sectors(); ++s) {
    for (int i = 0; i < starts_; ++i) {
      LanczosRecurrence& r = parts_[s].of_start[i];
      const int known = r.count_made();
      if (r.whole || known == 0) continue;
      const View y = work_.part(i == 0 ? t : scratch, s).slice(0, known);
      double lengths[2];
      for (const int k : {0, 1}) {
        const View x_k = work_.part(x(j + k), s).slice(i, 1);
        work_.backend.gram(y, x_k, products_);
        work_.backend.combine(-1.0, y, products_, 1.0, x_k);
        work_.backend.column_norms(x_k, {&lengths[k], 1});
      }
      r.take_lengths(lengths[0], lengths[1]);
    }
  }
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
  std::vector<LanczosRecurrence>& of_start = parts_[s].of_start;
  const View x_j = work_.part(x(j), s), next = work_.part(x(j + 1), s);
  const View before = j > 0 ? work_.part(x(j - 1), s) : x_j;
  // Ax_j − β_j² x_{j−1},  α_j
  for (int i = 0; i < starts_; ++i) by_[i] = -of_start[i].before;
  backend.add_columns(zeros_, x_j, by_, before, next, dots_);
  for (int i = 0; i < starts_; ++i) {
    LanczosRecurrence& r = of_start[i];
    const double square = r.length.back() * r.length.back();
    if (!r.whole) r.alpha.push_back(dots_[i] / square);
    by_[i] = r.whole ? 0.0 : -r.alpha.back();
  }
  // − α_j x_j,  β_{j+1}
  backend.add_columns(zeros_, next, by_, x_j, next, dots_);
  for (int i = 0; i < starts_; ++i) by_[i] = of_start[i].grow(dots_[i]);
  if (std::ranges::any_of(by_, [](double scale) { return scale != 1.0; })) {
    backend.scale_columns(by_, next);
  }
}

/// Largest residual of the lowest levels over all sectors, as many as states, in every Krylov
/// space.
double Krylov::largest_residual() {
  double largest = 0.0;
  for (int start = 0; start < starts_; ++start) {
    lowest_.clear();
    for (const Part& part : parts_) {
      const LanczosRecurrence& r = part.of_start[start];
      for (int i = 0; i < r.values.size(); ++i) lowest_.emplace_back(r.values[i], r.residual(i));
    }
    const auto states = static_cast<std::size_t>(work_.options.states);
    if (lowest_.size() < states) return infinity;
    std::ranges::sort(lowest_);
    for (std::size_t i = 0; i < states; ++i) largest = std::max(largest, lowest_[i].second);
  }
  return work_.ranks().of_first(largest);
}

}  // namespace cisolve
