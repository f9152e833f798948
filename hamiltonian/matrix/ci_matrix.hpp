#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

template <DeterminantSpace Space>
struct CiTables;

/// How far a count of nonzeros is: `entries` of `rows` rows, which are spread over all of them.
struct CountedRows {
  std::int64_t rows = 0;
  Offset entries = 0;
};

/// Is told how far a count is, by one thread at a time, `interval` seconds apart at least; ends it
/// where it throws.
struct CountWatch {
  std::function<void(const CountedRows&)> tell = {};
  double interval = 0.1;
};

/// The CI Hamiltonian H_IJ = ⟨I|Ĥ|J⟩ in Hartree, core energy on the diagonal, over the
/// determinants of a CI space, by the Slater–Condon rules. Exact zeros are not stored (but every
/// diagonal element is).
///
/// Two passes over the rows, each parallel over blocks of rows that share their alpha string
/// (OpenMP): `count` makes row_offsets, so that the bytes are known before they are allocated;
/// `fill` writes columns and values.
/// Neighbours come from tables of single and double excitations of the strings, never from pairs
/// of determinants, and ascend, so rows are born sorted. H_IJ and H_JI are the same bit for bit.
/// Of Storage::upper the elements below the diagonal are neither counted nor computed.
/// The integrals and the space must outlive the builder.
template <DeterminantSpace Space>
class BasicCiMatrixBuilder {
 public:
  BasicCiMatrixBuilder(const Integrals& integrals, const Space& space,
                       Storage storage = Storage::full);
  ~BasicCiMatrixBuilder();
  BasicCiMatrixBuilder(const BasicCiMatrixBuilder&) = delete;
  BasicCiMatrixBuilder& operator=(const BasicCiMatrixBuilder&) = delete;

  /// Row offsets (rows + 1) of the matrix to come; the last is the number of entries held. Of rows
  /// first … last − 1 alone where they are given.
  Array<Offset> count(const CountWatch& watch = {}) const;
  Array<Offset> count(const CountWatch& watch, Index first, Index last) const;
  /// The matrix, given what `count` returned; its rows from `first` on, with all columns.
  CsrMatrix fill(Array<Offset> row_offsets, Index first = 0) const;
  /// Some rows in any order, each as often as it is wanted: row i of the result, which has all
  /// columns, is row wanted[i] as `fill` makes it. Parallel over rows.
  CsrMatrix some_rows(std::span<const Index> wanted) const;
  /// H_II of all determinants, as `fill` makes them, or of rows first … last − 1; parallel.
  std::vector<double> diagonal() const;
  std::vector<double> diagonal(Index first, Index last) const;
  /// Bytes of the neighbour tables.
  std::size_t table_bytes() const;
  const CiTables<Space>& tables() const { return *tables_; }

 private:
  std::unique_ptr<const CiTables<Space>> tables_;
  Storage storage_;
};
using CiMatrixBuilder = BasicCiMatrixBuilder<CiSpace>;

}  // namespace cisolve
