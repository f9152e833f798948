#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "hamiltonian/matrix/matrix_builder.hpp"

namespace cisolve {

struct CiTables;

/// The matrix over pairs of strings in ranges, parallel over blocks of rows that share their alpha
/// string. Neighbours come from tables of single and double excitations of the strings, never from
/// pairs of determinants, and ascend, so rows are born sorted. The integrals and the space must
/// outlive the builder.
class CiMatrixBuilder final : public MatrixBuilder {
 public:
  CiMatrixBuilder(const Integrals& integrals, const CiSpace& space,
                  Storage storage = Storage::full);
  ~CiMatrixBuilder() override;

  Index size() const override;
  using MatrixBuilder::count;
  Array<Offset> count(const CountWatch& watch, Index first, Index last) const override;
  CsrMatrix fill(Array<Offset> row_offsets, Index first = 0) const override;
  CsrMatrix some_rows(std::span<const Index> wanted) const override;
  using MatrixBuilder::diagonal;
  std::vector<double> diagonal(Index first, Index last) const override;
  std::size_t table_bytes() const override;
  const CiTables& tables() const { return *tables_; }

 private:
  std::unique_ptr<const CiTables> tables_;
  Storage storage_;
};

}  // namespace cisolve
