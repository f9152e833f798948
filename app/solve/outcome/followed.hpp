#pragma once

#include <optional>
#include <vector>

#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// Continuation of a given vector f among states x_i.
struct Followed {
  /// The one that continues it, from 0; none: all that it overlaps with continue others.
  std::optional<int> state;
  double overlap = 0.0;  ///< |⟨f|x_state⟩| of f normalised
  double found = 0.0;    ///< Σ_i ⟨f|x_i⟩², the share of f that lies in all states found
};

/// State that continues each column of `given` among the orthonormal columns of `states`: the pairs
/// of largest overlap, no state twice, down to an overlap of `least_overlap`. Both n × ….
std::vector<Followed> follow(const HostMatrix& given, const HostMatrix& states);

/// Least overlap of a pair: a state with less than a tenth of a vector does not continue it.
constexpr double least_overlap = 0.316;
/// Below this share of it in the states found a vector's continuation is likely not among them.
constexpr double least_found = 0.5;

}  // namespace cisolve
