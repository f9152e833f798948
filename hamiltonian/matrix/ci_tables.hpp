#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "hamiltonian/matrix/excitations.hpp"
#include "hamiltonian/space/determinant_space.hpp"
#include "hamiltonian/space/range_lists.hpp"

namespace cisolve {

/// A block has at most so many rows, so that a few alpha strings still make work for many threads.
inline constexpr Index row_block_rows = 256;

/// Of alpha and beta strings; one object where both are the same.
using SpinExcitations = std::array<std::shared_ptr<const ExcitationTable>, 2>;
SpinExcitations make_excitations(const Integrals& integrals, const StringSpace& of_alpha,
                                 const StringSpace& of_beta);

/// What the rows of a CI matrix are made of, on the host and on a GPU. The integrals and the space
/// must outlive it.
template <DeterminantSpace Space>
struct CiTables {
  CiTables(const Integrals& integrals, const Space& over)
      : space(over),
        core_energy(integrals.core_energy),
        mixed(*integrals.alpha_beta),
        excitations(make_excitations(integrals, space.alpha, space.beta)),
        beta_singles(space, [&](Index b) { return excitations[beta]->singles(b); }),
        blocks(space.row_blocks(row_block_rows)) {}

  /// Of rows first … last − 1, in order: all blocks, or those cut that lie partly there.
  std::vector<RowBlock> blocks_of(Index first, Index last) const;
  /// Of one row.
  RowBlock block_of(Index row) const { return {space.alpha_of(row), row, row + 1}; }
  std::size_t bytes() const;

  const Space& space;
  double core_energy;
  const TwoElectron& mixed;  ///< (αα|ββ)
  SpinExcitations excitations;
  typename Space::BetaLists beta_singles;
  std::vector<RowBlock> blocks;  ///< of all rows, in order
};

template <DeterminantSpace Space>
std::vector<RowBlock> CiTables<Space>::blocks_of(Index first, Index last) const {
  std::vector<RowBlock> cut;
  for (const RowBlock& block : blocks) {
    if (block.last <= first || block.first >= last) continue;
    cut.push_back({block.alpha_string, std::max(first, block.first), std::min(last, block.last)});
  }
  return cut;
}

template <DeterminantSpace Space>
std::size_t CiTables<Space>::bytes() const {
  return excitations[alpha]->bytes() +
         (excitations[beta] == excitations[alpha] ? 0 : excitations[beta]->bytes()) +
         beta_singles.bytes() + blocks.size() * sizeof(RowBlock);
}

}  // namespace cisolve
