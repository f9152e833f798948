#include "solvers/linear/linear_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/linear/methods.hpp"

namespace cisolve {
namespace {

// A method that recurs its residual may say that it is done where the true residual is not: it then
// begins anew from there, so many times, and while that makes it this much smaller.
constexpr int most_beginnings = 5;
constexpr double worth_beginning = 0.9;
// A recurred residual is compared with the true one where rounding, by its bound, may be a tenth of
// it, and is no longer followed where it is less than half of that.
constexpr double in_doubt = 10.0, drifted = 0.5;
constexpr std::size_t longest_history = 4096;
// Rounding lets a residual that has stopped falling swing by less.
constexpr double stuck_growth = 10.0;

// An iterate is kept once its residual is below this part of that of the iterate kept before: the
// copies are then few, however many the iterations.
constexpr double kept_again = 0.5;
// Ratio of the norms of two iterates above which the longer one has to have a clearly lower
// residual: where a step follows a null vector, rounding alone makes the difference.
constexpr double much_longer = 10.0;

/// Residual norms of a column.
struct Progress {
  double now = 0.0;
  double smallest = std::numeric_limits<double>::infinity();
  int since_smallest = 0;
  double kept = std::numeric_limits<double>::infinity();  ///< of the iterate kept
};

class Loop {
 public:
  Loop(LinearSystem& system, LinearStep& step, ConstView b, const ColumnScalars& goals,
       const LinearOptions& options, const Timer& timer, const LinearObserver& observer,
       LinearResult& result)
      : system_(system),
        step_(step),
        b_(b),
        goals_(goals),
        options_(options),
        timer_(timer),
        observer_(observer),
        result_(result),
        traits_(traits_of(options.method)),
        r_(system.backend(), b.rows, b.columns),
        kept_(system.backend(), b.rows, b.columns),
        norms_of_b_(system.norms(b)),
        largest_x_(norms_of_b_.size()) {
    for (const double norm : norms_of_b_) scales_.push_back(norm > 0.0 ? 1.0 / norm : 1.0);
  }

  void run(View x, bool x_is_zero) {
    if (x_is_zero) {
      system_.backend().copy(b_, r_.view());
    } else {
      system_.residual(b_, x, r_.view());
    }
    if (result_.history.empty()) result_.setup_applications = system_.products();
    ColumnScalars before(goals_.size(), std::numeric_limits<double>::infinity());
    for (beginning_ = 1;; ++beginning_) {
      progress_.assign(goals_.size(), Progress{});
      const std::optional<SolveStatus> ended = sweep(x);
      settle(x);
      result_.status = ended.value_or(SolveStatus::stagnated);
      if (within(result_.residual_norms)) result_.status = SolveStatus::converged;
      if (ended || result_.status == SolveStatus::converged) break;
      if (beginning_ == most_beginnings || !shrank(before)) break;
      if (result_.iterations >= options_.max_iterations) {
        result_.status = SolveStatus::max_iterations;
        break;
      }
      before = result_.residual_norms;
    }
    finish();
  }

 private:
  /// Iterates from x, whose residual is in r. None where it is the residual of x itself that
  /// decides: the recurred one is within the goals, or is not what it was.
  std::optional<SolveStatus> sweep(View x) {
    system_.backend().copy(x, kept_.view());
    step_.begin(r_.view());
    bool begins = true, leads_on = true;
    while (true) {
      ColumnScalars norms = system_.norms(r_.view());
      const bool better = improves(norms);
      const ColumnScalars lengths = better ? system_.norms(x) : ColumnScalars();
      if (better && !begins && traits_.recurs && is_in_doubt(lengths, norms)) {
        leads_on = follows(x, norms);
      }
      note_progress(norms);
      if (better) keep(x, lengths, norms);
      const bool seen = begins && result_.iterations > 0;  // at the end of the sweep before
      if (const auto ended = seen ? std::nullopt : note(norms)) {
        return *ended == SolveStatus::converged ? std::nullopt : ended;
      }
      if (!leads_on || (!begins && is_exhausted())) return std::nullopt;
      if (const auto failed = step_.advance(b_, x, r_.view())) return failed;
      begins = r_is_of_x_ = false;
      ++result_.iterations;
    }
  }

  /// True if x is to be kept: it is well below the one kept, or the first within the goal.
  bool improves(std::size_t j, double norm) const {
    const double kept = progress_[j].kept;
    return norm < kept_again * kept || (norm <= goals_[j] && kept > goals_[j]);
  }

  bool improves(const ColumnScalars& norms) const {
    for (std::size_t j = 0; j < norms.size(); ++j) {
      if (improves(j, norms[j])) return true;
    }
    return false;
  }

  /// True if x is about to be kept for a residual that may be rounding's. `lengths`: of x.
  bool is_in_doubt(const ColumnScalars& lengths, const ColumnScalars& norms) {
    std::vector<std::size_t> improved;
    for (std::size_t j = 0; j < norms.size(); ++j) {
      if (improves(j, norms[j])) improved.push_back(j);
    }
    for (std::size_t j = 0; j < lengths.size(); ++j) {
      largest_x_[j] = std::max(largest_x_[j], lengths[j]);
    }
    return beginning_ > 1 || std::ranges::any_of(improved, [&](std::size_t j) {
             return norms[j] < in_doubt * system_.rounding(largest_x_[j], norms_of_b_[j]);
           });
  }

