#include "solvers/eigen/lower/whole_spectrum.hpp"

#include <algorithm>
#include <cmath>

#include "backends/ranks/communicator.hpp"
#include "core/infinity.hpp"
#include "solvers/eigen/lower/exclusion_search.hpp"

namespace cisolve {
namespace {

/// True if the eigenvalues of A_PP up to `end` are the lowest `wanted` energies that are there.
bool are_states(SectorSearch& search, int wanted, double width, double end) {
  const HostVector& levels = search.levels();
  if (levels.size() != search.dimension()) return false;
  const HostVector energies = search.values().head(wanted);
  for (Eigen::Index i = 0; i < levels.size() && levels[i] <= end; ++i) {
    if (i == energies.size() || !(std::abs(energies[i] - levels[i]) <= width)) return false;
  }
  return true;
}

}  // namespace

double gap_of_whole_spectrum(Workspace& work, const Roots& roots) {
  const double width = std::max(finest_gap, roots.residual_norm()), gap = 2.0 * width;
  bool all = !work.options.project;  // A_PP has the states outside the subspace, too
  for (int s = 0; s < work.sectors() && all; ++s) {
    all = are_states(work.search(s), roots.wanted(s), width, roots.highest() - gap);
  }
  return work.ranks().of_first(all ? gap : infinity);
}

}  // namespace cisolve
