#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "backends/ranks/rank_timer.hpp"
#include "core/error.hpp"
#include "solvers/eigen/attainable_residual.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/final_states.hpp"
#include "solvers/eigen/lower/lower_states.hpp"
#include "solvers/eigen/methods.hpp"
#include "solvers/eigen/resume.hpp"
#include "solvers/eigen/roots.hpp"
#include "solvers/eigen/scaled_problem.hpp"
#include "solvers/eigen/steps/chebyshev.hpp"
#include "solvers/eigen/steps/project.hpp"
#include "solvers/eigen/steps/start_block.hpp"
#include "solvers/eigen/steps/workspace.hpp"

// Outline. A is block-diagonal; its rows are brought together by sector. Every sector s has a basis
// of its own, and the vectors of different sectors lie side by side in one vector of n, so that one
// product serves them all.
//
//   T_s ← lowest eigenvectors of A_PP in s, at least one in each sector
//   repeat
//     [T_1; T_2; …] times A                                   products: the most columns a T_s has
//     V_s ← [V_s T_s], H_s = V_sᵀAV_s = SΘSᵀ;  R_s = A V_s S − V_s SΘ
//     wanted: the lowest k of all Θ_s; the pair above them in each sector is its guard
//     wanted pairs not yet small: T_s ← what the method makes of them, and of the guard where that
//       is free
//     all small: what is left is excluded (ExclusionSearch), or T_s ← the lower root found
//     a full V_s is restarted; T_s is orthonormalised to V_s and, where that is asked for,
//     projected
//   until the wanted are small and nothing lower is left

namespace cisolve {
namespace {

class Eigensolver {
 public:
  Eigensolver(LinearOperator& a, Backend& backend, const PSpace& p_space,
              const EigenOptions& options)
      : timer_(backend.communicator()),
        options_(options),
        work_(a, backend, p_space, options),
        roots_(work_.searches, options),
        vectors_(backend, work_.rows, options.states),
        lower_(work_, roots_, memory_for_search(), work_.ranks().of_first(p_space.seconds)) {
    result_.attainable_residual = attainable_.of_any();
    result_.tolerance = options.residual_tolerance();
    result_.energy_tolerance = options.change_tolerance();
    // In single precision a residual is known to the matrix's rounding; the solve goes on from
    // there in double.
    roots_.begin_anew(std::max(result_.attainable_residual, work_.a.rounding_error()));
    for (int s = 0; s < work_.sectors(); ++s) result_.sector_sizes.push_back(work_.rows_of(s));
    new_.added.assign(work_.sectors(), 0);
    tracked_.resize(work_.sectors());
    worked_.assign(work_.sectors(), 0);
    seeds_.resize(work_.sectors());
  }

  EigenResult solve(const EigenObserver& observer) {
    begin();
    while (true) {
      if (new_.columns() > 0 && !expand()) {
        result_.status = SolveStatus::breakdown;
        break;
      }
      roots_.choose(worked_);
      compute_residuals();
      if (work_.a.rounding_error() > 0.0 && roots_.all_small() && to_double_precision()) continue;
      if (stop(observer)) break;
      checkpoint(false);
      if (roots_.all_small()) {
        if (correct_neighbours(observer)) continue;
        if (!exclude_lower(observer)) break;
        continue;
      }
      roots_.plan();
      if (!correct(observer)) {
        if (work_.a.rounding_error() > 0.0 && to_double_precision()) continue;
        result_.status = SolveStatus::stagnated;
        break;
      }
    }
    if (result_.status != SolveStatus::breakdown) checkpoint(true);
    finish();
    result_.seconds = timer_.seconds();
    return std::move(result_);
  }

 private:
  /// Residuals are of no use any more, but Lanczos has the next block there.
  View memory_for_search() {
    return traits_of(options_.method).corrects ? work_.residuals.view() : vectors_.view();
  }

