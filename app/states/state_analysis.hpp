#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/input/determinants/determinants.hpp"
#include "app/states/state_reader.hpp"
#include "cisolve/eigen.hpp"
#include "hamiltonian/density/densities.hpp"
#include "solvers/eigen/eigen_problem.hpp"

namespace cisolve {

/// Properties of a state. A matrix file has only the leading rows; spin and natural occupations
/// need restricted orbitals.
struct StateAnalysis {
  std::vector<LeadingRow> leading;  ///< by falling magnitude
  std::optional<int> irrep;         ///< 0-based in ORBSYM order; none: a mixture, or no symmetry
  std::string irrep_name;           ///< where the file names its point group, else the number
  std::optional<int> ms2;           ///< 2 M_s
  std::optional<double> s_squared;
  std::optional<int> multiplicity;  ///< none: a mixture of spins
  /// M_s = 0: (−1)^S, by which the coefficients of |αβ⟩ and |βα⟩ differ; none: a mixture of spins.
  std::optional<int> spin_inversion;
  std::vector<double> rank_weights;
  std::vector<double> natural_occupations;  ///< of the active orbitals, descending
  OneDensities densities;                   ///< over the active orbitals; as the occupations
  SpinorDensity spinor_density;             ///< over the active spinors, in the place of that
  std::optional<NucleonState> nucleons;     ///< of protons and neutrons
};

/// E − E_ref of the state that the reference determinant stands for: the lowest of its spin and
/// irrep among those computed. E_ref = ⟨D|Ĥ|D⟩.
struct Correlation {
  std::optional<double> energy;  ///< Hartree; none: see `reason`
  std::size_t state = 0;         ///< whose energy it is, from 0
  std::string reason;            ///< why there is none
};

struct EigenAnalysis {
  std::vector<StateAnalysis> states;       ///< empty where not asked for, or there is no memory
  std::string reference_occupation;        ///< empty for a matrix file
  std::optional<double> reference_energy;  ///< Hartree; none when it is not in the space
  std::optional<int> reference_irrep;      ///< as StateAnalysis::irrep
  /// 2S + 1; none: it mixes spins, having open shells of both, or the orbitals are unrestricted.
  std::optional<int> reference_multiplicity;
  Correlation correlation;
  bool determinants = false;       ///< the rows are determinants
  std::vector<std::string> notes;  ///< what could not be given and why
};

/// Says what the states of a result are, as `output` asks, and makes their vectors presentable on
/// their backend: spin eigenfunctions within degenerate levels (adapt_spin; only where the analysis
/// is asked for), and of every vector the largest element positive (fix_phases).
/// Signs over another order than that of the rows are EigenOutcome::vectors'. `components`: real
/// numbers of an element of the vectors. `determinants`: what
/// the rows are, null for those of a matrix. This share of the operator is let go before the states
/// are read, one by one: those of a stored matrix on the host, with a few vectors of its memory,
/// others on the backend; either takes less time than a few products.
EigenAnalysis analyse_states(EigenResult& result, std::shared_ptr<const LinearOperator> a,
                             int components, Backend& backend, const Determinants* determinants,
                             const std::function<std::unique_ptr<StateReader>()>& make_reader,
                             const RunConfig& config);

}  // namespace cisolve
