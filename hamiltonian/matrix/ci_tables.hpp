#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hamiltonian/matrix/excitations.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// Rows of one alpha string whose beta strings [first, last) are of one group: which other alpha
/// strings they reach then holds for all of them.
struct RowBlock {
  Index alpha_string, first, last;
};
/// A block has at most so many rows, so that a few alpha strings still make work for many threads.
inline constexpr Index row_block_rows = 256;

/// Single excitations [first, last) of a beta string that stay within a range of the beta strings
/// of one group of alpha strings; those from `middle` lead above the string itself.
struct SinglesRange {
  std::uint16_t first, middle, last;
};

/// What the rows of a CI matrix are made of, on the host and on a GPU. The integrals and the space
/// must outlive it.
struct CiTables {
  CiTables(const Integrals& integrals, const CiSpace& space);

  /// The number of a block's first row; the others follow.
  Index first_row(const RowBlock& block) const {
    return static_cast<Index>(space.row(block.alpha_string, block.first));
  }
  /// Whether a single excitation leads from a beta string of that group into a range.
  bool reaches(int beta_group, Index range) const {
    return reached[static_cast<std::size_t>(beta_group) * space.ranges() + range];
  }
  /// Of rows first … last − 1, in order: all blocks, or those cut that lie partly there.
  std::vector<RowBlock> blocks_of(Index first, Index last) const;
  /// Of one row.
  RowBlock block_of(Index row) const;
  std::size_t bytes() const;

  const CiSpace& space;
  double core_energy;
  const TwoElectron& mixed;                                           ///< (αα|ββ)
  std::array<std::shared_ptr<const ExcitationTable>, 2> excitations;  ///< may be one object
  /// Of beta string b and range r of the space at [b · space.ranges() + r].
  std::vector<SinglesRange> ranges;
  std::vector<bool> reached;     ///< see reaches
  std::vector<RowBlock> blocks;  ///< of all rows, in order
};

}  // namespace cisolve
