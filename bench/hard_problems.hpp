#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cisolve/hamiltonian.hpp"
#include "cisolve/machine.hpp"
#include "core/dense/host_matrix.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve::hard {

/// A problem whose lowest states are easily missed, and what is right.
struct Problem {
  std::string family;
  unsigned seed = 1;
  std::variant<CsrMatrix, Integrals> hamiltonian;
  CiSpaceOptions space;             ///< of integrals
  std::optional<int> multiplicity;  ///< of integrals
  std::vector<Setting> more;        ///< further keys of the configuration
  bool full_ci = false;             ///< products without a matrix can be asked for
  bool over_field = false;          ///< elements are not real
  HostMatrix start;                 ///< vectors that solves begin from; no columns: none
  double unit = 1.0;                ///< of the energies, in which they are about 1 to 1000

  int most_states = 12;        ///< that are asked for
  std::vector<double> lowest;  ///< as many energies at least, copies counted
  CsrMatrix s_squared;         ///< where a multiplicity is asked for; else no rows
};

/// Names of all families.
std::vector<std::string> families();
/// Why a family cannot be solved here; empty where it can.
std::string missing_for(const std::string& family);
/// The problem of a seed, from 1; `data`: folder of the integral files and energies.yaml.
Problem make_problem(const std::string& family, unsigned seed, const std::filesystem::path& data);

/// The matrix of the problem, which is solved over all of its rows.
CsrMatrix matrix_of(const Problem& problem);

/// A problem as files in a folder: the Hamiltonian, and vectors to begin from.
struct Files {
  std::filesystem::path hamiltonian, start;  ///< `start`: empty where there are none
};
Files write_files(const Problem& problem, const std::filesystem::path& folder);
Hamiltonian hamiltonian_of(const Problem& problem, const Files& files);
DeterminantSettings determinants_of(const Problem& problem);

}  // namespace cisolve::hard
