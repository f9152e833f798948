#include "hamiltonian/integrals/restrict_orbitals.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace cisolve {
namespace {

/// Marks the orbitals of a list, counting in messages from 1 as the file does.
void mark(std::vector<char>& role, const std::vector<int>& list, char as) {
  const int orbitals = static_cast<int>(role.size());
  for (const int p : list) {
    if (p < 0 || p >= orbitals) {
      throw InputError("orbital " + std::to_string(p + 1) +
                       " (counted from 1) is frozen or active; the file has orbitals 1 to " +
                       std::to_string(orbitals));
    }
    if (role[p] != 0) {
      throw InputError("orbital " + std::to_string(p + 1) +
                       " (counted from 1) is listed twice among the frozen and active orbitals");
    }
    role[p] = as;
  }
}

template <class T>
std::vector<T> select(const std::vector<T>& values, const std::vector<int>& kept) {
  std::vector<T> result;
  if (!values.empty()) {
    for (const int p : kept) result.push_back(values[p]);
  }
  return result;
}

std::shared_ptr<const TwoElectron> select(const TwoElectron& g, const std::vector<int>& kept) {
  const int n = static_cast<int>(kept.size());
  auto result = std::make_shared<TwoElectron>(n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      double* row = result->row(pair_index(p, q));
      const double* from = g.row(pair_index(kept[p], kept[q]));
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s <= r; ++s) row[pair_index(r, s)] = from[pair_index(kept[r], kept[s])];
      }
    }
  }
  return result;
}

/// h_pq + Σ_{i frozen} [(pq|ii) − (pi|iq)]_same + (pq|ii)_mixed over the kept orbitals; without the
/// last of general spin orbitals.
std::shared_ptr<const OneElectron> dressed(const Integrals& in, Spin spin,
                                           const std::vector<int>& frozen,
                                           const std::vector<int>& kept) {
  const OneElectron& h = *in.one_electron[spin];
  const TwoElectron& same = spin == alpha ? *in.alpha_alpha : *in.beta_beta;
  const TwoElectron& mixed = *in.alpha_beta;
  const int n = static_cast<int>(kept.size());
  auto result = std::make_shared<OneElectron>(n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      const int x = kept[p], y = kept[q];
      double value = h(x, y);
      for (const int i : frozen) {
        value += same(x, y, i, i) - same(x, i, i, y);
        if (in.general) continue;
        value += spin == alpha ? mixed(x, y, i, i) : mixed(i, i, x, y);
      }
      result->set(p, q, value);
    }
  }
  return result;
}

/// Σ_σ Σ_i h_ii + ½ Σ_σ Σ_ij [(ii|jj) − (ij|ji)] + Σ_ij (ii|jj)_αβ over the frozen orbitals; of one
/// σ alone where these are general spin orbitals.
double frozen_energy(const Integrals& in, const std::vector<int>& frozen) {
  double energy = 0;
  if (in.general) {
    const TwoElectron& g = *in.alpha_alpha;
    for (const int i : frozen) {
      energy += (*in.one_electron[alpha])(i, i);
      for (const int j : frozen) energy += 0.5 * (g(i, i, j, j) - g(i, j, j, i));
    }
    return energy;
  }
  for (const int i : frozen) {
    energy += (*in.one_electron[alpha])(i, i) + (*in.one_electron[beta])(i, i);
    for (const int j : frozen) {
      for (const TwoElectron* g : {in.alpha_alpha.get(), in.beta_beta.get()}) {
        energy += 0.5 * ((*g)(i, i, j, j) - (*g)(i, j, j, i));
      }
      energy += (*in.alpha_beta)(i, i, j, j);
    }
  }
  return energy;
}

}  // namespace

std::vector<int> active_orbitals(int orbitals, const std::vector<int>& frozen,
                                 const std::vector<int>& active) {
  enum : char { unlisted = 0, is_frozen, is_active };
  std::vector<char> role(orbitals, unlisted);
  mark(role, frozen, is_frozen);
  mark(role, active, is_active);
  std::vector<int> kept;
  for (int p = 0; p < orbitals; ++p) {
    if (role[p] == is_active || (active.empty() && role[p] == unlisted)) kept.push_back(p);
  }
  return kept;
}

Integrals restrict_orbitals(const Integrals& integrals, const std::vector<int>& frozen,
                            const std::vector<int>& active) {
  const std::vector<int> kept = active_orbitals(integrals.orbitals, frozen, active);
  const int in_each = integrals.general ? 1 : 2;
  const int electrons = integrals.electrons - in_each * static_cast<int>(frozen.size());
  const int least = integrals.general ? 1 : std::max(1, std::abs(integrals.ms2));
  if (!frozen.empty() && electrons < least) {
    throw InputError(std::to_string(frozen.size()) + " frozen orbitals leave " +
                     std::to_string(electrons) + " of " + std::to_string(integrals.electrons) +
                     " electrons; expected at least " + std::to_string(least));
  }
  if (kept.empty()) throw InputError("every orbital is frozen; expected at least one active");
  if (frozen.empty() && static_cast<int>(kept.size()) == integrals.orbitals) return integrals;

  Integrals result = integrals;
  result.orbitals = static_cast<int>(kept.size());
  result.electrons = electrons;
  if (result.general) result.ms2 = electrons;
  result.core_energy += frozen_energy(integrals, frozen);
  for (const Spin spin : {alpha, beta}) {
    result.orbital_irreps[spin] = select(integrals.orbital_irreps[spin], kept);
    result.orbital_energies[spin] = select(integrals.orbital_energies[spin], kept);
  }
  result.one_electron[alpha] = dressed(integrals, alpha, frozen, kept);
  result.alpha_beta = select(*integrals.alpha_beta, kept);
  if (integrals.unrestricted && !integrals.general) {
    result.one_electron[beta] = dressed(integrals, beta, frozen, kept);
    result.alpha_alpha = select(*integrals.alpha_alpha, kept);
    result.beta_beta = select(*integrals.beta_beta, kept);
  } else {
    result.one_electron[beta] = result.one_electron[alpha];
    result.alpha_alpha = result.beta_beta = result.alpha_beta;
  }
  return result;
}

}  // namespace cisolve
