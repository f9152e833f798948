#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hamiltonian/direct/rows/direct_layout.hpp"

namespace cisolve {

/// Table of operators u on vectors over the strings n of one spin, over other strings s:
///   (u x)_s = ± x_n,  ±(n + 1) at [u, s], 0 where (u x)_s is.
struct OperatorTable {
  std::vector<OrbitalPair> pairs;  ///< the orbitals of each operator
  Index columns = 0;               ///< strings s
  std::vector<Index> entries;
  int rows() const { return static_cast<int>(pairs.size()); }
  Index at(int u, Index s) const { return entries[std::size_t(u) * columns + s]; }
};

/// The strings of two electrons fewer, by irrep in the file's count.
struct FewerElectrons {
  std::vector<OrbitalString64> strings;
  std::array<Index, most_irreps + 1> begin{};
};

/// Which densities tables are for; those of two particles serve for those of one, too.
enum class DensityOrder { one_particle, two_particle };

/// Tables for the densities of full CI vectors, in host memory. Pairs of orbitals are told apart by
/// the irrep of the vector, as the file has it. If a space has all irreps, or its Hamiltonian falls
/// into further blocks, a vector may mix them. Its densities then have elements that no matrix
/// element of H belongs to. Bytes: O(orbitals² · strings). The layout must outlive it.
struct DensityTables {
  DensityTables(const DirectLayout& layout, DensityOrder order);

  /// Strings of one spin of an irrep in the file's count.
  StringRange strings(Spin spin, int file_irrep) const;
  /// The beta strings of alpha strings of such an irrep.
  StringRange betas(int file_irrep) const;
  StringRange fewer(Spin spin, int file_irrep) const {
    return {fewer_electrons[spin].begin[file_irrep], fewer_electrons[spin].begin[file_irrep + 1]};
  }
  const DirectStrings& strings(Spin spin) const {
    return spin == alpha ? layout.alpha_strings : layout.beta_strings;
  }

  const DirectLayout& layout;
  using ByIrrep = std::array<OperatorTable, most_irreps>;
  /// By irrep of the pair, for one particle of irrep 0 alone: 1 as no_pair where that is 0, then
  /// E_pq, p ≥ q of alpha, any r s of beta.
  std::array<ByIrrep, 2> excitations;
  std::array<FewerElectrons, 2> fewer_electrons;  ///< here and below: of two particles
  /// a_s a_r, r > s, but for one sign of all, to the strings of two electrons fewer.
  std::array<ByIrrep, 2> removals;
};

}  // namespace cisolve
