#include "hamiltonian/states/natural_occupations.hpp"

#include "core/dense.hpp"

namespace cisolve {

std::vector<double> natural_occupations(const HostMatrix& density) {
  const HostVector values = symmetric_eigen(density).values;
  return {values.reverse().begin(), values.reverse().end()};
}

}  // namespace cisolve
