#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "hamiltonian/space/strings/string_space.hpp"

namespace cisolve {

/// Strings by what remains of them without some of their electrons. A string's electrons are
/// numbered by ascending orbital; removed from the string, electron e has the sign (−1)^e, and so
/// has the electron that makes the string of a remainder: with both, an excitation's sign follows
/// from numbers of electrons alone.
///
/// Remainders are numbered, equal ones alike; each knows the strings that have it. Bytes: 8 a
/// remainder of a string, and as many electrons' orbitals.
class Remainders {
 public:
  /// One electron, or two, taken out of a string.
  struct alignas(4) Taken {
    std::uint8_t first, second;  ///< orbitals, ascending; equal where one is taken
    std::uint8_t odd;            ///< 1 where the electrons' numbers sum to an odd one, else 0
  };
  struct Member {
    Index string;
    Taken taken;
  };

  /// Without `removed` electrons, 1 or 2; of strings with fewer there are none.
  Remainders(const StringSpace& space, int removed);

  /// Number of remainders of all strings.
  Index size() const { return static_cast<Index>(begin_.size() - 1); }
  /// The strings with a remainder, ascending.
  std::span<const Member> members(Index remainder) const {
    return {members_.data() + begin_[remainder], members_.data() + begin_[remainder + 1]};
  }
  /// The remainders of a string, and what is taken for each.
  std::span<const Index> of(Index string) const {
    return {remainders_.data() + each_ * string, each_};
  }
  std::span<const Taken> taken(Index string) const {
    return {taken_.data() + each_ * string, each_};
  }
  std::size_t bytes() const;

  /// Number of remainders of every string, and the remainders of all strings one behind another.
  int each() const { return static_cast<int>(each_); }
  std::span<const Index> all() const { return remainders_; }
  std::span<const Taken> all_taken() const { return taken_; }

 private:
  std::size_t each_;  ///< remainders of a string
  std::vector<Index> remainders_;
  std::vector<Taken> taken_;
  std::vector<Offset> begin_;
  std::vector<Member> members_;
};

}  // namespace cisolve
