#include "hamiltonian/matrix/ci_tables.hpp"

namespace cisolve {

SpinExcitations make_excitations(const Integrals& integrals, const StringSpace& of_alpha,
                                 const StringSpace& of_beta) {
  auto alphas = std::make_shared<const ExcitationTable>(
      of_alpha, SpinIntegrals{*integrals.one_electron[alpha], *integrals.alpha_alpha});
  if (!integrals.unrestricted && of_alpha.strings == of_beta.strings) return {alphas, alphas};
  return {alphas, std::make_shared<const ExcitationTable>(
                      of_beta, SpinIntegrals{*integrals.one_electron[beta], *integrals.beta_beta})};
}

}  // namespace cisolve
