#pragma once

#include <optional>

#include "app/model/model.hpp"
#include "app/prepare/context.hpp"
#include "app/solve/outcome/outcome.hpp"
#include "app/states/dipole_moments.hpp"
#include "io/molden/molden.hpp"

namespace cisolve {

/// Properties that a run computes from its states if asked: densities, dipole moments, natural
/// orbitals, and the states that continue given vectors.
class StateOutputs {
 public:
  /// Throws InputError where one of them cannot be made of the model, which has to outlive this,
  /// or a file that it takes is wrong.
  StateOutputs(const RunConfig& config, const Model& model);
  /// Throws InputError unless input.follow, where given, has vectors over the determinants of the
  /// model, or so many rows.
  void require_vectors_over(Index rows);
  /// Adds to the states of an outcome. A failure from here on is a note: the states were found.
  void add(const RunContext& context, EigenOutcome& outcome);

 private:
  void add_densities(const RunContext& context, EigenOutcome& outcome) const;
  void add_three_particle(const HostMatrix& x, const RunContext& context,
                          EigenOutcome& outcome) const;
  void add_spinor_densities(const HostMatrix& x, const RunContext& context,
                            EigenOutcome& outcome) const;
  void add_followed(const RunContext& context, EigenOutcome& outcome) const;
  bool wants_density_files() const;

  const RunConfig& config_;
  const Determinants* determinants_;
  const StringSpace* spinors_ = nullptr;  ///< strings of spinors, where rows are these
  std::optional<DipoleIntegrals> dipole_;
  std::optional<MoldenOrbitals> orbitals_;
  double vector_rows_ = 0.0, followed_ = 0.0;  ///< of the vectors to be followed
};

}  // namespace cisolve
