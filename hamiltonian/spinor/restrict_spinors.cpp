#include "hamiltonian/spinor/restrict_spinors.hpp"

#include <string>
#include <utility>

#include "core/error.hpp"
#include "hamiltonian/integrals/restrict_orbitals.hpp"

namespace cisolve {
namespace {

double frozen_energy(const SpinorIntegrals& in, const std::vector<int>& frozen) {
  double energy = 0.0;
  for (const int i : frozen) {
    energy += in.h(i, i).real();
    for (const int j : frozen) energy += 0.5 * (in.g(i, i, j, j) - in.g(i, j, j, i)).real();
  }
  return energy;
}

Complex with_field(const SpinorIntegrals& in, const std::vector<int>& frozen, int p, int q) {
  Complex value = in.h(p, q);
  for (const int i : frozen) value += in.g(p, q, i, i) - in.g(p, i, i, q);
  return value;
}

}  // namespace

SpinorIntegrals restrict_spinors(SpinorIntegrals integrals, const std::vector<int>& frozen,
                                 const std::vector<int>& active) {
  const std::vector<int> kept = active_orbitals(integrals.spinors, frozen, active);
  const int electrons = integrals.electrons - static_cast<int>(frozen.size());
  if (!frozen.empty() && electrons < 1) {
    throw InputError(std::to_string(frozen.size()) + " frozen spinors leave " +
                     std::to_string(electrons) + " of " + std::to_string(integrals.electrons) +
                     " electrons; expected at least 1");
  }
  if (kept.empty()) throw InputError("every spinor is frozen; expected at least one active");
  const int n = static_cast<int>(kept.size());
  if (n == integrals.spinors) return integrals;

  SpinorIntegrals result(n);
  result.electrons = electrons;
  result.core_energy = integrals.core_energy + frozen_energy(integrals, frozen);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      result.h.set(p, q, with_field(integrals, frozen, kept[p], kept[q]));
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
          result.g.set(p, q, r, s, integrals.g(kept[p], kept[q], kept[r], kept[s]));
        }
      }
    }
  }
  result.other_keys = std::move(integrals.other_keys);
  result.warnings = std::move(integrals.warnings);
  return result;
}

}  // namespace cisolve
