#include <algorithm>
#include <vector>

#include "backends/field/field_backend.hpp"
#include "backends/ranks/rank_timer.hpp"
#include "solvers/eigen/convergence/attainable_residual.hpp"
#include "solvers/eigen/convergence/precision.hpp"
#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/methods.hpp"
#include "solvers/eigen/new_directions.hpp"
#include "solvers/eigen/progress.hpp"
#include "solvers/eigen/resume.hpp"
#include "solvers/eigen/scaled_problem.hpp"
#include "solvers/eigen/solve_end.hpp"
#include "solvers/eigen/steps/workspace.hpp"

// Outline. A is block-diagonal; its rows are ordered by sector. Every sector s has its own basis.
// The vectors of different sectors share one vector of n, so that one product serves them all.
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
              const EigenOptions& options, const EigenObserver& observer)
      : timer_(backend.communicator()),
        work_(a, backend, p_space, options),
        roots_(work_.searches, options),
        progress_(timer_, work_, roots_, observer),
        end_(work_, roots_, directions_, progress_, work_.ranks().of_first(p_space.seconds),
             result_) {
    result_.attainable_residual = attainable_.now();
    result_.tolerance = options.residual_tolerance();
    result_.energy_tolerance = options.change_tolerance();
    roots_.begin_anew(attainable());
    for (int s = 0; s < work_.sectors(); ++s) result_.sector_sizes.push_back(work_.rows_of(s));
    tracked_.resize(work_.sectors());
  }

  EigenResult solve() {
    begin();
    while (true) {
      if (new_.columns() > 0 && !expand()) {
        result_.status = SolveStatus::breakdown;
        break;
      }
      roots_.choose(new_.whole);
      compute_residuals();
      if (roots_.all_small() && refine()) continue;
      if (end_.reached()) break;
      checkpoint(false);
      if (roots_.all_small()) {
        if (correct_neighbours() || end_.exclude_lower()) continue;
        break;
      }
      roots_.plan();
      if (directions_.correct() || refine()) continue;
      result_.status = SolveStatus::stagnated;
      break;
    }
    if (result_.status != SolveStatus::breakdown) checkpoint(true);
    return end_.finish();
  }

 private:
  void begin() {
    const SolverState* from = work_.options.begin_from;
    std::vector<int> known(work_.sectors(), 0);
    // Images that are resumed are those of the matrix in double.
    const bool resumable = from != nullptr && can_resume(work_, *from) &&
                           (!is_rounded(work_) || refine_operator(work_, 0, result_));
    if (!resumable) {
      directions_.start(known, from);
    } else {
      roots_.begin_anew(result_.attainable_residual);
      resume(work_, roots_, *from);
      directions_.polynomials().take_bound(from->upper_bound);
      if (from->pace) directions_.outlook().take_pace(*from->pace);
      for (int s = 0; s < work_.sectors(); ++s) known[s] = roots_.wanted(s);
      if (from->states < work_.options.states) directions_.start(known, nullptr);
    }
    if (from != nullptr) progress_.go_on_from(*from);
  }

  /// An iteration: one product with the new vectors, which join the bases; false when it brought
  /// NaN or infinity.
  bool expand() {
    const int columns = new_.columns();
    const View t = new_.t.slice(0, columns), at = work_.new_images.narrowed(columns);
    work_.a.apply(t, at);
    progress_.count_iteration();
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
    attainable_.update(roots_, result_.tolerance, end_.vectors());
    result_.attainable_residual = attainable_.now();
    roots_.aim_above(attainable());
  }

  /// A pair just above the highest state makes the search slow, which can hardly tell it from a
  /// lower one, unless it is left out: it is corrected before, for a few iterations.
  bool correct_neighbours() {
    const int iterations = progress_.iterations_of_run();
    if (!corrects() || iterations >= work_.options.max_iterations) return false;
    if (4 * neighbour_iterations_ >= iterations + 8) return false;
    if (!roots_.plan_neighbours() || !directions_.correct()) return false;
    ++neighbour_iterations_;
    std::ranges::fill(new_.whole, 0);  // no state was worked on
    return true;
  }

  void checkpoint(bool last) {
    if (!work_.options.checkpoint) return;
    work_.options.checkpoint(progress_.iterations(), last, [this] {
      SolverState state = state_of(work_, roots_);
      state.iterations = progress_.iterations();
      state.upper_bound = directions_.polynomials().bound();
      state.pace = directions_.outlook().pace();
      state.probe_applications = progress_.probes();
      state.operator_applications = progress_.products() - progress_.probes();
      state.seconds = progress_.seconds_of_all();
      return state;
    });
  }

  /// False where A is in double precision already, or has no room in it.
  bool refine() {
    return is_rounded(work_) &&
           to_double_precision(work_, roots_, progress_.iterations_of_run(), result_, new_);
  }

  /// Residual norms that rounding allows. In single precision they are known to the matrix's; the
  /// solve goes on from there in double.
  double attainable() const {
    return std::max(result_.attainable_residual, work_.a.rounding_error());
  }

  bool corrects() const { return traits_of(work_.options.method).corrects; }

  RankTimer timer_;
  Workspace work_;
  Roots roots_;
  AttainableResidual attainable_{work_};
  EigenResult result_;
  Progress progress_;
  NewDirections directions_{work_, roots_, progress_};
  NewVectors& new_ = directions_.now();
  SolveEnd end_;
  std::vector<int> tracked_;
  int neighbour_iterations_ = 0;  ///< of correct_neighbours
};

}  // namespace

EigenResult lowest_eigenpairs(LinearOperator& a, Backend& backend, const PSpace& p_space,
                              const EigenOptions& options, const EigenObserver& observer) {
  Communicator& ranks = backend.communicator();
  require_valid(a, static_cast<Index>(ranks.total(a.rows())) / a.components(), options);
  std::unique_ptr<Backend> over_k;
  if (a.components() > 1) over_k = make_field_backend(backend, a.components());
  Backend& on = over_k ? *over_k : backend;
  const auto solve = [&on](LinearOperator& scaled, const PSpace& p, const EigenOptions& inner,
                           const EigenObserver& show) {
    return Eigensolver(scaled, on, p, inner, show).solve();
  };
  if (ranks.alone()) return solve_scaled(a, backend, p_space, options, observer, solve);
  const auto of_first = [&](const EigenIteration& iteration) {
    return ranks.of_first(!observer || observer(iteration));
  };
  return solve_scaled(a, backend, p_space, options, of_first, solve);
}

}  // namespace cisolve
