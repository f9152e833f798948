#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/strings/string_space.hpp"

namespace cisolve {

/// A single excitation from one string of a space to another: to = sign · a†_q a_p from.
struct StringExcitation {
  Index from, to;
  std::int32_t sign;
};

/// The single excitations of a space's strings by their two orbitals, for operators that are sums
/// over orbital pairs: spin and the one-particle density. At most one excitation of a pair leads to
/// a string, so that results of a pair may be written in parallel.
class PairExcitations {
 public:
  explicit PairExcitations(const StringSpace& space);

  /// a†_q a_p, p < q, of every string of the space that leads to another; by ascending `from`.
  std::span<const StringExcitation> of(int p, int q) const { return lists_[pair_index(p, q)]; }

 private:
  std::vector<std::vector<StringExcitation>> lists_;  // by pair_index
};

/// Excitations of alpha and beta strings; one object if they are the same strings.
using SpinPairExcitations = std::array<std::shared_ptr<const PairExcitations>, 2>;
SpinPairExcitations make_pair_excitations(const StringSpace& of_alpha, const StringSpace& of_beta);
template <class Space>
SpinPairExcitations make_pair_excitations(const Space& space) {
  return make_pair_excitations(space.alpha, space.beta);
}

}  // namespace cisolve
