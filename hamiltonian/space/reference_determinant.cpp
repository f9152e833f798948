#include <algorithm>
#include <numeric>
#include <set>

#include "core/error.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

/// The n orbitals of lowest energy; ties go to the lower orbital number.
OrbitalString lowest(const std::vector<double>& energies, int n) {
  std::vector<int> order(energies.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int p, int q) { return energies[p] < energies[q]; });
  OrbitalString s;
  for (int k = 0; k < n; ++k) s = s.with(order[k]);
  return s;
}

SpinIntegrals of_spin(const Integrals& integrals, Spin spin) {
  return {*integrals.one_electron[spin],
          spin == alpha ? *integrals.alpha_alpha : *integrals.beta_beta};
}

/// The diagonal of one spin's Fock matrix.
std::vector<double> fock_diagonal(const Integrals& integrals, Spin spin,
                                  const Determinant& occupied) {
  const SpinIntegrals same = of_spin(integrals, spin);
  const TwoElectron& mixed = *integrals.alpha_beta;
  std::vector<double> fock(integrals.orbitals);
  for (int p = 0; p < integrals.orbitals; ++p) {
    fock[p] = same.h(p, p);
    for (const int i : occupied[spin]) {
      fock[p] += same.coulomb(p, p, i, i) - same.coulomb(p, i, i, p);
    }
    for (const int j : occupied[1 - spin]) {
      fock[p] += spin == alpha ? mixed(p, p, j, j) : mixed(j, j, p, p);
    }
  }
  return fock;
}

Determinant occupy_fock_diagonal(const Integrals& integrals, const std::array<int, 2>& electrons) {
  Determinant occupied;  // none, whose Fock operator is h
  std::set<Determinant> seen;
  while (seen.insert(occupied).second) {
    Determinant next;
    for (const Spin spin : {alpha, beta}) {
      next[spin] = lowest(fock_diagonal(integrals, spin, occupied), electrons[spin]);
    }
    occupied = next;
  }
  return occupied;
}

/// The determinant of lowest energy one step away, an electron or an orbital's pair moved to an
/// empty orbital; the given one when none is lower.
Determinant best_step(const Integrals& integrals, const Determinant& from) {
  constexpr double noise = 1e-10;  // Hartree: degenerate occupations are not steps
  Determinant best = from;
  double lowest_energy = determinant_energy(integrals, from) - noise;
  for (int i = 0; i < integrals.orbitals; ++i) {
    for (int p = 0; p < integrals.orbitals; ++p) {
      for (const auto& spins : {std::vector{alpha}, {beta}, {alpha, beta}}) {
        Determinant next = from;
        bool possible = true;
        for (const Spin spin : spins) {
          possible = possible && from[spin].has(i) && !from[spin].has(p);
          next[spin] = from[spin].without(i).with(p);
        }
        if (!possible) continue;
        if (const double e = determinant_energy(integrals, next); e < lowest_energy) {
          lowest_energy = e;
          best = next;
        }
      }
    }
  }
  return best;
}

}  // namespace

double determinant_energy(const Integrals& integrals, const Determinant& determinant) {
  double energy = integrals.core_energy +
                  string_energy(of_spin(integrals, alpha), determinant[alpha]) +
                  string_energy(of_spin(integrals, beta), determinant[beta]);
  for (const int i : determinant[alpha]) {
    for (const int j : determinant[beta]) energy += (*integrals.alpha_beta)(i, i, j, j);
  }
  return energy;
}

std::array<int, 2> electron_numbers(const Integrals& integrals) {
  const int electrons = integrals.electrons, ms2 = integrals.ms2, orbitals = integrals.orbitals;
  const std::string found = std::to_string(electrons) +
                            " electrons with MS2 = " + std::to_string(ms2) + " in " +
                            std::to_string(orbitals) + " orbitals";
  constexpr int most = OrbitalString::most_orbitals;
  if (orbitals < 1 || orbitals > most) {
    throw InputError(std::to_string(orbitals) + " orbitals; expected 1 to " + std::to_string(most) +
                     " (freeze orbitals or choose active ones)");
  }
  if (electrons <= 0) {
    throw InputError("the number of electrons is " + std::to_string(electrons) +
                     "; expected at least one (NELEC of the file, or the option that replaces it)");
  }
  if ((electrons + ms2) % 2 != 0) {
    throw InputError(found + ": MS2 must be " + (electrons % 2 == 0 ? "even" : "odd") + " for " +
                     std::to_string(electrons) + " electrons; --ms2 changes it");
  }
  if (std::abs(ms2) > electrons) {
    throw InputError(found + ": expected |MS2| of at most the number of electrons");
  }
  if (integrals.general && electrons > orbitals) {
    throw InputError(std::to_string(electrons) + " electrons in " + std::to_string(orbitals) +
                     " general spin orbitals: expected at most one in each");
  }
  const std::array<int, 2> numbers{(electrons + ms2) / 2, (electrons - ms2) / 2};
  if (std::max(numbers[alpha], numbers[beta]) > orbitals) {
    throw InputError(
        found + ": expected at most one electron of each spin in an orbital, found " +
        std::to_string(numbers[alpha]) + " alpha and " + std::to_string(numbers[beta]) +
        " beta electrons (orbitals neither active nor frozen stay empty: --frozen names "
        "the doubly occupied ones)");
  }
  return numbers;
}

Determinant reference_determinant(const Integrals& integrals) {
  const auto electrons = electron_numbers(integrals);
  const auto& energies = integrals.orbital_energies;
  if (!energies[alpha].empty() && !energies[beta].empty()) {
    return {lowest(energies[alpha], electrons[alpha]), lowest(energies[beta], electrons[beta])};
  }
  // The iteration can settle on an excited determinant, or swing between two; steps downhill mend
  // that.
  Determinant occupied = occupy_fock_diagonal(integrals, electrons);
  for (Determinant next; (next = best_step(integrals, occupied)) != occupied;) occupied = next;
  return occupied;
}

std::array<std::vector<double>, 2> orbital_energies(const Integrals& integrals) {
  if (!integrals.orbital_energies[alpha].empty()) return integrals.orbital_energies;
  return fock_diagonal(integrals, reference_determinant(integrals));
}

std::array<std::vector<double>, 2> fock_diagonal(const Integrals& integrals,
                                                 const Determinant& occupied) {
  const std::vector<double> of_alpha = fock_diagonal(integrals, alpha, occupied);
  return {of_alpha, integrals.general ? of_alpha : fock_diagonal(integrals, beta, occupied)};
}

}  // namespace cisolve
