#include "solvers/eigen/convergence/roots.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/dense/host_matrix.hpp"
#include "core/infinity.hpp"
#include "solvers/eigen/methods.hpp"

namespace cisolve {
namespace {

// An unwanted pair is settled when its residual is this part of its distance from the highest
// wanted one, or of the given distance if that is smaller. An eigenvector of a wanted energy then
// has at most this weight in it.
constexpr double settled_ratio = 0.25;
constexpr double settled_distance = 0.2;
// An unwanted pair must be lower than a wanted one by more than this to take its place, in units of
// the scale.
constexpr double same_energy = 1e-9;
// Energies of one level differ by no more, in units of the scale.
constexpr double level_width = 1e-7;

std::tuple<double, int, int> order(const Root& root) {
  return {root.energy, root.sector, root.number};
}

}  // namespace

Roots::Roots(std::span<const std::unique_ptr<SectorSearch>> searches, const EigenOptions& options)
    : searches_(searches),
      options_(options),
      searched_(options.verify != Verify::off && traits_of(options.method).corrects),
      work_(searches.size()) {}

void Roots::begin_anew(double attainable) {
  attainable_ = attainable;
  std::ranges::fill(work_, Work{});
}

void Roots::choose(std::span<const char> worked) {
  pairs_.clear();
  for (int s = 0; s < std::ssize(work_); ++s) {
    note_changes(s, worked[s] != 0);
    const auto values = searches_[s]->values();
    const auto most = std::min<Eigen::Index>(values.size(), options_.states);
    for (int j = 0; j < most; ++j) {
      pairs_.push_back({values[j] - (j < work_[s].wanted ? same_energy : 0.0), s, j});
    }
    work_[s].wanted = 0;
  }
  std::ranges::sort(pairs_, {}, order);
  found_ = std::min<int>(options_.states, static_cast<int>(pairs_.size()));
  highest_ = -infinity;
  for (int i = 0; i < found_; ++i) ++work_[pairs_[i].sector].wanted;
  for (int s = 0; s < std::ssize(work_); ++s) {
    const int wanted = work_[s].wanted;
    if (wanted > 0) highest_ = std::max(highest_, searches_[s]->values()[wanted - 1]);
  }
}

void Roots::note_changes(int s, bool worked) {
  Work& work = work_[s];
  const auto values = searches_[s]->values();
  const std::size_t known = work.changes.size();
  const auto count =
      static_cast<std::size_t>(std::min<Eigen::Index>(values.size(), options_.states));
  if (!worked && count <= known) return;
  work.energies.resize(count, infinity);
  work.changes.resize(count, infinity);
  for (std::size_t j = worked ? 0 : known; j < count; ++j) {
    const double value = values[static_cast<Eigen::Index>(j)];
    work.changes[j] = std::abs(work.energies[j] - value);
    work.energies[j] = value;
  }
}

void Roots::forget_changes() {
  for (Work& work : work_) std::ranges::fill(work.changes, infinity);
}

int Roots::tracked(int s) const {
  return std::min(work_[s].wanted + 1, searches_[s]->size());
}

bool Roots::settled(int s, int j) const {
  const double distance = searches_[s]->values()[j] - highest_;
  return searches_[s]->norm(j) <= std::max({options_.residual_tolerance(), attainable_,
                                            settled_ratio * std::min(distance, settled_distance)});
}

bool Roots::found(double norm, double change, double tolerance) const {
  const bool residual = norm <= tolerance;
  const bool energy = change <= options_.change_tolerance() ||
                      norm <= std::max(options_.change_tolerance(), attainable_);
  if (options_.stop_by == StopBy::both) return residual && energy;
  return options_.stop_by == StopBy::residual ? residual : energy;
}

bool Roots::small(int s, int j) const {
  return found(searches_[s]->norm(j), work_[s].changes[j],
               std::max(options_.residual_tolerance(), attainable_));
}

int Roots::small_count() const {
  int count = 0;
  for (int s = 0; s < std::ssize(work_); ++s) {
    for (int j = 0; j < work_[s].wanted; ++j) count += small(s, j) ? 1 : 0;
  }
  return count;
}

double Roots::smallest_norm() const {
  double smallest = infinity;
  for (int s = 0; s < std::ssize(work_); ++s) {
    for (int j = 0; j < work_[s].wanted; ++j) smallest = std::min(smallest, searches_[s]->norm(j));
  }
  return smallest;
}

double Roots::sum_of_energies() const {
  double sum = 0.0;
  for (const Work& work : work_) {
    for (int j = 0; j < work.wanted; ++j) sum += work.energies[j];
  }
  return sum;
}

double Roots::residual_norm() const {
  double square = 0.0;
  for (int s = 0; s < std::ssize(work_); ++s) {
    for (int j = 0; j < work_[s].wanted; ++j) square += std::pow(searches_[s]->norm(j), 2);
  }
  return std::sqrt(square);
}

const std::vector<Root>& Roots::list() {
  list_.clear();
  for (int s = 0; s < std::ssize(work_); ++s) {
    for (int j = 0; j < work_[s].wanted; ++j) list_.push_back({searches_[s]->values()[j], s, j});
  }
  std::ranges::sort(list_, {}, order);
  return list_;
}

void Roots::plan() {
  std::size_t most = 0;
  for (int s = 0; s < std::ssize(work_); ++s) {
    SectorTask& task = work_[s].task;
    task.random = task.given = false;
    task.targets.clear();
    for (int j = 0; j < work_[s].wanted; ++j) {
      if (!small(s, j)) task.targets.push_back(j);
    }
    most = std::max(most, task.targets.size());
  }
  for (int s = 0; s < std::ssize(work_); ++s) {
    Work& work = work_[s];
    if (found_ < options_.states && work.task.targets.empty()) {
      work.task.random = !searches_[s]->exhausted();  // there are fewer pairs than states
    } else if (work.wanted < searches_[s]->tracked()) {
      const auto targets = static_cast<int>(work.task.targets.size());
      // The guard: free of charge beside other sectors' columns; in the column of a pair that is
      // small by now where the search would have it corrected anyhow.
      const bool is_free = targets < static_cast<int>(most) && !settled(s, work.wanted);
      const bool is_next = targets > 0 && targets < work.wanted && searched_ && is_neighbour(s);
      if (is_free || is_next) work.task.targets.push_back(work.wanted);
    }
  }
}

void Roots::plan_all(int most) {
  for (int s = 0; s < std::ssize(work_); ++s) {
    work_[s].task = {};
    for (int j = 0; j < std::min(most, searches_[s]->tracked()); ++j) {
      work_[s].task.targets.push_back(j);
    }
  }
}

void Roots::plan_lower(std::span<const char> marked) {
  for (int s = 0; s < std::ssize(work_); ++s) {
    work_[s].task = {};
    work_[s].task.given = marked[s] != 0;
  }
}

bool Roots::is_neighbour(int s) const {
  const int next = work_[s].wanted;
  if (next >= searches_[s]->tracked() || searches_[s]->exhausted()) return false;
  const auto values = searches_[s]->values();
  // The last pair is known too little of: its distance from all others is the measure below.
  if (next + 1 >= values.size()) return false;
  // Its energy will fall by about that, to second order.
  const double fall = hidden(s, next, 2.0 * values[next] - values[values.size() - 1]);
  const bool close = values[next] - fall < highest_ + verified_gap;
  return close && hidden(s, next, highest_ - verified_gap) > 0.5 * hidden_part * verified_gap;
}

bool Roots::plan_neighbours() {
  bool any = false;
  for (int s = 0; s < std::ssize(work_); ++s) {
    work_[s].task = {};
    if (!is_neighbour(s)) continue;
    work_[s].task.targets = {work_[s].wanted};
    any = true;
  }
  return any;
}

double Roots::distance_to_next() const {
  double next = infinity;
  for (int s = 0; s < std::ssize(work_); ++s) {
    const int j = work_[s].wanted;
    if (searches_[s]->exhausted()) continue;
    const bool known = j < searches_[s]->tracked();
    next = std::min(next, known ? searches_[s]->values()[j] - searches_[s]->norm(j) : -infinity);
  }
  return next - highest_;
}

bool Roots::cut_a_level() const {
  for (int s = 0; s < std::ssize(work_); ++s) {
    const auto values = searches_[s]->values();
    const int next = work_[s].wanted;
    if (next < values.size() && values[next] - highest_ <= level_width) return true;
  }
  return false;
}

double Roots::hidden(int s, int j, double energy) const {
  const double norm = searches_[s]->norm(j);
  return norm * norm / (searches_[s]->values()[j] - energy);
}

SectorState Roots::state(int s) const {
  const Work& work = work_[s];
  SectorState state;
  state.pairs = searches_[s]->size();
  state.wanted = work.wanted;
  return state;
}

void Roots::resume(int s, const SectorState& state) {
  work_[s].wanted = static_cast<int>(std::min<std::int64_t>(state.wanted, searches_[s]->size()));
}

}  // namespace cisolve
