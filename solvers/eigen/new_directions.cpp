#include "solvers/eigen/new_directions.hpp"

#include <algorithm>

#include "solvers/eigen/methods.hpp"
#include "solvers/eigen/steps/project.hpp"

namespace cisolve {

NewDirections::NewDirections(Workspace& work, Roots& roots, Progress& progress)
    : work_(work), roots_(roots), progress_(progress), outlook_(work) {
  new_.added.assign(work.sectors(), 0);
  new_.whole.assign(work.sectors(), 0);
  seeds_.resize(work.sectors());
}

/// Seeds of the sectors' random vectors in this iteration.
std::span<const std::uint64_t> NewDirections::seeds() {
  for (int s = 0; s < work_.sectors(); ++s) {
    seeds_[s] = work_.options.seed + 1000003 * static_cast<std::uint64_t>(s) +
                1000000007 * static_cast<std::uint64_t>(progress_.iterations());
  }
  return seeds_;
}

void NewDirections::start(std::span<const int> known, const SolverState* given) {
  start_block(work_, known, given, seeds(), new_);
}

bool NewDirections::correct() {
  const Way way = choose_way();
  if (way == Way::krylov_space) roots_.plan_all(work_.block);
  make_room();
  int most = 1;
  for (int s = 0; s < work_.sectors(); ++s) most = std::max(most, width(s));
  new_.t = work_.new_vectors.narrowed(most);
  seeds();
  for (int s = 0; s < work_.sectors(); ++s) {
    const View t = work_.part(new_.t, s), own = t.slice(0, width(s));
    if (way != Way::preconditioned) {
      work_.search(s).propose_residuals(roots_.task(s), own);
    } else {
      work_.search(s).propose(roots_.task(s), seeds_[s], roots_.highest(), own);
    }
    work_.backend.fill(0.0, t.slice(own.columns, most - own.columns));
  }
  const auto goes_on = [&] { return progress_.observe_correction(); };
  if (way == Way::krylov_space) {
    krylov_.correct(new_.t, work_.new_images.narrowed(most), goes_on);
    outlook_.leave_out_next();
  }
  if (way == Way::polynomial) {
    // The residuals' part outside the subspace, where lower energies are, would grow by more.
    if (work_.options.project) project(work_, new_.t);
    chebyshev_.correct(roots_, new_.t, goes_on);
  }
  return accept();
}

bool NewDirections::take(View t) {
  new_.t = t;
  make_room();
  accept();
  return new_.columns() > 0;
}

void NewDirections::make_room() {
  for (int s = 0; s < work_.sectors(); ++s) {
    work_.search(s).make_room(roots_.task(s), roots_.wanted(s));
  }
}

/// The way that the states' residuals suggest, not those of their neighbours; not in a sector that
/// is to take a random vector.
NewDirections::Way NewDirections::choose_way() {
  if (!traits_of(work_.options.method).corrects) return Way::preconditioned;
  const bool of_states = !roots_.all_small();
  if (of_states) outlook_.follow(roots_);
  for (int s = 0; s < work_.sectors(); ++s) {
    if (roots_.task(s).one_vector()) return Way::preconditioned;
  }
  if (of_states && krylov_.worth(roots_)) return Way::krylov_space;
  const bool pays = of_states ? chebyshev_.worth(roots_) : chebyshev_.still_worth(roots_);
  return pays ? Way::polynomial : Way::preconditioned;
}

/// T_s ← its part that is left once it is made orthonormal to V_s and projected; false when there
/// is none, in any sector, and of no random vector that is news.
bool NewDirections::accept() {
  const int most = new_.t.columns;
  for (int s = 0; s < work_.sectors(); ++s) {
    const View t = work_.part(new_.t, s);
    new_.added[s] = work_.search(s).accept(roots_.task(s), t.slice(0, width(s)));
    work_.backend.fill(0.0, t.slice(new_.added[s], most - new_.added[s]));
  }
  if (work_.options.project) {
    keep_to_subspace(work_, new_.t, new_.added);
    if (take_residuals()) keep_to_subspace(work_, new_.t, new_.added);
  }
  bool news = false;
  for (int s = 0; s < work_.sectors(); ++s) {
    new_.whole[s] = width(s) > 0 && new_.added[s] == width(s);
    if (new_.added[s] > 0 || width(s) == 0 || !roots_.task(s).random) continue;
    work_.search(s).nothing_left_of_random();
    news = true;
  }
  return new_.columns() > 0 || news;
}

/// T_s becomes the residuals in sectors whose corrections have no part in the subspace; residuals
/// have one. False if there are no such sectors.
bool NewDirections::take_residuals() {
  bool any = false;
  for (int s = 0; s < work_.sectors(); ++s) {
    const SectorTask& task = roots_.task(s);
    if (!traits_of(work_.options.method).corrects || new_.added[s] > 0 || width(s) == 0 ||
        task.one_vector())
      continue;
    work_.search(s).propose_residuals(task, work_.part(new_.t, s).slice(0, width(s)));
    new_.added[s] = width(s);
    any = true;
  }
  return any;
}

}  // namespace cisolve
