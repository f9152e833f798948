#include "solvers/linear/linear_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace cisolve {
namespace {

// A method that recurs its residual may say that it is done where the true residual is not: it then
// begins anew from there, so many times.
constexpr int most_beginnings = 5;
constexpr std::size_t longest_history = 4096;
// Rounding lets a residual that has stopped falling swing by less.
constexpr double stuck_growth = 10.0;

// An iterate is kept once its residual is below this part of that of the iterate kept before: the
// copies are then few, however many the iterations.
constexpr double kept_again = 0.5;

/// Of a column's residual norms.
struct Progress {
  double now = 0.0;
  double smallest = std::numeric_limits<double>::infinity();
  int since_smallest = 0;
  double kept = std::numeric_limits<double>::infinity();  ///< of the iterate kept
};

class Loop {
 public:
  Loop(LinearSystem& system, LinearStep& step, ConstView b, const LinearOptions& options,
       const Timer& timer, const LinearObserver& observer, LinearResult& result)
      : system_(system),
        step_(step),
        b_(b),
        options_(options),
        timer_(timer),
        observer_(observer),
        result_(result),
        patience_(traits(options.method, options).patience),
        r_(system.backend(), b.rows, b.columns),
        kept_(system.backend(), b.rows, b.columns) {
    for (const double norm : system.norms(b)) {
      if (!std::isfinite(norm)) {
        throw InputError("linear: the norm of the right-hand side is " + std::to_string(norm));
      }
      scales_.push_back(norm > 0.0 ? 1.0 / norm : 1.0);
      goals_.push_back(
          std::max(options.tolerance * (norm > 0.0 ? norm : 1.0), options.absolute_tolerance));
    }
  }

  void run(View x, bool x_is_zero) {
    if (x_is_zero) {
      system_.backend().copy(b_, r_.view());
    } else {
      system_.residual(b_, x, r_.view());
    }
    result_.setup_applications = system_.products();
    for (int beginning = 1;; ++beginning) {
      progress_.assign(scales_.size(), Progress{});
      sweep(x);
      take_kept(x);
      system_.residual(b_, x, r_.view());
      result_.residual_norms = system_.norms(r_.view());
      if (result_.status != SolveStatus::converged || within(result_.residual_norms)) break;
      result_.status = SolveStatus::stagnated;
      if (beginning == most_beginnings) break;
      if (result_.iterations >= options_.max_iterations) {
        result_.status = SolveStatus::max_iterations;
        break;
      }
    }
    finish();
  }

 private:
  /// Iterates from x, whose residual is in r.
  void sweep(View x) {
    system_.backend().copy(x, kept_.view());
    step_.begin(r_.view());
    bool seen = result_.iterations > 0;  // at the end of the sweep before
    while (true) {
      const ColumnScalars norms = system_.norms(r_.view());
      keep(x, norms);
      if (!std::exchange(seen, false) && note(norms)) return;
      if (const auto failed = step_.advance(b_, x, r_.view())) {
        result_.status = *failed;
        return;
      }
      ++result_.iterations;
    }
  }

  /// Keeps x where it is well below the one kept, or the first within the goal.
  void keep(ConstView x, const ColumnScalars& norms) {
    for (std::size_t j = 0; j < norms.size(); ++j) {
      Progress& column = progress_[j];
      column.now = norms[j];
      ++column.since_smallest;
      if (norms[j] < column.smallest) {
        column.smallest = norms[j];
        column.since_smallest = 0;
      }
      const bool reaches_goal = norms[j] <= goals_[j] && column.kept > goals_[j];
      if (!(norms[j] < kept_again * column.kept) && !reaches_goal) continue;
      column.kept = norms[j];
      copy_column(x, kept_.view(), j);
    }
  }

  /// Takes the kept iterate where the last one is not as good.
  void take_kept(View x) {
    for (std::size_t j = 0; j < progress_.size(); ++j) {
      if (!(progress_[j].now <= progress_[j].kept)) copy_column(kept_.view(), x, j);
    }
  }

