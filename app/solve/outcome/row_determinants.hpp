#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/input/determinants/determinants.hpp"

namespace cisolve {

/// Determinants of the rows of vectors, for those who read them elsewhere.
struct RowDeterminants {
  int orbitals = 0;       ///< active ones
  int file_orbitals = 0;  ///< all of the Hamiltonian's file
  std::int64_t alpha_electrons = 0, beta_electrons = 0;
  int words = 1;  ///< of a string: one for every 64 active orbitals
  /// Occupied active orbitals of every row, bit p for orbital p from 0, in so many words a row, the
  /// lowest orbitals first.
  std::vector<std::uint64_t> alpha, beta;
  std::vector<std::int64_t> active;  ///< number in the file, from 0, of each active orbital
  std::vector<std::int64_t> frozen;  ///< the same, of the doubly occupied ones that are not active
  bool general = false;  ///< spin orbitals: electrons, frozen ones too, are in alpha strings alone
  std::optional<int> irrep;  ///< that they all have
  /// Alpha and beta strings, where every pair of them is a determinant: row a·beta_strings + b.
  std::optional<std::pair<std::int64_t, std::int64_t>> strings;
  double core_energy = 0.0;  ///< of nuclei and frozen electrons, Hartree
};

RowDeterminants row_determinants(const Determinants& determinants);

}  // namespace cisolve