  void begin() {
    const SolverState* from = options_.begin_from;
    std::vector<int> known(work_.sectors(), 0);
    // Images that are resumed are those of the matrix in double.
    const bool resumable = from != nullptr && can_resume(work_, *from) &&
                           (work_.a.rounding_error() == 0.0 || refine_operator());
    if (!resumable) {
      start_block(work_, known, from, seeds(), new_);
    } else {
      roots_.begin_anew(result_.attainable_residual);
      resume(work_, roots_, *from);
      chebyshev_.take_bound(from->upper_bound);
      if (from->pace) chebyshev_.take_pace(*from->pace);
      for (int s = 0; s < work_.sectors(); ++s) known[s] = roots_.wanted(s);
      if (from->states < options_.states) start_block(work_, known, nullptr, seeds(), new_);
    }
    for (int s = 0; s < work_.sectors(); ++s) worked_[s] = new_.added[s] > 0;
    if (from == nullptr) return;
    first_iteration_ = result_.iterations = from->iterations;
    result_.probe_applications = probes_before_ = from->probe_applications;
    products_before_ = from->operator_applications + from->probe_applications;
    seconds_before_ = from->seconds;
  }

  std::span<const std::uint64_t> seeds() {
    for (int s = 0; s < work_.sectors(); ++s) {
      seeds_[s] = options_.seed + 1000003 * static_cast<std::uint64_t>(s) +
                  1000000007 * static_cast<std::uint64_t>(result_.iterations);
    }
    return seeds_;
  }

  /// Products so far, those of the solve gone on from with them.
  std::int64_t products() const { return products_before_ + work_.a.applications(); }

  /// An iteration: one product with the new vectors, which join the bases; false when it brought
  /// NaN or infinity.
  bool expand() {
    const int columns = new_.columns();
    const View t = new_.t.slice(0, columns), at = work_.new_images.narrowed(columns);
    work_.a.apply(t, at);
    ++result_.iterations;
    bool finite = true;
    for (int s = 0; s < work_.sectors(); ++s) {
      const int added = new_.added[s];
      finite = work_.search(s).append(work_.part(t, s).slice(0, added),
                                      work_.part(at, s).slice(0, added), false) &&
               finite;
    }
    return finite;
  }

  void compute_residuals() {
    for (int s = 0; s < work_.sectors(); ++s) tracked_[s] = roots_.tracked(s);
    const int room = work_.residuals.columns();
    const View r = work_.residuals.narrowed(std::min(*std::ranges::max_element(tracked_), room));
    for (int s = 0; s < work_.sectors(); ++s) {
      const View r_s = work_.part(r, s).slice(0, std::min(tracked_[s], room));
      work_.search(s).compute_residuals(tracked_[s], r_s);
    }
    // Without corrections, which divide by the diagonal, its largest elements are in all vectors.
    if (corrects() && result_.tolerance < attainable_.of_any() &&
        roots_.smallest_norm() <= attainable_.of_any()) {
      result_.attainable_residual = attainable_.of_wanted(roots_, vectors_.view());
      roots_.aim_above(std::max(result_.attainable_residual, work_.a.rounding_error()));
    }
  }

  bool stop(const EigenObserver& observer) {
    const bool go_on = !cancelled_ && (!observer || observe(observer));
    const bool found = roots_.all_small();
    if (found && work_.a.rounding_error() > 0.0) {
      result_.status = SolveStatus::stagnated;  // no room for the matrix in double
      return true;
    }
    if (found && options_.verify == Verify::off) {
      result_.status = SolveStatus::converged;
      return true;
    }
    // States found at the last iteration are still made sure of.
    if (found && go_on && lower_.taken() == 0) return false;
    if (!go_on) {
      result_.status = SolveStatus::cancelled;
    } else if (options_.time_limit > 0.0 && timer_.seconds() > options_.time_limit) {
      result_.status = SolveStatus::time_limit;
    } else if (result_.iterations - first_iteration_ >= options_.max_iterations) {
      result_.status = SolveStatus::max_iterations;
    } else {
      return false;
    }
    if (found) result_.exclusion.lower_exists = false;  // it is among the states
    return true;
  }

