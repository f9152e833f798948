#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "hamiltonian/matrix/excitations.hpp"
#include "hamiltonian/space/range_lists.hpp"

namespace cisolve {

/// A block has at most so many rows, so that a few alpha strings still make work for many threads.
inline constexpr Index row_block_rows = 256;

/// Excitations of alpha and beta strings; one object if both are the same.
using SpinExcitations = std::array<std::shared_ptr<const ExcitationTable>, 2>;
SpinExcitations make_excitations(const Integrals& integrals, const StringSpace& of_alpha,
                                 const StringSpace& of_beta);

/// Tables for the rows of a CI matrix, on the host and on a GPU. The integrals and the space must
/// outlive it.
struct CiTables {
  CiTables(const Integrals& integrals, const CiSpace& over)
      : space(over),
        core_energy(integrals.core_energy),
        mixed(*integrals.alpha_beta),
        excitations(make_excitations(integrals, space.alpha, space.beta)),
        beta_singles(space, [&](Index b) { return excitations[beta]->singles(b); }),
        blocks(space.row_blocks(row_block_rows)) {}

  /// Blocks of rows first … last − 1, in order: all blocks, or those cut that lie partly there.
  std::vector<RowBlock> blocks_of(Index first, Index last) const;
  /// Block of one row.
  RowBlock block_of(Index row) const { return {space.alpha_of(row), row, row + 1}; }
  std::size_t bytes() const;

  const CiSpace& space;
  double core_energy;
  const TwoElectron& mixed;  ///< (αα|ββ)
  SpinExcitations excitations;
  RangeLists beta_singles;
  std::vector<RowBlock> blocks;  ///< of all rows, in order
};

}  // namespace cisolve
