#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config/units.hpp"
#include "app/memory/memory_plan.hpp"
#include "app/solve/determinant_list.hpp"
#include "app/solve/followed.hpp"
#include "app/solve/history.hpp"
#include "app/states/dipole_moments.hpp"
#include "app/states/state_analysis.hpp"
#include "app/states/state_densities.hpp"
#include "backends/backend.hpp"
#include "backends/ranks/communicator.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "core/host_matrix.hpp"
#include "formats/choice/format_search.hpp"
#include "io/molden/molden.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/linear/linear_problem.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Wall-clock seconds of a run's stages.
struct StageSeconds {
  double read = 0.0, build = 0.0, convert = 0.0, solve = 0.0, analysis = 0.0, total = 0.0;
};

/// What checkpoints did to a run.
struct CheckpointFacts {
  int written = 0;
  double seconds = 0.0;  ///< spent writing
  // Of the solve gone on from:
  int iterations = 0;
  std::int64_t operator_applications = 0, probe_applications = 0;
  double seconds_before = 0.0;
};

/// What another engine than the program's own did for a run, before that took over.
struct EngineFacts {
  std::string name;  ///< "SLEPc 3.18.2, krylovschur"; empty: there was none
  int iterations = 0;
  std::int64_t operator_applications = 0;
  double seconds = 0.0, product_seconds = 0.0;
};

/// What a run worked with, whatever it solved.
struct RunFacts {
  Index rows = 0;
  Units units = Units::none;  ///< of energies; never `automatic`
  OperatorInfo matrix;
  bool built_on_device = false;  ///< the matrix; it was not whole in host memory
  std::string operator_reason;   ///< why the matrix is stored or not, where there was a choice
  std::optional<FormatChoice> format_choice;  ///< where spmv.format is auto
  BackendKind backend = BackendKind::cpu;
  std::string device;      ///< for people
  int ranks = 1;           ///< that the rows were distributed over
  std::string ranks_text;  ///< for people, where there are several
  /// Of rank 0; and that of the solve alone.
  Communicator::Traffic traffic, solve_traffic;
  StageSeconds seconds;
  CheckpointFacts checkpoint;
  EngineFacts engine;
  MemoryPlan memory;
  std::optional<int> multiplicity;  ///< of the states asked for; none: all
  std::vector<std::string> notes;
};

/// What came of an eigenproblem. Its vectors are on the backend, which it must not outlive.
struct EigenOutcome {
  RunFacts facts;
  EigenResult result;
  EigenHistory history;
  EigenAnalysis analysis;
  std::shared_ptr<const DirectTables> direct;  ///< MatrixSource::direct: what the rows are
  /// Where a file is to say what rows and orbitals are.
  std::optional<DeterminantList> determinants;
  std::optional<StateDensities> densities;  ///< where asked for, and there is memory
  std::optional<DipoleMoments> dipole;      ///< the same
  std::optional<MoldenOrbitals> orbitals;   ///< those of input.orbitals, for output.molden
  std::vector<Followed> followed;           ///< of the vectors of input.follow

  /// The states over the determinants, or the rows of the user's matrix, on the host, the leading
  /// coefficient of each positive; n × k. Called by all ranks. Throws ResourceError where they
  /// have no room.
  HostMatrix vectors(Backend& backend) const;
};

/// The lowest eigenvalue, where a linear system is shifted from there.
struct GroundFacts {
  double energy = 0.0;
  double residual_norm = 0.0;
  std::int64_t operator_applications = 0;
  double seconds = 0.0;
};

/// What came of a linear system, x on the backend.
struct LinearOutcome {
  RunFacts facts;
  LinearOptions options;  ///< as the solver took them
  std::optional<GroundFacts> ground;
  LinearResult result;
  MultiVector x;
  std::shared_ptr<const DirectTables> direct;  ///< MatrixSource::direct: what the rows are

  /// x over the determinants, or the rows of the user's matrix, on the host; n × k. Throws
  /// ResourceError where it has no room.
  HostMatrix solution(Backend& backend) const;
};

}  // namespace cisolve
