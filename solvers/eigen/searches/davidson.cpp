#include "solvers/eigen/searches/davidson.hpp"

#include <algorithm>

#include "solvers/eigen/methods.hpp"

namespace cisolve {
namespace {

// Smallest magnitude of the preconditioner's denominators, in units of the scale.
constexpr double smallest_denominator = 1e-2;

/// T := the columns `chosen` (ascending) of R, neighbours in one piece.
void copy_columns(Backend& backend, ConstView r, const std::vector<int>& chosen, View t) {
  for (int first = 0; first < t.columns;) {
    int count = 1;
    while (first + count < t.columns && chosen[first + count] == chosen[first] + count) ++count;
    backend.copy(r.slice(chosen[first], count), t.slice(first, count));
    first += count;
  }
}

}  // namespace

void DavidsonSearch::compute_residuals(int count, View r) {
  residuals_ = r;
  norms().resize(count);
  if (count == 0) return;
  space_.residuals(r, norms());
}

int DavidsonSearch::width(const SectorTask& task) const {
  return task.one_vector() ? std::min(1, room()) : static_cast<int>(task.targets.size());
}

void DavidsonSearch::make_room(SectorTask& task, int) {
  const int count = std::max<int>(task.one_vector() ? 1 : 0, static_cast<int>(task.targets.size()));
  if (count > room() && limit() < dimension()) {
    const int free = limit() - count;
    const int kept = std::clamp(tracked(), 1, free);
    space_.restart(std::min(kept, size()), std::min(kept, free - kept));
  }
  task.targets.resize(std::min<std::size_t>(task.targets.size(), room()));
}

void DavidsonSearch::propose(const SectorTask& task, std::uint64_t seed, double energy, View t) {
  if (t.columns == 0) return;
  if (task.random) return make_random(seed, energy, t);
  theta_.resize(t.columns);
  for (int j = 0; j < t.columns; ++j) {
    theta_[j] = space_.values()[task.targets[j]];
  }
  // t = −M⁻¹r
  copy_columns(backend(), residuals_, task.targets, t);
  preconditioner().correct(theta_, denominator(), smallest_denominator, t);
  if (olsen_.columns > 0) add_olsen_term(task, t);
}

void DavidsonSearch::propose_residuals(const SectorTask& task, View t) {
  if (t.columns > 0) copy_columns(backend(), residuals_, task.targets, t);
}

/// Traffic: V once, 13 numbers a row, and two waits for every column of T.
void DavidsonSearch::add_olsen_term(const SectorTask& task, View t) {
  for (int j = 0; j < t.columns; ++j) {
    const View x = olsen_.slice(0, 1), y = olsen_.slice(1, 1), t_j = t.slice(j, 1);
    // y = −M⁻¹x
    space_.vector(task.targets[j], x);
    backend().copy(x, y);
    preconditioner().apply({&theta_[j], 1}, denominator(), smallest_denominator, y);
    // t −= y xᵀt / xᵀy, where xᵀy is real: M multiplies from the left
    backend().gram(x, t_j, product_);
    double xy = 0.0;
    backend().column_dots(x, y, {&xy, 1});
    if (xy != 0.0) backend().combine(-1.0, y, HostMatrix(product_ / xy), 1.0, t_j);
  }
}

int DavidsonSearch::accept(const SectorTask& task, View t) {
  const int added = space_.orthonormalize(t);
  if (added > 0 || task.one_vector() || t.columns == 0) return added;
  copy_columns(backend(), residuals_, task.targets, t);
  return space_.orthonormalize(t);
}

/// The highest pair first there, the lowest here.
void DavidsonSearch::take_earlier(const HostMatrix& c) {
  const int d = backend().components();
  HostMatrix reversed(c.rows(), c.cols());
  for (Eigen::Index i = 0; i < c.rows(); i += d) {
    reversed.middleRows(c.rows() - d - i, d) = c.middleRows(i, d);
  }
  space_.take_earlier(reversed);
}

bool DavidsonSearch::append(ConstView t, View at, bool) {
  return space_.append(t, at);
}

// Reads of vectors: one for the projected matrix, one for the residuals, four to make the new
// vectors orthogonal (two passes); of images: one for the residuals.
EigenMethodTraits davidson_eigen_method() {
  return {.method = EigenMethod::davidson,
          .summary = "block Davidson, the fewest products",
          .basis = "davidson",
          .corrects = true,
          .keeps_images = true,
          .chooses_basis = true,
          .blocks_at_least = 2,
          .blocks_by_choice = 1,
          .rounding = 32.0,
          .basis_reads = 7.0 / 2.0,
          .make = make_davidson<DavidsonSearch>};
}

}  // namespace cisolve