  bool observe(const EigenObserver& observer) {
    energies_.clear();
    norms_.clear();
    int basis = 0;
    for (const Root& root : roots_.list()) {
      energies_.push_back(root.energy);
      norms_.push_back(work_.search(root.sector).norm(root.number));
    }
    for (const auto& search : work_.searches) basis = std::max(basis, search->size());
    iteration_ = {result_.iterations,
                  basis,
                  energies_,
                  norms_,
                  roots_.small_count(),
                  products() - result_.probe_applications,
                  result_.probe_applications,
                  {},
                  timer_.seconds(),
                  work_.a.seconds()};
    return observer(iteration_);
  }

  /// A pair just above the highest state makes the search slow, which can hardly tell it from a
  /// lower one, unless it is left out: it is corrected before, for a few iterations.
  bool correct_neighbours(const EigenObserver& observer) {
    const int iterations = result_.iterations - first_iteration_;
    if (!corrects() || iterations >= options_.max_iterations) return false;
    if (4 * neighbour_iterations_ >= iterations + 8) return false;
    if (!roots_.plan_neighbours() || !correct(observer)) return false;
    ++neighbour_iterations_;
    std::ranges::fill(worked_, 0);  // no state was worked on
    return true;
  }

  /// Makes sure that nothing lower was missed, all states being found. False when the solve is
  /// over; else a lower state has joined the new vectors.
  bool exclude_lower(const EigenObserver& observer) {
    const std::uint64_t seed = options_.seed + 1000000007 * static_cast<std::uint64_t>(products());
    const auto show = [&](const ExclusionProgress& progress) {
      iteration_.probe_applications = probes_before_ + lower_.products() + progress.products;
      iteration_.exclusion = progress;
      iteration_.seconds = timer_.seconds();
      iteration_.product_seconds = work_.a.seconds();
      return !observer || observer(iteration_);
    };
    const bool found = lower_.search(timer_.seconds(), seconds_left(), seed, show);
    const bool taken = found && take_lower(show);
    result_.probe_applications = probes_before_ + lower_.products();
    result_.exclusion = lower_.exclusion();
    if (taken) return true;
    result_.status = lower_.interrupted()              ? SolveStatus::cancelled
                     : lower_.failed()                 ? SolveStatus::breakdown
                     : !result_.exclusion.lower_exists ? SolveStatus::converged
                     : lower_.out_of_time()            ? SolveStatus::time_limit
                                                       : SolveStatus::stagnated;
    result_.verified = result_.exclusion.gap <= verified_gap && result_.exclusion.cut_short.empty();
    return false;
  }

  double seconds_left() const {
    return options_.time_limit > 0.0 ? options_.time_limit - timer_.seconds()
                                     : std::numeric_limits<double>::infinity();
  }

  /// T_s ← what the search has of the lower states; false where V has them already, or the run is
  /// to end.
  bool take_lower(const LowerStates::Observer& show) {
    roots_.plan_lower(lower_.found());
    new_.t = work_.new_vectors.narrowed(1);
    if (!lower_.take(new_.t, seconds_left(), show)) return false;
    for (int s = 0; s < work_.sectors(); ++s) {
      work_.search(s).make_room(roots_.task(s), roots_.wanted(s));
    }
    accept_new();
    return new_.columns() > 0;
  }

  void checkpoint(bool last) {
    if (!options_.checkpoint) return;
    options_.checkpoint(result_.iterations, last, [this] {
      SolverState state = state_of(work_, roots_);
      state.iterations = result_.iterations;
      state.upper_bound = chebyshev_.bound();
      state.pace = chebyshev_.pace();
      state.probe_applications = result_.probe_applications;
      state.operator_applications = products() - result_.probe_applications;
      state.seconds = seconds_before_ + timer_.seconds();
      return state;
    });
  }