  void copy_column(ConstView from, View to, std::size_t j) {
    const int column = static_cast<int>(j);
    system_.backend().copy(from.slice(column, 1), to.slice(column, 1));
  }

  /// Records and reports an iterate; true where it is the last.
  bool note(const ColumnScalars& norms) {
    const double relative = largest_relative(norms);
    if (result_.iterations % result_.history_every == 0) result_.history.push_back(relative);
    if (result_.history.size() >= longest_history) thin_history();
    const std::optional<SolveStatus> status = ended(norms, news(relative));
    if (status) result_.status = *status;
    return status.has_value();
  }

  /// What the first rank's clock and observer say.
  struct News {
    double seconds;
    bool go_on;
  };
  News news(double relative) {
    News mine{timer_.seconds(), true};
    if (observer_) mine.go_on = observer_({result_.iterations, relative, mine.seconds});
    return system_.backend().communicator().of_first(mine);
  }

  void thin_history() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < result_.history.size(); i += 2) {
      result_.history[kept++] = result_.history[i];
    }
    result_.history.resize(kept);
    result_.history_every *= 2;
  }

  std::optional<SolveStatus> ended(const ColumnScalars& norms, const News& news) const {
    bool converged = true, stuck = false;
    for (std::size_t j = 0; j < norms.size(); ++j) {
      const Progress& column = progress_[j];
      if (column.smallest <= goals_[j]) continue;
      converged = false;
      const bool waiting = column.since_smallest >= patience_.iterations;
      if (!std::isfinite(norms[j]) || norms[j] > patience_.largest_growth * column.smallest ||
          (waiting && norms[j] > stuck_growth * column.smallest)) {
        return SolveStatus::diverged;
      }
      stuck = stuck || waiting;
    }
    if (converged) return SolveStatus::converged;
    if (stuck) return SolveStatus::stagnated;
    if (!news.go_on) return SolveStatus::cancelled;
    if (options_.time_limit > 0.0 && news.seconds > options_.time_limit) {
      return SolveStatus::time_limit;
    }
    if (result_.iterations >= options_.max_iterations) return SolveStatus::max_iterations;
    return std::nullopt;
  }

  bool within(const ColumnScalars& norms) const {
    return std::ranges::equal(norms, goals_, std::less_equal<>());
  }

  double largest_relative(ColumnScalars norms) const {
    for (std::size_t j = 0; j < norms.size(); ++j) norms[j] *= scales_[j];
    return largest(norms);
  }

  /// NaN where there is one.
  static double largest(const ColumnScalars& numbers) {
    double largest = 0.0;
    for (const double number : numbers) {
      if (!(number <= largest)) largest = number;
      if (std::isnan(largest)) break;
    }
    return largest;
  }

  void finish() {
    result_.relative_residuals = result_.residual_norms;
    for (std::size_t j = 0; j < scales_.size(); ++j) result_.relative_residuals[j] *= scales_[j];
    result_.residual_norm = largest(result_.residual_norms);
    result_.relative_residual = largest(result_.relative_residuals);
    result_.operator_applications = system_.products();
  }

  LinearSystem& system_;
  LinearStep& step_;
  ConstView b_;
  const LinearOptions& options_;
  const Timer& timer_;
  const LinearObserver& observer_;
  LinearResult& result_;
  Patience patience_;
  MultiVector r_, kept_;
  ColumnScalars scales_, goals_;
  std::vector<Progress> progress_;
};

}  // namespace

void iterate(LinearSystem& system, LinearStep& step, ConstView b, View x, bool x_is_zero,
             const LinearOptions& options, const Timer& timer, const LinearObserver& observer,
             LinearResult& result) {
  Loop(system, step, b, options, timer, observer, result).run(x, x_is_zero);
}

}  // namespace cisolve
