#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hamiltonian/direct/rows/direct_strings.hpp"
#include "hamiltonian/space/strings/string_space.hpp"

namespace cisolve {

/// a_s a_r, r > s, on the strings of any space, but for one sign of all: to which strings of two
/// electrons fewer, whether or not others of the space lead there.
class PairRemovals {
 public:
  explicit PairRemovals(const StringSpace& space);

  /// All r > s, by ascending r, s.
  const std::vector<OrbitalPair>& pairs() const { return pairs_; }

  struct Removal {
    Index fewer;  ///< number of the string of two electrons fewer
    Index string;
    double sign;
  };
  /// Removals of one pair, by ascending string.
  std::span<const Removal> of_pair(int pair) const { return of_pair_[pair]; }

  struct Source {
    Index string;
    int pair;
    double sign;
  };
  /// Sources of a string of two electrons fewer, by ascending pair.
  std::span<const Source> to(Index fewer) const { return to_[fewer]; }

 private:
  std::vector<OrbitalPair> pairs_;
  std::vector<std::vector<Removal>> of_pair_;
  std::vector<std::vector<Source>> to_;
};

}  // namespace cisolve
