#include "hamiltonian/direct/tables/same_spin.hpp"

#include <algorithm>

#include "core/threads/parallel.hpp"
#include "hamiltonian/space/strings/string_walk.hpp"

namespace cisolve {

SameSpin::SameSpin(const DirectStrings& strings, const TwoElectron& integrals) {
  std::array<std::vector<OrbitalPair>, most_irreps> pairs;
  const auto& irreps = strings.orbital_irreps;
  for (int r = 0; r < strings.orbitals; ++r) {
    for (int s = 0; s < r; ++s) pairs[irrep_product(irreps[r], irreps[s])].push_back({r, s});
  }
  for (int y = 0; y < most_irreps; ++y) {
    const auto n = static_cast<Eigen::Index>(pairs[y].size());
    w_[y].resize(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        const auto [p, q] = pairs[y][i];
        const auto [r, s] = pairs[y][j];
        w_[y](i, j) = integrals(p, r, q, s) - integrals(p, s, q, r);
      }
    }
  }
  std::vector<OrbitalString64> fewer;
  for_each_string<OrbitalString64>(strings.orbitals, strings.electrons - 2,
                                   [&](OrbitalString64 k) { fewer.push_back(k); });
  // Additions by irrep of the pairs.
  std::vector<std::array<std::vector<PairLink>, most_irreps>> additions(fewer.size());
  FirstException exception;
#pragma omp parallel for if (worth_threads(1e3 * fewer.size())) schedule(dynamic, 16)
  for (std::size_t k = 0; k < fewer.size(); ++k) {
    exception.guard([&] {
      for (int y = 0; y < most_irreps; ++y) {
        const Index first = strings.begin[irrep_product(strings.irrep(fewer[k]), y)];
        for (std::size_t i = 0; i < pairs[y].size(); ++i) {
          const auto [r, s] = pairs[y][i];
          if (fewer[k].has(r) || fewer[k].has(s)) continue;
          const Index string = strings.find(fewer[k].with(r).with(s));
          if (string < 0) continue;
          const int sign = addition_sign(fewer[k], r, s);
          additions[k][y].push_back(
              {string - first, static_cast<std::int16_t>(i), static_cast<std::int16_t>(sign)});
        }
      }
    });
  }
  exception.rethrow();
  for (std::size_t k = 0; k < fewer.size(); ++k) {
    for (int y = 0; y < most_irreps; ++y) {
      auto& list = additions[k][y];
      if (list.empty()) continue;
      OfIrrep& of = of_[irrep_product(strings.irrep(fewer[k]), y)];
      of.additions.insert(of.additions.end(), list.begin(), list.end());
      of.begin.push_back(static_cast<Offset>(of.additions.size()));
      of.pair_irrep.push_back(static_cast<std::int8_t>(y));
      list = {};
    }
  }
}

int SameSpin::most_additions(int irrep) const {
  std::size_t most = 0;
  for (Index i = 0; i < blocks(irrep); ++i) {
    most = std::max(most, block(irrep, i).additions.size());
  }
  return static_cast<int>(most);
}

std::size_t SameSpin::bytes() const {
  std::size_t sum = 0;
  for (const OfIrrep& of : of_) {
    sum += of.begin.size() * sizeof(Offset) + of.additions.size() * sizeof(PairLink) +
           of.pair_irrep.size();
  }
  return sum;
}

}  // namespace cisolve
