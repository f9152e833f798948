#pragma once

#include <span>
#include <vector>

#include "hamiltonian/matrix/matrix_builder.hpp"
#include "hamiltonian/spinor/kramers/kramers_pairs.hpp"
#include "hamiltonian/spinor/spinor_matrix.hpp"

namespace cisolve {

/// Half of the complex CI matrix H of an odd number of electrons over Kramers pairs of spinors,
/// from which the other half follows: a row for the first determinant I of each pair
/// (KramersPairs), two columns for each pair,
///
///     A_I,2J = ⟨I|Ĥ|J⟩,   A_I,2J+1 = ⟨I|Ĥ T|J⟩ = s_J H_IJ̄.
///
/// H is the matrix Q of quaternions, Q_IJ = A_I,2J − A_I,2J+1 j, which acts on a state's
/// quaternions from the left: an eigenvalue of Q is one of H, twice. Q is exactly self-adjoint for
/// integrals that are those of Kramers pairs bit for bit (time_average).
///
/// A has pairs × 2 · pairs complex elements, half of H's nonzeros; those of Q would be hardly fewer
/// in number and twice as large, for J and J̄ seldom both differ from I by two electrons or less.
class KramersMatrixBuilder final : public MatrixBuilder {
 public:
  /// Integrals, space and its pairs must outlive it. Throws ResourceError where the host has no
  /// room for the tables.
  KramersMatrixBuilder(const SpinorIntegrals& integrals, const StringSpace& space,
                       const KramersPairs& pairs);

  /// Rows; there are twice as many columns.
  Index size() const override { return pairs_.size(); }
  using MatrixBuilder::count;
  Array<Offset> count(const CountWatch& watch, Index first, Index last) const override;
  CsrMatrix fill(Array<Offset> row_offsets, Index first = 0) const override;
  CsrMatrix some_rows(std::span<const Index> wanted) const override;
  using MatrixBuilder::diagonal;
  std::vector<double> diagonal(Index first, Index last) const override;
  std::size_t table_bytes() const override { return rows_.table_bytes() + pairs_.bytes(); }

 private:
  /// Rows of H become those of A.
  CsrMatrix in_pairs(CsrMatrix rows) const;

  const KramersPairs& pairs_;
  SpinorMatrixBuilder rows_;
};

/// Q_II, given A.
std::vector<double> diagonal_of_pairs(const CsrMatrix& a);
/// Rows of Q, `components` 4, given the same of A.
CsrMatrix quaternion_rows(const CsrMatrix& a);

}  // namespace cisolve
