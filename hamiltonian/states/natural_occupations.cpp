#include "hamiltonian/states/natural_occupations.hpp"

#include "core/dense/dense.hpp"

namespace cisolve {

NaturalOrbitals natural_orbitals(const HostMatrix& density) {
  const SymmetricEigen ascending = symmetric_eigen(density);
  return {ascending.values.reverse(), ascending.vectors.rowwise().reverse()};
}

std::vector<double> natural_occupations(const HostMatrix& density) {
  const HostVector values = natural_orbitals(density).occupations;
  return {values.begin(), values.end()};
}

}  // namespace cisolve
