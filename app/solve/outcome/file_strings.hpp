#pragma once

#include <vector>

#include "app/solve/outcome/row_determinants.hpp"
#include "hamiltonian/space/listed/determinant_list.hpp"

namespace cisolve {

/// Rows as determinants over all orbitals of the Hamiltonian's file, its frozen ones doubly
/// occupied, general spin orbitals by alpha alone. In their operators alpha comes before beta, and
/// orbitals ascend.
class FileStrings {
 public:
  /// The list must outlive it.
  explicit FileStrings(const RowDeterminants& list);

  std::size_t size() const { return list_.alpha.size() / static_cast<std::size_t>(list_.words); }
  /// The strings of a row.
  Determinant determinant(std::size_t row) const;
  /// True if a row's coefficient changes its sign: the frozen electrons go from before the active
  /// ones, where determinants here have them, to the places of their orbitals.
  bool is_negative(std::size_t row) const;

 private:
  OrbitalString active(const std::vector<std::uint64_t>& strings, std::size_t row) const;
  OrbitalString over_all(const OrbitalString& active) const;  ///< without the frozen ones
  bool is_odd(const OrbitalString& active) const;

  const RowDeterminants& list_;
  OrbitalString frozen_;
  std::vector<OrbitalString> below_;  ///< of each frozen orbital, the active ones before it
};

/// All rows.
DeterminantList file_determinants(const FileStrings& strings);

}  // namespace cisolve
