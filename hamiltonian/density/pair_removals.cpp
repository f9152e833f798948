#include "hamiltonian/density/pair_removals.hpp"

#include <unordered_map>

#include "hamiltonian/space/strings/string_walk.hpp"

namespace cisolve {

PairRemovals::PairRemovals(const StringSpace& space) {
  std::unordered_map<OrbitalString, Index> numbers;
  for (int r = 0; r < space.orbitals; ++r) {
    for (int s = 0; s < r; ++s) {
      const auto pair = static_cast<int>(pairs_.size());
      pairs_.push_back({r, s});
      of_pair_.emplace_back();
      for (Index i = 0; i < space.size(); ++i) {
        const OrbitalString& string = space.strings[i];
        if (!string.has(r) || !string.has(s)) continue;
        const OrbitalString left = string.without(r).without(s);
        const auto [place, is_new] = numbers.emplace(left, static_cast<Index>(to_.size()));
        if (is_new) to_.emplace_back();
        const double sign = addition_sign(left, r, s);
        of_pair_.back().push_back({place->second, i, sign});
        to_[place->second].push_back({i, pair, sign});
      }
    }
  }
}

}  // namespace cisolve
