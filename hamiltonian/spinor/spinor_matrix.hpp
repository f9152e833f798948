#pragma once

#include <span>
#include <vector>

#include "hamiltonian/matrix/matrix_builder.hpp"
#include "hamiltonian/space/strings/remainders.hpp"
#include "hamiltonian/spinor/spinor_tables.hpp"

namespace cisolve {

/// The Hermitian CI matrix over determinants of spinors, complex (`components` 2): row i is the
/// string i of a space, all of whose electrons are of one kind. With I = K + p, J = K + q, or I =
/// K + p + q, J = K + r + s of a remainder K, p < q and r < s,
///
///     H_II = E_core + Σ_i h_ii + Σ_{i<j} [(ii|jj) − (ij|ji)],
///     H_IJ = ± { h_pq + Σ_{i in K} [(pq|ii) − (pi|iq)] },   H_IJ = ± [(pr|qs) − (ps|qr)],
///
/// minus where the places of p (and q) in I and q (r and s) in J sum to an odd number. The diagonal
/// is exactly real, H_JI exactly H_IJ*; sums run over ascending spinors, pair by pair.
///
/// Neighbours are the members of a row's remainders. Parallel over rows. The space must outlive the
/// builder.
class SpinorMatrixBuilder final : public MatrixBuilder {
 public:
  /// Throws ResourceError where the host has no room for the tables.
  SpinorMatrixBuilder(const SpinorIntegrals& integrals, const StringSpace& space,
                      Storage storage = Storage::full);

  Index size() const override { return space_.size(); }
  using MatrixBuilder::count;
  Array<Offset> count(const CountWatch& watch, Index first, Index last) const override;
  CsrMatrix fill(Array<Offset> row_offsets, Index first = 0) const override;
  CsrMatrix some_rows(std::span<const Index> wanted) const override;
  /// Row offsets of some rows, and these, as some_rows has them.
  Array<Offset> count(const CountWatch& watch, std::span<const Index> wanted) const;
  CsrMatrix fill(Array<Offset> row_offsets, std::span<const Index> wanted) const;
  using MatrixBuilder::diagonal;
  std::vector<double> diagonal(Index first, Index last) const override;
  std::size_t table_bytes() const override;

  /// Bytes of host memory that the tables take while they are made.
  static double bytes_for(const StringSpace& space);

 private:
  /// Members of a remainder that a row has elements with.
  std::span<const Remainders::Member> columns_of(const Remainders& remainders, Index remainder,
                                                 Index row) const;
  template <class Sink>
  void walk(Index row, Sink& sink) const;
  template <class Sink>
  void walk_singles(Index row, Sink& sink) const;
  template <class Sink>
  void walk_doubles(Index row, Sink& sink) const;
  template <class RowOf>
  Array<Offset> counted(const CountWatch& watch, Index rows, const RowOf& row_of) const;
  template <class RowOf>
  CsrMatrix filled(Array<Offset> row_offsets, const RowOf& row_of) const;

  const StringSpace& space_;
  Storage storage_;
  SpinorTables tables_;
  Remainders of_singles_, of_doubles_;
};

}  // namespace cisolve
