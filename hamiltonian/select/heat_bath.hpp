#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// Double excitations by falling magnitude of their element, for each pair of orbitals that
/// electrons leave: who looks for elements above a bound reads no other (Holmes, Tubman, Umrigar,
/// J. Chem. Theory Comput. 2016, 12, 3674). Bytes: 16 an element, of which there are at most
/// orbitals⁴ for pairs of different spin, a quarter of that for each spin.
class HeatBath {
 public:
  /// To orbitals r and s.
  struct Target {
    double magnitude;
    std::uint8_t r, s;
  };

  /// Targets of all pairs, those of pair i from begin[i] to begin[i + 1].
  struct Lists {
    std::vector<std::size_t> begin;
    std::vector<Target> targets;
  };

  /// Tables of elements above `least`, Hartree.
  HeatBath(const Integrals& integrals, double least);

  /// Targets of electrons of one spin in p > q: |(pr|qs) − (ps|qr)|, r > s.
  std::span<const Target> same(Spin spin, int p, int q) const {
    return of(same(spin), static_cast<std::size_t>(p) * (p - 1) / 2 + q);
  }
  /// Targets of an alpha electron in p, which goes to r, and a beta one in q, to s: |(pr|qs)|.
  std::span<const Target> mixed(int p, int q) const {
    return of(mixed_, static_cast<std::size_t>(p) * orbitals_ + q);
  }
  /// Targets of all pairs, by p(p − 1)/2 + q of one spin, by p · orbitals + q of both.
  const Lists& same(Spin spin) const { return spin == alpha ? alphas_ : betas_; }
  const Lists& mixed() const { return mixed_; }

 private:
  std::span<const Target> of(const Lists& lists, std::size_t i) const {
    return {lists.targets.data() + lists.begin[i], lists.targets.data() + lists.begin[i + 1]};
  }

  int orbitals_;
  Lists alphas_, betas_, mixed_;
};

}  // namespace cisolve
