#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/any_space.hpp"

namespace cisolve {

/// Progress of a count of nonzeros: `entries` of `rows` rows, which are spread over all of them. 0
/// rows: entries of any, from which nothing follows for the rest.
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

/// The CI Hamiltonian H_IJ = ⟨I|Ĥ|J⟩ in Hartree, core energy on the diagonal, over determinants I,
/// J in the order of their space, by the Slater–Condon rules. Exact zeros are not stored (but every
/// diagonal element is); columns ascend; H_IJ and H_JI are the same bit for bit, and so are
/// elements whatever space has the determinants. With Storage::upper the elements below the
/// diagonal are neither counted nor computed.
///
/// Two passes over the rows, each parallel (OpenMP): `count` makes row_offsets, so that the bytes
/// are known before they are allocated; `fill` writes columns and values.
class MatrixBuilder {
 public:
  MatrixBuilder() = default;
  MatrixBuilder(const MatrixBuilder&) = delete;
  MatrixBuilder& operator=(const MatrixBuilder&) = delete;
  virtual ~MatrixBuilder() = default;

  /// Rows and columns of the matrix.
  virtual Index size() const = 0;
  /// Row offsets (last − first + 1) of rows first … last − 1; the last is the number of entries.
  virtual Array<Offset> count(const CountWatch& watch, Index first, Index last) const = 0;
  /// The matrix, given what `count` returned; its rows from `first` on, with all columns.
  virtual CsrMatrix fill(Array<Offset> row_offsets, Index first = 0) const = 0;
  /// Some rows in any order, each as often as it is wanted: row i of the result, which has all
  /// columns, is row wanted[i] as `fill` makes it. Parallel over rows.
  virtual CsrMatrix some_rows(std::span<const Index> wanted) const = 0;
  /// H_II of rows first … last − 1, as `fill` makes them; parallel.
  virtual std::vector<double> diagonal(Index first, Index last) const = 0;
  /// Bytes of the tables that neighbours are found by.
  virtual std::size_t table_bytes() const = 0;

  /// Counts all rows.
  Array<Offset> count(const CountWatch& watch = {}) const { return count(watch, 0, size()); }
  std::vector<double> diagonal() const { return diagonal(0, size()); }
};

/// Bytes that neighbours of a list are found by; of pairs of strings not known before.
double list_table_bytes(const AnySpace& space);

/// For any space. Integrals and space must outlive it.
std::unique_ptr<const MatrixBuilder> make_matrix_builder(const Integrals& integrals,
                                                         const AnySpace& space, Storage storage);

}  // namespace cisolve
