#include "app/solve/outcome/string_matrix.hpp"

#include <cmath>
#include <string>

#include "app/solve/outcome/row_determinants.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/three_particle/string_removals.hpp"

namespace cisolve {
namespace {

/// n over k, of any size.
double about_binomial(int n, int k) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0));
}

}  // namespace

StringMatrix string_matrix(const Determinants& determinants,
                           const Eigen::Ref<const HostVector, 0, Eigen::InnerStride<>>& vector) {
  const Integrals& integrals = determinants.active_integrals();
  if (integrals.unrestricted) {
    throw InputError("three-particle densities are of restricted orbitals");
  }
  const RowDeterminants rows = row_determinants(determinants);
  if (rows.words > 1) {
    throw InputError("three-particle densities: found " + std::to_string(rows.orbitals) +
                     " orbitals, expected at most 64");
  }
  StringMatrix x{rows.orbitals,
                 {static_cast<int>(rows.alpha_electrons), static_cast<int>(rows.beta_electrons)},
                 {}};
  require_host_memory(sizeof(double) * about_binomial(x.orbitals, x.electrons[0]) *
                          about_binomial(x.orbitals, x.electrons[1]),
                      "a vector over all strings of both spins");
  x.elements.setZero(AllStrings(x.orbitals, x.electrons[0]).size(),
                     AllStrings(x.orbitals, x.electrons[1]).size());
#pragma omp parallel for schedule(static) if (worth_threads(10.0 * rows.alpha.size()))
  for (std::size_t i = 0; i < rows.alpha.size(); ++i) {
    x.elements(AllStrings::number(rows.alpha[i]), AllStrings::number(rows.beta[i])) =
        vector[static_cast<Eigen::Index>(i)];
  }
  return x;
}

}  // namespace cisolve
