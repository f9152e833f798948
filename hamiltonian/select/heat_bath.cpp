#include "hamiltonian/select/heat_bath.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/threads/parallel.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

bool before(const HeatBath::Target& x, const HeatBath::Target& y) {
  if (x.magnitude != y.magnitude) return x.magnitude > y.magnitude;
  return x.r != y.r ? x.r < y.r : x.s < y.s;
}

/// Targets r, s that `may` go together, of an `element(r, s)` above `least`.
template <class May, class Element>
std::vector<HeatBath::Target> targets(int orbitals, double least, May may, Element element) {
  std::vector<HeatBath::Target> found;
  for (int r = 0; r < orbitals; ++r) {
    for (int s = 0; s < orbitals; ++s) {
      if (!may(r, s)) continue;
      const double magnitude = std::abs(element(r, s));
      if (!(magnitude > least)) continue;
      found.push_back({magnitude, static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(s)});
    }
  }
  std::ranges::sort(found, before);
  return found;
}

/// A pair of orbitals, which electrons leave.
using Pair = std::pair<int, int>;

/// `targets_of(p, q)` of all pairs, in their order.
template <class TargetsOf>
HeatBath::Lists lists_of(const std::vector<Pair>& pairs, int orbitals, TargetsOf targets_of) {
  std::vector<std::vector<HeatBath::Target>> of_pairs(pairs.size());
  const double elements = static_cast<double>(pairs.size()) * orbitals * orbitals;
  FirstException exception;
#pragma omp parallel for schedule(dynamic, 1) if (worth_threads(elements))
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    exception.guard([&] { of_pairs[i] = targets_of(pairs[i].first, pairs[i].second); });
  }
  exception.rethrow();
  HeatBath::Lists lists;
  lists.begin.push_back(0);
  for (const auto& some : of_pairs) lists.begin.push_back(lists.begin.back() + some.size());
  lists.targets.reserve(lists.begin.back());
  for (auto& some : of_pairs) {
    lists.targets.insert(lists.targets.end(), some.begin(), some.end());
    std::vector<HeatBath::Target>().swap(some);
  }
  return lists;
}

}  // namespace

HeatBath::HeatBath(const Integrals& integrals, double least) : orbitals_(integrals.orbitals) {
  const int m = orbitals_;
  std::vector<Pair> below, all;
  for (int p = 0; p < m; ++p) {
    for (int q = 0; q < m; ++q) {
      all.emplace_back(p, q);
      if (q < p) below.emplace_back(p, q);
    }
  }
  const auto of_one_spin = [&](Spin spin, const TwoElectron& g) {
    const SpinIntegrals of_spin{*integrals.one_electron[spin], g};
    return lists_of(below, m, [&](int p, int q) {
      return targets(
          m, least, [&](int r, int s) { return r > s && r != p && r != q && s != p && s != q; },
          [&](int r, int s) { return double_value(of_spin, r, s, p, q); });
    });
  };
  alphas_ = of_one_spin(alpha, *integrals.alpha_alpha);
  betas_ = integrals.unrestricted ? of_one_spin(beta, *integrals.beta_beta) : alphas_;
  mixed_ = lists_of(all, m, [&](int p, int q) {
    return targets(
        m, least, [&](int r, int s) { return r != p && s != q; },
        [&](int r, int s) { return (*integrals.alpha_beta)(p, r, q, s); });
  });
}

}  // namespace cisolve
