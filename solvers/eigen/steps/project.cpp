#include "solvers/eigen/steps/project.hpp"

#include <algorithm>

#include "core/infinity.hpp"
#include "solvers/eigen/steps/orthonormalize.hpp"

namespace cisolve {

void project(Workspace& work, View t) {
  constexpr double most = 0.1, nothing = 1e-6;  // of a column's length, what is left
  std::vector<std::vector<double>> before(work.sectors(), std::vector<double>(t.columns));
  std::vector<double> factors(t.columns);
  bool again = true;
  for (int pass = 0; pass < 2 && again; ++pass) {
    for (int s = 0; s < work.sectors(); ++s) work.backend.column_norms(work.part(t, s), before[s]);
    work.a.in_original_order(work.options.project, t);
    again = false;
    for (int s = 0; s < work.sectors(); ++s) {
      work.backend.column_norms(work.part(t, s), factors);
      for (int j = 0; j < t.columns; ++j) {
        again = again || factors[j] < most * before[s][j];
        factors[j] = factors[j] > nothing * before[s][j] ? 1.0 : 0.0;
      }
      work.backend.scale_columns(factors, work.part(t, s));
    }
  }
}

void keep_to_subspace(Workspace& work, View t, std::vector<int>& added) {
  constexpr int most_passes = 3;
  constexpr double much = 10.0;
  bool again = true;
  for (int pass = 0; pass < most_passes && again; ++pass) {
    project(work, t);
    again = false;
    for (int s = 0; s < work.sectors(); ++s) {
      const ConstView basis = work.search(s).basis();
      const View t_s = work.part(t, s);
      Orthonormalizer orthonormalize(work.backend, std::max(basis.columns, t.columns), infinity);
      added[s] = orthonormalize(basis, t_s.slice(0, added[s]));
      work.backend.fill(0.0, t_s.slice(added[s], t.columns - added[s]));
      again = again || orthonormalize.amplification() > much;
    }
  }
}

}  // namespace cisolve