  /// R and its norms := those of x. True if the recurred norms agree with them.
  bool follows(ConstView x, ColumnScalars& norms) {
    const ColumnScalars recurred = norms;
    system_.residual(b_, x, r_.view());
    r_is_of_x_ = true;
    norms = system_.norms(r_.view());
    bool follows = true;
    for (std::size_t j = 0; j < norms.size(); ++j) {
      follows = follows && (norms[j] <= goals_[j] || recurred[j] >= drifted * norms[j]);
    }
    return follows;
  }

  bool is_exhausted() const {
    for (std::size_t j = 0; j < goals_.size(); ++j) {
      if (progress_[j].smallest > goals_[j] && !step_.exhausted(static_cast<int>(j))) return false;
    }
    return true;
  }

  /// X := of each column the better one of the last iterate and the one kept; its residual.
  void settle(View x) {
    const auto residual_norms = [&] {
      system_.residual(b_, x, r_.view());
      return system_.norms(r_.view());
    };
    const ColumnScalars lengths = system_.norms(x);
    for (std::size_t j = 0; j < progress_.size(); ++j) {
      if (std::isfinite(lengths[j])) continue;
      progress_[j].now = std::numeric_limits<double>::infinity();
    }
    const bool is_last = !take_kept(lengths, x);
    result_.residual_norms = is_last && r_is_of_x_ ? system_.norms(r_.view()) : residual_norms();
    r_is_of_x_ = false;
    bool worse = false;
    for (std::size_t j = 0; j < progress_.size(); ++j) {
      if (result_.residual_norms[j] <= std::max(goals_[j], progress_[j].kept)) continue;
      if (!(progress_[j].now < progress_[j].kept)) continue;
      copy_column(kept_.view(), x, j);
      worse = true;
    }
    if (worse) result_.residual_norms = residual_norms();
  }

  /// True if a column that has not come to its goal has come nearer to it.
  bool shrank(const ColumnScalars& before) const {
    for (std::size_t j = 0; j < goals_.size(); ++j) {
      const double now = result_.residual_norms[j];
      if (now > goals_[j] && now <= worth_beginning * before[j]) return true;
    }
    return false;
  }

  void note_progress(const ColumnScalars& norms) {
    for (std::size_t j = 0; j < norms.size(); ++j) {
      Progress& column = progress_[j];
      column.now = norms[j];
      ++column.since_smallest;
      if (norms[j] < column.smallest) {
        column.smallest = norms[j];
        column.since_smallest = 0;
      }
    }
  }

  /// Keeps the columns of x that are better and finite: a residual does not tell that where no
  /// element of the matrix meets an infinite one of x.
  void keep(ConstView x, const ColumnScalars& lengths, const ColumnScalars& norms) {
    for (std::size_t j = 0; j < norms.size(); ++j) {
      if (!improves(j, norms[j]) || !std::isfinite(lengths[j])) continue;
      progress_[j].kept = norms[j];
      copy_column(x, kept_.view(), j);
    }
  }

  /// Takes the kept iterate where the last one is not as good; whether there was one.
  bool take_kept(const ColumnScalars& lengths, View x) {
    const ColumnScalars of_kept = system_.norms(kept_.view());
    bool taken = false;
    for (std::size_t j = 0; j < progress_.size(); ++j) {
      const bool longer = lengths[j] > much_longer * of_kept[j];
      const double gain = longer ? system_.rounding(lengths[j], norms_of_b_[j]) : 0.0;
      if (progress_[j].now <= progress_[j].kept - gain) continue;
      copy_column(kept_.view(), x, j);
      progress_[j].now = progress_[j].kept;
      taken = true;
    }
    return taken;
  }

  void copy_column(ConstView from, View to, std::size_t j) {
    const int column = static_cast<int>(j);
    system_.backend().copy(from.slice(column, 1), to.slice(column, 1));
  }

  /// Records and reports an iterate; a status where it is the last.
  std::optional<SolveStatus> note(const ColumnScalars& norms) {
    const double relative = largest_relative(norms);
    if (result_.iterations % result_.history_every == 0) result_.history.push_back(relative);
    if (result_.history.size() >= longest_history) thin_history();
    return ended(norms, news(relative));
  }

  /// Answer of the first rank's clock and observer.
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
      if (step_.exhausted(static_cast<int>(j))) continue;  // stays as it is, while others go on
      const bool waiting = column.since_smallest >= traits_.patience.iterations;
      if (!std::isfinite(norms[j]) ||
          norms[j] > traits_.patience.largest_growth * column.smallest ||
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
  const ColumnScalars& goals_;
  const LinearOptions& options_;
  const Timer& timer_;
  const LinearObserver& observer_;
  LinearResult& result_;
  const LinearMethodTraits& traits_;
  MultiVector r_, kept_;
  ColumnScalars norms_of_b_, scales_;
  ColumnScalars largest_x_;  ///< norms of iterates, where one was kept
  std::vector<Progress> progress_;
  int beginning_ = 1;
  bool r_is_of_x_ = false;  ///< R was computed from the last iterate by this loop
};

}  // namespace

void iterate(LinearSystem& system, LinearStep& step, ConstView b, View x, bool x_is_zero,
             const ColumnScalars& goals, const LinearOptions& options, const Timer& timer,
             const LinearObserver& observer, LinearResult& result) {
  Loop(system, step, b, goals, options, timer, observer, result).run(x, x_is_zero);
}

}  // namespace cisolve