  /// False where the matrix in double has no room; a note then says so.
  bool refine_operator() {
    try {
      work_.a.to_double_precision();
    } catch (const ResourceError& error) {
      result_.notes.push_back(std::string("the matrix stays in single precision, and the residuals "
                                          "are those of the rounded one: ") +
                              error.what());
      return false;
    }
    result_.single_precision_iterations = result_.iterations - first_iteration_;
    return true;
  }

  /// From single precision to double: the Ritz vectors wanted and the guards begin anew, for the
  /// images of the bases are those of the rounded matrix. False where the matrix in double has no
  /// room beside the bases.
  bool to_double_precision() {
    if (!refine_operator()) return false;
    for (int s = 0; s < work_.sectors(); ++s) {
      new_.added[s] = std::min({roots_.wanted(s) + 1, work_.search(s).size(), work_.block});
      worked_[s] = new_.added[s] > 0;
    }
    new_.t = work_.new_vectors.narrowed(new_.columns());
    work_.backend.fill(0.0, new_.t);
    for (int s = 0; s < work_.sectors(); ++s) {
      work_.search(s).vectors(work_.part(new_.t, s).slice(0, new_.added[s]));
      work_.search(s).clear();
    }
    roots_.begin_anew(result_.attainable_residual);
    return true;
  }

  /// T_s ← the new directions; false when there are none in any sector, and none was found to be
  /// exhausted.
  bool correct(const EigenObserver& observer) {
    int most = 1;
    for (int s = 0; s < work_.sectors(); ++s) {
      work_.search(s).make_room(roots_.task(s), roots_.wanted(s));
      most = std::max(most, work_.search(s).width(roots_.task(s)));
    }
    const bool by_polynomial = corrects() && polynomials_pay() && no_vectors_given();
    new_.t = work_.new_vectors.narrowed(most);
    seeds();
    for (int s = 0; s < work_.sectors(); ++s) {
      const View t = work_.part(new_.t, s);
      const int width = work_.search(s).width(roots_.task(s));
      if (by_polynomial) {
        work_.search(s).propose_residuals(roots_.task(s), t.slice(0, width));
      } else {
        work_.search(s).propose(roots_.task(s), seeds_[s], roots_.highest(), t.slice(0, width));
      }
      work_.backend.fill(0.0, t.slice(width, most - width));
    }
    if (by_polynomial) {
      // What the residuals have outside the subspace, where lower energies are, would grow by more.
      if (options_.project) project(work_, new_.t);
      chebyshev_.correct(roots_, new_.t, [&] { return goes_on(observer); });
    }
    return accept_new();
  }

  /// Asked for after every product of a correction; the observer, who may be slow, now and then.
  bool goes_on(const EigenObserver& observer) {
    constexpr double interval = 0.2;
    if (seconds_left() <= 0.0) return false;
    if (!observer || timer_.seconds() < iteration_.seconds + interval) return true;
    iteration_.operator_applications = products() - result_.probe_applications;
    iteration_.seconds = timer_.seconds();
    iteration_.product_seconds = work_.a.seconds();
    iteration_.correcting = true;
    cancelled_ = !observer(iteration_);
    return !cancelled_;
  }

  /// As the residuals of states tell, not those of their neighbours.
  bool polynomials_pay() {
    return roots_.all_small() ? chebyshev_.still_worth(roots_) : chebyshev_.worth(roots_);
  }

  bool corrects() const { return traits_of(options_.method).corrects; }

  /// No sector is to take a random vector.
  bool no_vectors_given() {
    for (int s = 0; s < work_.sectors(); ++s) {
      if (roots_.task(s).one_vector()) return false;
    }
    return true;
  }

