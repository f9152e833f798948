#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "cisolve/eigen.hpp"
#include "cisolve/status.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/solver_state.hpp"
#include "solvers/p_space.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Bound for a result that is called verified: no state was missed that lies more than
/// `verified_gap` (in units of EigenOptions::scale) below the highest one returned, with a
/// probability of error of at most `verified_probability`.
inline constexpr double verified_gap = 1e-3;
inline constexpr double verified_probability = 1e-6;
/// Tolerances where none is given, in the same units.
inline constexpr double default_tolerance = 1e-6, default_energy_tolerance = 1e-9;

/// Options of the eigensolvers beside the settings. `states` ≤ rows; `max_basis` at least
/// smallest_basis.
struct EigenOptions : EigenSolverSettings {
  /// Unit of the solver, a power of two: all its thresholds are multiples of it, so that a solve of
  /// 2ˢA with 2ˢ times the scale and tolerances has the same bits. A Hartree.
  double scale = 1.0;
  /// The basis and its images are in host memory, where a device reaches them over the bus.
  bool basis_in_host_memory = false;
  /// Random vectors that the search for lower states starts from (ExclusionSearch), side by side:
  /// one where a product with two vectors takes twice as long as with one, for a single one
  /// excludes as much in less than twice the steps.
  int exclusion_starts = 2;
  /// Bytes of the backend's memory beyond what is planned that a solve may take to be faster.
  std::size_t spare_bytes = std::numeric_limits<std::size_t>::max();
  /// Basis vectors of davidson and lobpcg at least, where `max_basis` is left open and there are as
  /// many rows: of few states a basis of twelve takes as many iterations as one of 24, nearly.
  int least_basis = 24;
  /// The sectors' rows lie one behind another in A: nothing is brought into another order.
  bool in_order_of_sectors = false;
  /// Largest probability that the search's exclusion is wrong.
  double exclusion_probability = verified_probability;
  /// Most Ritz vectors of a sector that a checkpoint has, beyond the wanted ones and one more; 0:
  /// all.
  int checkpoint_vectors = 0;
  /// The orthogonal projector onto a subspace in which alone states are sought, one that A keeps to
  /// (the projector commutes with A): T := PT in place, T n × k with its rows where A has them, k
  /// at most product_columns. Empty: the whole space. The sectors of the p-space must be blocks of
  /// the projector too, and the subspace must hold as many states as are wanted; where they say how
  /// many are in each (Sectors::dimensions), no more are looked for. Random vectors are projected
  /// as all others are, so that `verified` speaks of the subspace, and no state converges that has
  /// a part outside it.
  std::function<void(View)> project = {};
  CheckpointHook checkpoint = {};
  /// An earlier solve of the same matrix to go on from, with the same options or others, or start
  /// vectors. Counts go on from its own, the limits on iterations and time begin anew. InputError
  /// when it does not fit the matrix.
  const SolverState* begin_from = nullptr;

  double residual_tolerance() const { return tolerance.value_or(default_tolerance * scale); }
  double change_tolerance() const {
    return energy_tolerance.value_or(default_energy_tolerance * scale);
  }
};

/// Throws InputError unless A is square, the tolerance positive and the states within the rows, of
/// which all ranks together have so many.
void require_valid(const LinearOperator& a, Index rows, const EigenOptions& options);

/// Start vectors: states + guard, the guard chosen where the options leave it, ≤ rows.
int block_size(const EigenOptions& options, Index rows);

/// Most columns of a product.
int product_columns(const EigenOptions& options, Index rows);

/// Fewest basis vectors that a solve can do with: six more than the block; of LOBPCG three blocks
/// where that is more. ≤ rows.
int smallest_basis(const EigenOptions& options, Index rows);

/// Largest number of basis vectors: what the options say, or four blocks and at least 24, twice
/// that for Lanczos, which keeps no images. LOBPCG has the smallest. ≤ rows. Throws InputError
/// where the options say less than the smallest.
int basis_size(const EigenOptions& options, Index rows);

/// Bytes of a basis vector, with its image where the method keeps them.
std::size_t basis_vector_bytes(const EigenOptions& options, Index rows);

/// Bytes of backend memory that the other vectors of a solve take.
std::size_t other_vector_bytes(const EigenOptions& options, Index rows);

/// Bound on states that were missed.
struct Exclusion {
  /// No state was missed that lies more than this below the highest one returned; infinite where
  /// nothing is known.
  double gap = std::numeric_limits<double>::infinity();
  double probability = verified_probability;  ///< that this is wrong, at most
  std::int64_t products = 0;                  ///< of the searches of this run
  double products_needed = 0.0;  ///< for verified_gap, as the search foresees it; 0: reached
  double seconds = 0.0;          ///< of all that was done to find lower states
  /// Reason why the search ended before the gap was reached; empty if it did not.
  std::string cut_short;
  bool lower_exists = false;  ///< a lower state has shown itself, and was not found to the end
};

struct EigenResult {
  SolveStatus status = SolveStatus::max_iterations;
  std::vector<double> energies;        ///< ascending, `states` of them
  std::vector<double> residual_norms;  ///< true residuals, recomputed from the returned vectors
  std::vector<bool> converged;         ///< per state
  /// rows × states, orthonormal, over K of real numbers (backends/field/field_backend.hpp); not to
  /// outlive the backend.
  MultiVector vectors;
  /// Change of each energy by the last iteration that worked on it; infinite before the second.
  std::vector<double> energy_changes;
  /// The sector of each state, an index into `sector_sizes`, −1 where a later rotation mixed
  /// sectors.
  std::vector<int> sectors;
  std::vector<Index> sector_sizes;  ///< rows of the sectors searched
  /// The states are converged, the exclusion is as good as verified_gap, and where states nearer to
  /// the highest one were looked for, that was not cut short.
  bool verified = false;
  Exclusion exclusion;
  /// The residual norm that rounding in double precision lets the states have (AttainableResidual).
  /// A smaller tolerance was not aimed at.
  double attainable_residual = 0.0;
  /// Iterations with the off-diagonal elements in single precision, before the change to double.
  int single_precision_iterations = 0;
  /// Tolerances and scale of the options.
  double tolerance = default_tolerance, energy_tolerance = default_energy_tolerance, scale = 1.0;
  std::vector<std::string> notes;  ///< what the user should know, a sentence each
  int iterations = 0;
  std::int64_t operator_applications = 0;  ///< with those of the final residuals
  std::int64_t probe_applications = 0;     ///< those of the search for lower roots, beside them
  std::int64_t inner_applications = 0;     ///< products with PSpace::inner, for corrections
  double seconds = 0.0;                    ///< the whole solve
  double product_seconds = 0.0;            ///< of which in products with A
};

/// The lowest eigenpairs, by the method that the options name (solvers/eigen/eigensolver.cpp has
/// the outline). A is symmetric, or over K self-adjoint (LinearOperator::components): then the
/// p-space has all real rows of an element and its matrix is the real form, sectors are of real
/// rows, and what counts rows or vectors here counts them over K.
///
/// On a backend whose vectors are distributed over ranks all of them call it alike; A has a rank's
/// rows, as its vectors do, and the result is the same on every rank but for the vectors. Start
/// vectors and checkpoints are of all rows.
EigenResult lowest_eigenpairs(LinearOperator& a, Backend& backend, const PSpace& p_space,
                              const EigenOptions& options, const EigenObserver& observer = {});

}  // namespace cisolve
