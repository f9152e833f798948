#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/progress.hpp"
#include "solvers/eigen/steps/chebyshev.hpp"
#include "solvers/eigen/steps/krylov.hpp"
#include "solvers/eigen/steps/start_block.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// The directions T_s by which the bases grow next, orthonormal and orthogonal to V_s, and in the
/// subspace that states are sought in, where there is one.
class NewDirections {
 public:
  NewDirections(Workspace& work, Roots& roots, Progress& progress);

  /// T_s ← start vectors (start_block).
  void start(std::span<const int> known, const SolverState* given);
  /// T_s ← what the method, a polynomial of A or a Krylov space makes of the pairs that the tasks
  /// name; false when nothing is left of it in any sector, and none was found to be exhausted.
  bool correct();
  /// T_s ← the column of its sector in T, n × 1, where the tasks say that one was given; false
  /// where V has them already.
  bool take(View t);

  NewVectors& now() { return new_; }
  Chebyshev& polynomials() { return chebyshev_; }
  Outlook& outlook() { return outlook_; }
  const Krylov& krylov() const { return krylov_; }

 private:
  void make_room();
  enum class Way { preconditioned, polynomial, krylov_space };
  Way choose_way();
  bool accept();
  bool take_residuals();
  std::span<const std::uint64_t> seeds();
  int width(int sector) const { return work_.search(sector).width(roots_.task(sector)); }

  Workspace& work_;
  Roots& roots_;
  Progress& progress_;
  Outlook outlook_;
  Chebyshev chebyshev_{work_, outlook_};
  Krylov krylov_{work_, outlook_};
  NewVectors new_;
  std::vector<std::uint64_t> seeds_;
};

}  // namespace cisolve