  /// What is left of T_s once it is made orthonormal to V_s and projected; false when nothing is,
  /// in any sector, and of no random vector that is news.
  bool accept_new() {
    const int most = new_.t.columns;
    for (int s = 0; s < work_.sectors(); ++s) {
      const View t = work_.part(new_.t, s);
      const int width = work_.search(s).width(roots_.task(s));
      new_.added[s] = work_.search(s).accept(roots_.task(s), t.slice(0, width));
      work_.backend.fill(0.0, t.slice(new_.added[s], most - new_.added[s]));
    }
    if (options_.project) {
      keep_to_subspace(work_, new_.t, new_.added);
      if (take_residuals()) keep_to_subspace(work_, new_.t, new_.added);
    }
    bool news = false;
    for (int s = 0; s < work_.sectors(); ++s) {
      const int width = work_.search(s).width(roots_.task(s));
      worked_[s] = width > 0 && new_.added[s] == width;
      if (new_.added[s] > 0 || width == 0 || !roots_.task(s).random) continue;
      work_.search(s).nothing_left_of_random();
      news = true;
    }
    return new_.columns() > 0 || news;
  }

  /// In sectors where nothing of the corrections lies in the subspace, T_s becomes the residuals,
  /// which do; false where there are none such.
  bool take_residuals() {
    bool any = false;
    for (int s = 0; s < work_.sectors(); ++s) {
      const SectorTask& task = roots_.task(s);
      const int width = work_.search(s).width(task);
      if (!corrects() || new_.added[s] > 0 || width == 0 || task.one_vector()) continue;
      work_.search(s).propose_residuals(task, work_.part(new_.t, s).slice(0, width));
      new_.added[s] = width;
      any = true;
    }
    return any;
  }

  void finish() {
    result_.vectors = std::move(vectors_);
    const bool cut_a_level = roots_.cut_a_level();
    final_states(
        work_, roots_,
        [this] {
          result_.notes.clear();
          refine_operator();
        },
        result_);
    const bool all = std::ranges::all_of(result_.converged, [](bool c) { return c; });
    if (result_.status == SolveStatus::converged && !all) result_.status = SolveStatus::stagnated;
    if (result_.status != SolveStatus::converged) result_.verified = false;
    if (cut_a_level && result_.status == SolveStatus::converged) {
      result_.notes.push_back(
          "the highest state is one of a degenerate level that has more states than were asked "
          "for");
    }
    result_.operator_applications = products() - result_.probe_applications;
    result_.product_seconds = work_.a.seconds();
  }

  RankTimer timer_;
  const EigenOptions& options_;
  Workspace work_;
  Roots roots_;
  AttainableResidual attainable_{work_};
  Chebyshev chebyshev_{work_};
  NewVectors new_;
  std::vector<int> tracked_;
  std::vector<char> worked_;  ///< the basis of a sector has grown by all that was proposed
  std::vector<std::uint64_t> seeds_;
  std::vector<double> energies_, norms_;
  EigenIteration iteration_;
  bool cancelled_ = false;        ///< within a correction
  int neighbour_iterations_ = 0;  ///< of correct_neighbours
  // Of the solve gone on from:
  int first_iteration_ = 0;
  std::int64_t products_before_ = 0, probes_before_ = 0;
  double seconds_before_ = 0.0;
  EigenResult result_;
  MultiVector vectors_;  ///< the result's
  LowerStates lower_;
};

}  // namespace

EigenResult lowest_eigenpairs(LinearOperator& a, Backend& backend, const PSpace& p_space,
                              const EigenOptions& options, const EigenObserver& observer) {
  Communicator& ranks = backend.communicator();
  require_valid(a, static_cast<Index>(ranks.total(a.rows())), options);
  const auto solve = [&backend](LinearOperator& scaled, const PSpace& p, const EigenOptions& inner,
                                const EigenObserver& show) {
    return Eigensolver(scaled, backend, p, inner).solve(show);
  };
  if (ranks.alone()) return solve_scaled(a, backend, p_space, options, observer, solve);
  const auto of_first = [&](const EigenIteration& iteration) {
    return ranks.of_first(!observer || observer(iteration));
  };
  return solve_scaled(a, backend, p_space, options, of_first, solve);
}

}  // namespace cisolve
