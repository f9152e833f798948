#pragma once

#include <memory>

#include "app/prepare/context.hpp"
#include "app/solve/outcome/outcome.hpp"
#include "app/ways/held_matrix.hpp"
#include "solvers/slepc/slepc.hpp"

namespace cisolve {

/// SLEPc as the engine of a run: the vectors that it finds are what the program's own solver begins
/// from, which takes their residuals, goes on with those that are not within the tolerance, and
/// searches for lower states. Lives until that one has ended.
class SlepcStage {
 public:
  /// Throws InputError where vectors are not on the CPU, and SLEPc is asked for.
  explicit SlepcStage(const RunContext& context);
  SlepcStage(const SlepcStage&) = delete;
  SlepcStage& operator=(const SlepcStage&) = delete;

  /// Keeps the elements of the matrix until SLEPc has ended, where it is to have a copy of them.
  /// Throws InputError where the source has none.
  void take_rows(HeldMatrix& source);
  /// Sets what the solver is to begin from and what is left of its limits. Throws ResourceError
  /// without SLEPc.
  void solve(LinearOperator& a, const EigenObserver& observer, EigenOptions& options,
             RunFacts& facts);
  /// The time of both; where SLEPc was stopped, that is how the solve ended.
  void add_to(EigenResult& result) const;
  /// Seconds of SLEPc.
  double seconds() const { return seconds_; }

 private:
  SlepcGoOn go_on(const SlepcIteration& iteration, const EigenObserver& observer,
                  double time_limit);

  const RunContext& context_;
  Timer timer_;
  std::shared_ptr<const CsrMatrix> rows_;
  SlepcResult found_;
  SolverState state_;
  double seconds_ = 0.0;
};

}  // namespace cisolve
