#include "hamiltonian/select/heat_bath.hpp"

#include <algorithm>
#include <cmath>

#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

bool before(const HeatBath::Target& x, const HeatBath::Target& y) {
  if (x.magnitude != y.magnitude) return x.magnitude > y.magnitude;
  return x.r != y.r ? x.r < y.r : x.s < y.s;
}

/// `element(r, s)` of the r, s that `may` go together.
template <class May, class Element>
void append(std::vector<std::size_t>& begin, std::vector<HeatBath::Target>& targets, int orbitals,
            double least, May may, Element element) {
  begin.push_back(targets.size());
  for (int r = 0; r < orbitals; ++r) {
    for (int s = 0; s < orbitals; ++s) {
      if (!may(r, s)) continue;
      const double magnitude = std::abs(element(r, s));
      if (!(magnitude > least)) continue;
      targets.push_back({magnitude, static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(s)});
    }
  }
  std::sort(targets.begin() + static_cast<std::ptrdiff_t>(begin.back()), targets.end(), before);
}

}  // namespace

HeatBath::HeatBath(const Integrals& integrals, double least) : orbitals_(integrals.orbitals) {
  const auto fill_same = [&](Lists& lists, Spin spin, const TwoElectron& g) {
    const SpinIntegrals of_spin{*integrals.one_electron[spin], g};
    for (int p = 0; p < orbitals_; ++p) {
      for (int q = 0; q < p; ++q) {
        append(
            lists.begin, lists.targets, orbitals_, least,
            [&](int r, int s) { return r > s && r != p && r != q && s != p && s != q; },
            [&](int r, int s) { return double_value(of_spin, r, s, p, q); });
      }
    }
    lists.begin.push_back(lists.targets.size());
  };
  fill_same(alphas_, alpha, *integrals.alpha_alpha);
  if (integrals.unrestricted) {
    fill_same(betas_, beta, *integrals.beta_beta);
  } else {
    betas_ = alphas_;
  }
  for (int p = 0; p < orbitals_; ++p) {
    for (int q = 0; q < orbitals_; ++q) {
      append(
          mixed_.begin, mixed_.targets, orbitals_, least,
          [&](int r, int s) { return r != p && s != q; },
          [&](int r, int s) { return (*integrals.alpha_beta)(p, r, q, s); });
    }
  }
  mixed_.begin.push_back(mixed_.targets.size());
}

}  // namespace cisolve
