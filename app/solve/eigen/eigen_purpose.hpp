#pragma once

#include <memory>
#include <optional>

#include "app/model/model.hpp"
#include "app/prepare/preparation.hpp"
#include "app/solve/eigen/checkpoints.hpp"
#include "app/solve/eigen/slepc_stage.hpp"
#include "app/states/spin_projection.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/p_space.hpp"

namespace cisolve {

/// An eigensolver as what products are wanted for: its options and memory, which differ with and
/// without a matrix, and what it asks of the elements before they go: the p-space with its sectors,
/// the checkpoint's fingerprint, SLEPc's copy.
class EigenPurpose final : public Purpose {
 public:
  /// Throws InputError where the states asked for are none of the model's. All that is handed in
  /// must outlive it.
  EigenPurpose(const RunContext& context, Model& model, Checkpoints& checkpoints, SlepcStage& slepc,
               RunFacts& facts);

  int columns(bool stored) const override;
  MemoryNeed memory(bool stored) const override;
  void before_storing() override;
  void ask(HeldMatrix& matrix) override;

  /// The solver's options for that operator, which the purpose, operator and backend must outlive.
  EigenOptions options(const Prepared& prepared);
  PSpace p_space;

 private:
  EigenOptions options_for(bool stored) const;
  /// Rows of a stored matrix, or of one that is not, which may be functions of one parity.
  Index rows(bool stored) const { return stored ? facts_.rows : rows_not_stored_; }

  const RunContext& context_;
  Model& model_;
  Checkpoints& checkpoints_;
  SlepcStage& slepc_;
  RunFacts& facts_;
  std::optional<RequestedMultiplicity> multiplicity_;
  Index rows_not_stored_ = 0;
  bool stored_ = false;
  EigenOptions options_;
  std::shared_ptr<const CsrMatrix> stored_spin_;  ///< S², where the matrix is stored
  std::unique_ptr<SpinProjector> projector_;
};

}  // namespace cisolve
