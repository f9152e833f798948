#include "solvers/eigen/final_states.hpp"
#include "core/dense/host_matrix.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "solvers/eigen/convergence/precision.hpp"
#include "solvers/eigen/steps/project.hpp"

namespace cisolve {
namespace {

// Length of a state's part outside the subspace that states are sought in: its square is in doubt
// of what is measured of the state. Projection leaves some 1e-13.
constexpr double most_outside = 1e-6;

/// The wanted pairs of a sector.
struct Pairs {
  HostVector energies;
  std::vector<double> norms;  ///< of the residuals
};

void give_up(const Workspace& work, EigenResult& result) {
  const auto count = static_cast<std::size_t>(work.options.states);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  result.energies.assign(count, nan);
  result.residual_norms.assign(count, nan);
  result.energy_changes.assign(count, nan);
  result.converged.assign(count, false);
  result.sectors.assign(count, 0);
  work.backend.fill(nan, result.vectors.view());
}

/// The wanted vectors of the sectors side by side, in the memory of the new vectors.
View wanted_vectors(Workspace& work, const Roots& roots) {
  int most = 0;
  for (int s = 0; s < work.sectors(); ++s) most = std::max(most, roots.wanted(s));
  const View t = work.new_vectors.narrowed(most);
  work.backend.fill(0.0, t);
  for (int s = 0; s < work.sectors(); ++s) {
    const int wanted = roots.wanted(s);
    if (wanted > 0) work.search(s).vectors(work.part(t, s).slice(0, wanted));
  }
  return t;
}

/// Energies and residual norms of T's vectors, whose images are in the memory of the new ones; as
/// Rayleigh quotients where the Ritz values are of another matrix.
std::vector<Pairs> measure(Workspace& work, const Roots& roots, View t, View image,
                           bool rayleigh_quotients) {
  std::vector<Pairs> pairs(work.sectors());
  for (int s = 0; s < work.sectors(); ++s) {
    const int wanted = roots.wanted(s);
    if (wanted == 0) continue;
    const View x = work.part(t, s).slice(0, wanted), r = work.part(image, s).slice(0, wanted);
    pairs[s].energies = work.search(s).values().head(wanted);
    if (rayleigh_quotients) {
      work.backend.column_dots(x, r, {pairs[s].energies.data(), static_cast<std::size_t>(wanted)});
    }
    work.backend.combine(-1.0, x, HostMatrix(pairs[s].energies.asDiagonal()), 1.0, r);
    pairs[s].norms.resize(wanted);
    work.backend.column_norms(r, pairs[s].norms);
  }
  return pairs;
}

/// Lengths of each sector's vectors in T outside the subspace, if states are sought in one alone;
/// `scratch` is as large as T.
std::vector<std::vector<double>> outside_subspace(Workspace& work, View t, View scratch) {
  std::vector<std::vector<double>> lengths(work.sectors(), std::vector<double>(t.columns, 0.0));
  if (!work.options.project) return lengths;
  work.backend.copy(t, scratch);
  project(work, scratch);
  work.backend.axpby(1.0, t, -1.0, scratch);
  for (int s = 0; s < work.sectors(); ++s) {
    work.backend.column_norms(work.part(scratch, s), lengths[s]);
  }
  return lengths;
}

/// x (n × 1) ← a column of T, the rows where A has them.
void unpack(Workspace& work, const Root& root, View t, View x) {
  const View sorted = work.residuals.narrowed(1);
  work.backend.fill(0.0, sorted);
  work.backend.copy(work.part(t, root.sector).slice(root.number, 1),
                    work.part(sorted, root.sector));
  work.a.to_original(sorted, x);
}

}  // namespace

void final_states(Workspace& work, Roots& roots, const std::function<void()>& to_double_precision,
                  EigenResult& result) {
  const std::vector<Root>& list = roots.list();
  if (std::ssize(list) < work.options.states) return give_up(work, result);
  const View t = wanted_vectors(work, roots), image = work.new_images.narrowed(t.columns);
  const bool rounded = is_rounded(work);
  if (rounded) {
    work.basis = {};
    work.images = {};
    to_double_precision();
    roots.forget_changes();  // they were of the rounded matrix
  }
  work.a.apply(t, image);
  const std::vector<Pairs> pairs = measure(work, roots, t, image, rounded);
  const std::vector<std::vector<double>> outside = outside_subspace(work, t, image);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Root& root = list[i];
    const double astray = outside[root.sector][root.number];
    if (!(astray <= most_outside)) {
      result.notes.push_back("state " + std::to_string(i + 1) +
                             " has a part outside the subspace that states were sought in, and "
                             "does not count as converged");
    }
    const double norm = pairs[root.sector].norms[root.number], change = roots.energy_change(root);
    result.energies.push_back(pairs[root.sector].energies[root.number]);
    result.residual_norms.push_back(norm);
    result.energy_changes.push_back(change);
    result.converged.push_back(!is_rounded(work) && astray <= most_outside &&
                               roots.found(norm, change, work.options.residual_tolerance()));
    result.sectors.push_back(root.sector);
    unpack(work, root, t, result.vectors.slice(static_cast<int>(i), 1));
  }
}

}  // namespace cisolve
