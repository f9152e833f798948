#include <algorithm>

#include "solvers/eigen/methods.hpp"
#include "solvers/eigen/searches/davidson.hpp"

namespace cisolve {
namespace {

/// LOBPCG in one sector (Knyazev, SIAM J. Sci. Comput. 2001, 23, 517), over an orthonormal basis of
/// [X W P] (Hetmaniuk, Lehoucq 2006): before new directions W join, V is cut to the Ritz vectors X
/// and P, what is left of those of the iteration before once X is taken out. Its preconditioner is
/// definite: of −M⁻¹r nothing need be gained where M is not, and V, which forgets, would be given
/// the same again.
class LobpcgSearch final : public DavidsonSearch {
 public:
  using DavidsonSearch::DavidsonSearch;
  void make_room(SectorTask& task, int wanted) override {
    const int count = static_cast<int>(task.targets.size());
    const int free = limit() - count;
    if (count > 0 && limit() < dimension() && size() > tracked()) {
      const int kept = std::clamp(tracked(), 1, free);
      space().restart(kept, std::min(kept, free - kept));
    }
    DavidsonSearch::make_room(task, wanted);
  }

 private:
  Denominator denominator() const override { return Denominator::definite; }
};

}  // namespace

// Its images carry their rounding through every iteration, which recombines them.
EigenMethodTraits lobpcg_eigen_method() {
  return {.method = EigenMethod::lobpcg,
          .summary = "the same with a smaller basis, see solver.max_basis",
          .basis = "davidson",
          .corrects = true,
          .keeps_images = true,
          .blocks_at_least = 3,
          .blocks_by_choice = 1,
          .rounding = 1024.0,
          .basis_reads = 7.0 / 2.0,
          .make = make_davidson<LobpcgSearch>};
}

}  // namespace cisolve
