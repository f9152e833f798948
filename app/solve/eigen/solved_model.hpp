#pragma once

#include <memory>

#include "app/config/config.hpp"
#include "app/model/kramers_model.hpp"
#include "app/model/model.hpp"
#include "app/solve/outcome/outcome.hpp"
#include "app/ways/held_matrix.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// The eigensolver's view of a model: the model, or, where its states are Kramers pairs, the same
/// Hamiltonian over the quaternions for half the states. Input and results are converted here and
/// nowhere else.
class SolvedModel {
 public:
  /// The model must outlive it. Throws InputError where pairs are asked for and there are none.
  SolvedModel(Model& whole, const RunConfig& config);

  Model& model() const { return pairs_ ? *pairs_ : whole_; }
  /// The configuration, of the states that the solver is to find.
  const RunConfig& config() const { return config_; }
  /// Start vectors over the model's rows. For Kramers pairs, vectors in the span of others over the
  /// quaternions are left out, such as the second state of a pair.
  HostMatrix start(HostMatrix of_whole) const;
  /// Tells that observer of the states asked for, in the place of those that the solver has.
  EigenObserver over_states(EigenObserver observer) const;
  /// Kramers pairs become states, each two over the rows of the whole model, the one found and
  /// the one that time reversal makes of it, with the same energy, residual norm and sector; as
  /// many as were asked for, so that the last pair may lack its second. Columns come to the host
  /// one by one. Throws ResourceError where there is no room.
  void unfold(EigenOutcome& outcome, Backend& backend) const;
  /// Reads the states then.
  std::unique_ptr<StateReader> reader(HeldMatrix& held, Backend& backend) const;

 private:
  Model& whole_;
  int states_;  ///< asked for
  RunConfig config_;
  std::unique_ptr<KramersModel> pairs_;
};

}  // namespace cisolve
