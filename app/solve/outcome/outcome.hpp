#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/prepare/run_facts.hpp"
#include "app/solve/outcome/followed.hpp"
#include "app/solve/outcome/history.hpp"
#include "app/solve/outcome/row_determinants.hpp"
#include "app/states/dipole_moments.hpp"
#include "app/states/spinor_state_densities.hpp"
#include "app/states/state_analysis.hpp"
#include "app/states/state_densities.hpp"
#include "backends/backend.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/basis/basis.hpp"
#include "io/molden/molden.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/linear/linear_problem.hpp"

namespace cisolve {

/// Result of an eigenproblem. Its vectors are on the backend, which it must not outlive.
struct EigenOutcome {
  RunFacts facts;
  EigenResult result;
  EigenHistory history;
  EigenAnalysis analysis;
  std::shared_ptr<const Basis> basis;  ///< what the rows of vectors are
  int components = 1;  ///< real numbers of an element of vectors; the facts' are of the matrix
  /// Rows and orbitals, if a file is to have them.
  std::optional<RowDeterminants> determinants;
  std::optional<StateDensities> densities;               ///< where asked for, and there is memory
  std::optional<SpinorStateDensities> spinor_densities;  ///< the same, of spinors
  std::vector<HostMatrix> three_particle;  ///< of every state, where asked for, and there is memory
  std::optional<DipoleMoments> dipole;     ///< the same
  std::optional<MoldenOrbitals> orbitals;  ///< those of input.orbitals, for output.molden
  /// The orbitals that rows are over, as columns over those of the file; none: they are these.
  std::optional<HostMatrix> rotation;
  std::vector<Followed> followed;  ///< of the vectors of input.follow

  /// The states in the order of callers (Basis::callers) on the host, the leading
  /// coefficient of each positive; n × k, over K d·n × k, the components of an element in
  /// neighbouring rows. Called by all ranks. Throws ResourceError where they have no room.
  HostMatrix vectors(Backend& backend) const;
};

/// The part that reports need, which may outlive the backend.
EigenOutcome without_vectors(EigenOutcome outcome);

/// The lowest eigenvalue, where a linear system is shifted from there.
struct GroundFacts {
  double energy = 0.0;
  double residual_norm = 0.0;
  std::int64_t operator_applications = 0;
  double seconds = 0.0;
};

/// Result of a linear system, x on the backend.
struct LinearOutcome {
  RunFacts facts;
  LinearOptions options;  ///< as the solver took them
  std::optional<GroundFacts> ground;
  LinearResult result;
  MultiVector x;
  std::shared_ptr<const Basis> basis;  ///< what the rows of vectors are

  /// x in the order of callers (Basis::callers) on the host; n × k. Throws
  /// ResourceError where it has no room.
  HostMatrix solution(Backend& backend) const;
};

}  // namespace cisolve
