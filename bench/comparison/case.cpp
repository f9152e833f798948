#include "bench/comparison/case.hpp"

#include <yaml-cpp/yaml.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "bench/comparison/contender.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "tests/support/reference_cases.hpp"

namespace cisolve::comparison {
namespace {

std::shared_ptr<const CsrMatrix> matrix_of(const Integrals& integrals, const CiSpace& space) {
  const CiMatrixBuilder builder(integrals, space);
  return std::make_shared<const CsrMatrix>(builder.fill(builder.count()));
}

/// The lowest eigenvalues of a truncated space, by ARPACK to a residual of 1e-9. Its H is a
/// principal submatrix of full CI's: by Cauchy's interlacing at most i of its eigenvalues lie below
/// full CI's number i + 1. Throws if that does not prove that `states` of them are the lowest.
std::vector<double> truncated_energies(std::shared_ptr<const CsrMatrix> matrix,
                                       const std::vector<double>& full_ci, double ground_state,
                                       int states) {
  const auto backend = make_cpu_backend();
  CountedHamiltonian h(std::move(matrix), *backend);
  const int found = static_cast<int>(full_ci.size());
  const Outcome outcome =
      arpack_lowest({h, *backend, found, 1e-9, 1, std::numeric_limits<std::int64_t>::max()});
  if (!outcome.says_converged || std::abs(outcome.energies[0] - ground_state) > 1e-8) {
    throw std::runtime_error("reference energies of the truncated space were not obtained");
  }
  int proved = 0;
  for (int i = 1; i < found; ++i) {
    if (outcome.energies[i - 1] < full_ci[i]) proved = i;
  }
  if (proved < states) {
    throw std::runtime_error("only " + std::to_string(proved) +
                             " lowest energies of the truncated "
                             "space are proved to be that");
  }
  return {outcome.energies.begin(), outcome.energies.begin() + proved};
}

std::vector<int> covered(const std::vector<int>& states, std::size_t known) {
  std::vector<int> result;
  for (const int k : states) {
    if (static_cast<std::size_t>(k) <= known) result.push_back(k);
  }
  return result;
}

}  // namespace

void for_each_case(const std::string& folder, const std::string& only,
                   const std::vector<int>& states, std::int64_t largest,
                   const std::function<void(const KnownCase&)>& use) {
  const YAML::Node references = YAML::LoadFile(folder + "/references.yaml");
  for (const auto& entry : references) {
    const auto file = entry.first.as<std::string>();
    for (const Case& c : cases_of(file, entry.second)) {
      // Cases need every energy below the last one.
      if (c.energies.size() < 2 || static_cast<std::size_t>(c.states) != c.energies.size())
        continue;
      const std::string title = file + ", " + c.name;
      if (title.find(only) == std::string::npos) continue;
      const Integrals integrals = read_fcidump(folder + "/" + file);
      const CiSpace space = make_ci_space(integrals, c.space);
      if (space.size() > largest) continue;
      use({title, "references.yaml", covered(states, c.energies.size()), c.energies,
           matrix_of(integrals, space)});
    }
  }
  const std::string file = "h2o_631g_frozen_core.fcidump", title = file + ", cisdtq";
  if (title.find(only) == std::string::npos) return;
  const YAML::Node water = references[file];
  const Integrals integrals = read_fcidump(folder + "/" + file);
  CiSpaceOptions options;
  options.max_excitation = excitation_rank.at("cisdtq");
  const CiSpace space = make_ci_space(integrals, options);
  if (space.size() > largest) return;
  const auto matrix = matrix_of(integrals, space);
  const auto energies = truncated_energies(matrix, water["exact_ms0"].as<std::vector<double>>(),
                                           water["detci"]["cisdtq"].as<double>(), 4);
  use({title,
       "ARPACK to 1e-9, proved the lowest by interlacing with full CI",
       {4},
       energies,
       matrix});
}

}  // namespace cisolve::comparison
