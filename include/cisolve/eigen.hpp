#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/hamiltonian.hpp"
#include "cisolve/machine.hpp"
#include "cisolve/report.hpp"
#include "cisolve/status.hpp"

namespace cisolve {

/// Method that makes new directions. Sectors, stopping, search and result are the same for all.
enum class EigenMethod {
  davidson,  ///< block Davidson with thick restart
  lobpcg,    ///< the same over [X W P], the smallest basis that converges like it
  lanczos,   ///< thick-restart block Lanczos, no preconditioner
};

/// Their names in run files, flags and reports.
inline constexpr std::pair<EigenMethod, const char*> eigen_method_names[] = {
    {EigenMethod::davidson, "davidson"},
    {EigenMethod::lobpcg, "lobpcg"},
    {EigenMethod::lanczos, "lanczos"}};

/// Start of a solve without start vectors.
enum class StartFrom {
  automatic,  ///< selection, for full CI of 10^7 determinants or more without a matrix where none
              ///< of them has most of the state; else p_space
  p_space,    ///< the states over the rows of the lowest diagonal elements
  selection,  ///< those over determinants that are selected (selected CI)
};

/// Criterion by which a state is converged.
enum class StopBy {
  residual,  ///< by EigenSolverSettings::tolerance
  energy,    ///< by EigenSolverSettings::energy_tolerance
  both       ///< by both
};

/// Budget of the search for states lower than those found. It is a share of the solve's time up to
/// there, or of its products if they take longer. If three fifths of the search are
/// done when its budget ends, the budget is extended by two thirds.
enum class Verify {
  off,       ///< nothing
  quick,     ///< a quarter of the time, or a tenth of a second where that is more
  standard,  ///< as much time again, or half a second where that is more
  thorough,  ///< until the result can be called verified, whatever it takes
};

/// Settings of an eigensolver. Energies, residuals and tolerances are in the matrix's unit,
/// Hartree of integrals. The scale of a matrix without a unit is the typical size of its rows
/// (Eigenstates::scale).
struct EigenSolverSettings {
  EigenMethod method = EigenMethod::davidson;  ///< which solver
  int states = 1;                              ///< lowest eigenpairs wanted, ≤ rows
  StopBy stop_by = StopBy::residual;           ///< what decides that a state has converged
  /// Bound on the residual 2-norm ‖Ax − θx‖, x normalised, of every state; none: 1e-6 Hartree, or
  /// 1e-6 of the scale of a matrix without a unit.
  std::optional<double> tolerance;
  /// Bound on the change of every state's energy by the last iteration that worked on it; none:
  /// 1e-9 likewise.
  std::optional<double> energy_tolerance;
  int max_iterations = 3000;  ///< most iterations
  /// Start vectors beyond `states`; −1: chosen. They bring a root that the p-space puts too high
  /// into the basis from the first product. Lanczos has none.
  int guard = -1;
  int max_basis = 0;                 ///< largest number of basis vectors; 0: chosen
  bool olsen = false;                ///< davidson, lobpcg: corrections with Olsen's term
  Verify verify = Verify::standard;  ///< the search for lower states
  double time_limit = 0.0;           ///< seconds; 0: none
  std::uint64_t seed = 1;            ///< of random vectors
};

/// X := PX in place in host memory, P the orthogonal projector onto a subspace that A keeps to
/// (PA = AP). X has `rows` × k elements, row by row, over determinants or a matrix's rows, as
/// Eigenstates::vectors. Called in the thread that solves.
using Projector = std::function<void(double* x, std::int64_t rows, int k)>;

/// Settings of a whole calculation: the solver's and the start.
struct EigenSettings : EigenSolverSettings {
  int p_space = 0;                         ///< rows of the primary space; 0: chosen
  std::optional<int> multiplicity;         ///< 2S + 1 of the states; none: all states
  StartFrom start = StartFrom::automatic;  ///< without vectors of a call or `restart`
  std::filesystem::path restart;  ///< a checkpoint or start vectors (.npy, .npz); empty: none
  /// Projector onto the subspace in which states are sought, of dimension `states` or more. Empty:
  /// all states.
  Projector project = {};
};

/// Progress of a search for lower states, in products.
struct ExclusionProgress {
  std::int64_t products = 0;     ///< so far
  double products_needed = 0.0;  ///< in all, foreseen
};

/// Facts of an iteration; the spans live for the call only.
struct EigenIteration {
  int iteration = 0;                       ///< from 1
  int basis = 0;                           ///< vectors in the basis
  std::span<const double> energies;        ///< of the states wanted
  std::span<const double> residual_norms;  ///< of Lanczos estimates, twice as large
  int converged = 0;                       ///< states within tolerance
  std::int64_t operator_applications = 0;  ///< products so far, a block of k counting k
  std::int64_t probe_applications = 0;     ///< further ones, in search of lower roots
  /// Progress of the search for lower states; none until it begins.
  std::optional<ExclusionProgress> exclusion = {};
  double seconds = 0.0;          ///< since the solve began
  double product_seconds = 0.0;  ///< of which in products with A
  /// Called during corrections that take many products: only the counts of products and the seconds
  /// have changed since the last iteration.
  bool correcting = false;
};

/// Function called after every iteration, when the search begins, after every step of it, and
/// sometimes within long corrections. If it returns false, the solve ends as `cancelled` with the
/// best states so far.
using EigenObserver = std::function<bool(const EigenIteration&)>;

/// A large coefficient of a state.
struct LeadingRow {
  std::int64_t row = 0;      ///< from 0
  double coefficient = 0.0;  ///< its modulus if complex or a quaternion
  /// Parts of a complex coefficient (re, im) or of a quaternion (1, i, j, k); empty if real.
  std::vector<double> components = {};
  std::string occupation = {};  ///< of the orbitals, 2, a, b or 0 each; empty of a matrix
  std::string excitation = {};  ///< from the reference determinant, "3b -> 5b"; empty of a matrix
  int excitation_rank = 0;      ///< electrons excited from the reference determinant
};

/// Properties of a state of protons and neutrons in shells.
struct NucleonState {
  double j_squared = 0.0;      ///< ⟨J²⟩
  std::optional<int> twice_j;  ///< 2J; none: a mixture
  int parity = 1;              ///< 1, −1
  /// Nucleons in every orbit, by names such as "p 0d5/2".
  std::vector<std::pair<std::string, double>> orbit_occupations;
};

/// An eigenpair and its properties. Properties that need determinants, or restricted orbitals, are
/// absent without them.
struct Eigenstate {
  double energy = 0.0;               ///< core energy included
  double residual_norm = 0.0;        ///< ‖Ax − θx‖₂, recomputed from the vector
  double energy_change = 0.0;        ///< by the last iteration that worked on it
  bool converged = false;            ///< within the tolerance
  std::vector<LeadingRow> leading;   ///< by falling magnitude
  std::optional<int> irrep;          ///< from 0 in ORBSYM's order; none: a mixture, or no symmetry
  std::string irrep_name;            ///< or its number; empty where there is no irrep
  std::optional<double> s_squared;   ///< ⟨S²⟩
  std::optional<int> multiplicity;   ///< 2S + 1; none: a mixture of spins
  std::vector<double> rank_weights;  ///< Σ c² by excitation rank from the reference: 0, 1, 2 …
  std::vector<double> natural_occupations;  ///< descending
  std::optional<NucleonState> nucleons;     ///< of nucleons alone
};

/// Result of an eigenproblem.
struct Eigenstates {
  SolveStatus status = SolveStatus::max_iterations;  ///< how it ended
  /// The states are converged, and no state was missed that lies more than 1e-3 of `scale` below
  /// the highest one, 1e-3 Hartree of electrons. The probability of error is at most 1e-6.
  bool verified = false;
  /// Scale of `verified` and of tolerances that are not given, in the matrix's unit: the largest
  /// power of two not above a Hartree; 1 MeV of nucleons. For a matrix without a unit, not above
  /// the typical size of its rows, the median of max(|a_ii − c|, |Σ_{j≠i} ± a_ij|), c the
  /// diagonal's median.
  double scale = 1.0;
  /// Largest distance below the highest state at which a state may have been missed; infinite:
  /// nothing known.
  double excluded_gap = 0.0;
  std::vector<Eigenstate> states;  ///< by energy
  std::int64_t rows = 0;           ///< of the matrix
  int components = 1;              ///< real numbers of an element (CsrArrays::components)
  /// Orthonormal, components · rows × states, row by row: component c of element (i, j) at
  /// (components · i + c)·states + j.
  std::vector<double> vectors;
  int iterations = 0;                      ///< blocks of products
  std::int64_t operator_applications = 0;  ///< a block of k counts k
  std::int64_t probe_applications = 0;     ///< further ones, in search of lower states
  double seconds = 0.0;                    ///< of the solve
  std::vector<std::string> notes;          ///< what the user should know, a sentence each
  Report report;                           ///< the program's report
};

/// The lowest eigenpairs, as the program computes them. `call.start` has at most `rows` vectors.
/// Throws InputError, ResourceError and any exception of a caller's product.
Eigenstates lowest_eigenstates(const Hamiltonian& hamiltonian, const EigenSettings& settings = {},
                               const Call<EigenObserver>& call = {});

}  // namespace cisolve
