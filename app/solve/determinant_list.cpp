#include "app/solve/determinant_list.hpp"

#include "hamiltonian/integrals/restrict_orbitals.hpp"

namespace cisolve {

DeterminantList determinant_list(const Determinants& determinants) {
  const CiSpace& space = determinants.space();
  DeterminantList list;
  list.orbitals = space.alpha.orbitals;
  list.file_orbitals = determinants.integrals().orbitals;
  list.alpha_electrons = space.alpha.electrons;
  list.beta_electrons = space.beta.electrons;
  list.words = OrbitalString::words_of(list.orbitals);
  list.alpha.reserve(static_cast<std::size_t>(space.size() * list.words));
  list.beta.reserve(static_cast<std::size_t>(space.size() * list.words));
  for (Index a = 0; a < space.alpha.size(); ++a) {
    for (const auto& [b, row] : space.determinants_of(a)) {
      for (int k = 0; k < list.words; ++k) {
        list.alpha.push_back(space.alpha.strings[a].word(k));
        list.beta.push_back(space.beta.strings[b].word(k));
      }
    }
  }
  const auto [frozen, active] = determinants.frozen_and_active();
  list.frozen.assign(frozen.begin(), frozen.end());
  list.active.assign(active.begin(), active.end());
  list.irrep = determinants.irrep();
  const std::int64_t na = space.alpha.size(), nb = space.beta.size();
  if (space.alpha.full && !list.irrep) list.strings = {na, nb};
  list.core_energy = determinants.active_integrals().core_energy;
  return list;
}

}  // namespace cisolve
