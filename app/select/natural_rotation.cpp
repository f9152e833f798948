#include "app/select/natural_rotation.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "hamiltonian/density/vector_sums.hpp"
#include "hamiltonian/states/natural_occupations.hpp"

namespace cisolve {
namespace {

/// Over the active orbitals.
HostMatrix mean_density(const AnySpace& space, const HostMatrix& coefficients) {
  require_host_memory(vector_sums_bytes(space), "excitations or remainders of determinants");
  const auto sums = make_vector_sums(space);
  const int m = space.alpha().orbitals;
  HostMatrix mean = HostMatrix::Zero(m, m);
  for (Eigen::Index j = 0; j < coefficients.cols(); ++j) {
    const HostVector state = coefficients.col(j);
    mean += spin_summed(sums->one_densities(state, state));
  }
  return mean / static_cast<double>(coefficients.cols());
}

}  // namespace

HostMatrix natural_rotation(const Determinants& determinants, const AnySpace& space,
                            const HostMatrix& coefficients) {
  const Integrals& integrals = determinants.active_integrals();
  const HostMatrix density = mean_density(space, coefficients);
  const std::vector<int>& irreps = integrals.orbital_irreps[alpha];
  std::map<int, std::vector<int>> orbitals_of;
  for (int p = 0; p < integrals.orbitals; ++p)
    orbitals_of[irreps.empty() ? 0 : irreps[p]].push_back(p);
  const int all = determinants.integrals().orbitals;
  HostMatrix rotation = HostMatrix::Identity(all, all);
  const std::vector<int> active = determinants.frozen_and_active().second;
  for (const auto& [irrep, orbitals] : orbitals_of) {
    HostMatrix natural = natural_orbitals(density(orbitals, orbitals)).orbitals;
    for (Eigen::Index j = 0; j < natural.cols(); ++j) {
      Eigen::Index largest = 0;
      natural.col(j).cwiseAbs().maxCoeff(&largest);
      if (natural(largest, j) < 0.0) natural.col(j) *= -1.0;
      for (Eigen::Index p = 0; p < natural.rows(); ++p) {
        rotation(active[orbitals[p]], active[orbitals[j]]) = natural(p, j);
      }
    }
  }
  return rotation;
}

void require_natural_rotation(const Determinants& determinants, const HostMatrix& rotation,
                              const std::string& file) {
  const std::vector<int>& irreps = determinants.integrals().orbital_irreps[alpha];
  const int all = determinants.integrals().orbitals;
  std::vector<int> kind(static_cast<std::size_t>(all), -1);
  for (const int p : determinants.frozen_and_active().second) {
    kind[p] = irreps.empty() ? 0 : irreps[p];
  }
  for (int p = 0; p < all; ++p) {
    for (int q = 0; q < all; ++q) {
      const bool fixed = kind[p] < 0 || kind[q] < 0;
      const double expected = p == q ? 1.0 : 0.0;
      if (fixed ? rotation(p, q) == expected : kind[p] == kind[q] || rotation(p, q) == 0.0) {
        continue;
      }
      throw InputError(file + ": its rotation mixes orbitals " + std::to_string(p + 1) + " and " +
                       std::to_string(q + 1) +
                       ", which are of two irreps or not both active: it is damaged, or of other "
                       "input.frozen and input.active");
    }
  }
}

}  // namespace cisolve
