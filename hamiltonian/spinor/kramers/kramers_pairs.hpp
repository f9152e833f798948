#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/types.hpp"
#include "hamiltonian/space/strings/string_space.hpp"

namespace cisolve {

/// The pairs {I, Ī} of determinants of an odd number of electrons that time reversal T makes of
/// each other, over spinors that are Kramers pairs (kramers.hpp): T is antiunitary and turns spinor
/// 2p into 2p + 1, and 2p + 1 into −2p, so that
///
///     T|I⟩ = s_I |Ī⟩,   s_I = (−1)^u,   T² = −1,
///
/// u the occupied odd spinors whose partners are empty. The determinant of the two that comes first
/// in the space stands for the pair; pairs ascend by these.
///
/// A state Ψ = Σ_I a_I |I⟩ + b_I T|I⟩, the sum over the pairs, is the vector of the quaternions
///
///     v_I = a_I + j b_I = (Re a_I, Im a_I, Re b_I, −Im b_I)
///
/// (core/dense/field.hpp). Then vz is zΨ of a complex number z, and vj is TΨ: states that are
/// orthogonal over the quaternions are so over the complex numbers, and each with its own T as
/// well.
class KramersPairs {
 public:
  /// The pair of a determinant, and whether it is Ī there.
  struct Place {
    Index pair;
    bool reversed;
  };

  /// None where the electrons are even in number or the space lacks the partner of one.
  static std::optional<KramersPairs> of(const StringSpace& space);

  Index size() const { return static_cast<Index>(firsts_.size()); }
  /// The number in the space of I.
  Index first(Index pair) const { return firsts_[pair]; }
  /// The number in the space of Ī.
  Index second(Index pair) const { return seconds_[pair]; }
  /// s_I.
  double sign(Index pair) const { return signs_[pair]; }
  Place place(Index determinant) const {
    const Index pair = pair_of_[determinant];
    return {pair, firsts_[pair] != determinant};
  }
  std::size_t bytes() const {
    return (2 * firsts_.size() + pair_of_.size()) * sizeof(Index) + signs_.size();
  }

  /// v := Ψ, of complex coefficients of determinants, re and im in neighbouring rows. Numbers are
  /// as far apart as the strides say; both vectors have 4 · size() of them.
  void fold(const double* psi, std::int64_t stride, double* v, std::int64_t v_stride) const;
  /// Ψ := v, TΨ := vj.
  void unfold(const double* v, std::int64_t stride, double* psi, double* reversed,
              std::int64_t psi_stride) const;

 private:
  std::vector<Index> firsts_, seconds_;  ///< I and Ī, by pair
  std::vector<std::int8_t> signs_;
  std::vector<Index> pair_of_;  ///< by determinant
};

}  // namespace cisolve
