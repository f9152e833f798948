#include "app/solve/outcome/row_determinants.hpp"

#include "hamiltonian/integrals/restrict_orbitals.hpp"

namespace cisolve {

RowDeterminants row_determinants(const Determinants& determinants) {
  const AnySpace& space = determinants.space();
  const StringSpace &alphas = space.alpha(), &betas = space.beta();
  RowDeterminants list;
  list.orbitals = alphas.orbitals;
  list.general = determinants.integrals().general;
  list.file_orbitals = determinants.integrals().orbitals;
  list.alpha_electrons = alphas.electrons;
  list.beta_electrons = betas.electrons;
  list.words = OrbitalString::words_of(list.orbitals);
  list.alpha.reserve(static_cast<std::size_t>(space.size() * list.words));
  list.beta.reserve(static_cast<std::size_t>(space.size() * list.words));
  space.for_each([&](std::int64_t, const OrbitalString& a, const OrbitalString& b) {
    for (int k = 0; k < list.words; ++k) {
      list.alpha.push_back(a.word(k));
      list.beta.push_back(b.word(k));
    }
  });
  const auto [frozen, active] = determinants.frozen_and_active();
  list.frozen.assign(frozen.begin(), frozen.end());
  list.active.assign(active.begin(), active.end());
  list.irrep = determinants.irrep();
  const std::int64_t na = alphas.size(), nb = betas.size();
  if (space.size() == na * nb) list.strings = {na, nb};
  list.core_energy = determinants.active_integrals().core_energy;
  return list;
}

}  // namespace cisolve
