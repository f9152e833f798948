#pragma once

#include <array>
#include <vector>

#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/listed/list_pairs.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {

/// ⟨J|Ĥ|I⟩ over a list's pairs of determinants, in Hartree: the Slater–Condon rules, with the sums
/// in the order that CiMatrixBuilder has, whose elements are the same to the bit. Integrals and
/// pairs must outlive it.
class ListElements {
 public:
  ListElements(const Integrals& integrals, const ListPairs& pairs)
      : core_energy_(integrals.core_energy),
        of_spin_{{{*integrals.one_electron[alpha], *integrals.alpha_alpha},
                  {*integrals.one_electron[beta], *integrals.beta_beta}}},
        mixed_(*integrals.alpha_beta),
        pairs_(pairs) {
    const ListedSpace& space = pairs.space();
    for (const Spin spin : {alpha, beta}) {
      for (const OrbitalString& s : (spin == alpha ? space.alpha : space.beta).strings) {
        energies_[spin].push_back(string_energy(of_spin_[spin], s));
      }
    }
  }

  /// The diagonal: H = E_core + E_a + E_b + Σ_{i in a, j in b} (ii|jj).
  double diagonal(Index row) const {
    const ListedSpace& space = pairs_.space();
    const Index a = pairs_.alpha_of(row), b = space.beta_of(row);
    double energy = core_energy_ + (energies_[alpha][a] + energies_[beta][b]);
    for (const int j : space.beta.strings[b]) {
      energy += field_of_alpha(space.alpha.strings[a], mixed_.pair(j, j));
    }
    return energy;
  }

  /// f(x, y, value) of all pairs of rows of a unit, value() being their element, zeros among them.
  template <class F>
  void visit(const ListPairs::Unit& unit, ListPairs::Scratch& scratch, F f) const {
    if (unit.kind == ListPairs::Kind::mixed) {
      pairs_.visit_mixed(unit, scratch, [&](const auto& x, const auto& y) {
        f(x.row, y.row, [&] { return mixed(x, y); });
      });
      return;
    }
    const Spin spin = unit.kind == ListPairs::Kind::of_alpha ? alpha : beta;
    pairs_.visit_singles(spin, unit, scratch, [&](const auto& x, const auto& y) {
      f(x.row, y.row, [&] { return single(spin, unit.number, x, y); });
    });
    pairs_.visit_doubles(spin, unit, scratch, [&](const auto& x, const auto& y) {
      f(x.row, y.row, [&] { return same_spin(spin, x.taken, y.taken); });
    });
  }

 private:
  static double signed_value(int odd, double value) { return odd != 0 ? -value : value; }

  /// An alpha electron goes from q to p, a beta electron from s to r: (pq|rs) with both signs.
  double mixed(const ListPairs::Mixed& x, const ListPairs::Mixed& y) const {
    const double* const row = mixed_.row(mixed_.pair(x.alpha, y.alpha));
    return signed_value(x.odd ^ y.odd, row[mixed_.pair(x.beta, y.beta)]);
  }
  /// One electron goes from q to p beside the other spin's string: the string's part, and
  /// Σ_{j in the other string} (pq|jj).
  double single(Spin spin, Index other, const ListPairs::OfSpin& x,
                const ListPairs::OfSpin& y) const {
    const ListedSpace& space = pairs_.space();
    const int q = x.taken.first, p = y.taken.first, odd = x.taken.odd ^ y.taken.odd;
    const OrbitalString& from = (spin == alpha ? space.alpha : space.beta).strings[x.string];
    const double own = single_value(of_spin_[spin], from.without(q), p, q);
    const double field = spin == alpha
                             ? field_of_beta(space.beta.strings[other], mixed_.pair(p, q))
                             : field_of_alpha(space.alpha.strings[other], mixed_.pair(p, q));
    return signed_value(odd, own) + signed_value(odd, field);
  }
  /// Two electrons of a spin go from r < s to p < q.
  double same_spin(Spin spin, const Remainders::Taken& x, const Remainders::Taken& y) const {
    return signed_value(x.odd ^ y.odd,
                        double_value(of_spin_[spin], y.first, y.second, x.first, x.second));
  }
  double field_of_beta(const OrbitalString& betas, int pq) const {
    const double* const row = mixed_.row(pq);
    double field = 0.0;
    for (const int j : betas) field += row[mixed_.pair(j, j)];
    return field;
  }
  double field_of_alpha(const OrbitalString& alphas, int rs) const {
    double field = 0.0;
    for (const int i : alphas) field += mixed_.row(mixed_.pair(i, i))[rs];
    return field;
  }

  double core_energy_;
  std::array<SpinIntegrals, 2> of_spin_;
  const TwoElectron& mixed_;  ///< (αα|ββ)
  const ListPairs& pairs_;
  std::array<std::vector<double>, 2> energies_;  ///< of each string's electrons among themselves
};

}  // namespace cisolve
