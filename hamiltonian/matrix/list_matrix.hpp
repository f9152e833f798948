#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hamiltonian/matrix/matrix_builder.hpp"

namespace cisolve {

/// The matrix over a list of determinants: elements of its pairs (ListPairs), each computed once
/// for both of its rows and put behind those that the rows have, whose columns are sorted at the
/// end. Parallel over units of pairs; the same bits on every run. Integrals and space must outlive
/// it.
class ListMatrixBuilder final : public MatrixBuilder {
 public:
  ListMatrixBuilder(const Integrals& integrals, const ListedSpace& space,
                    Storage storage = Storage::full);
  ~ListMatrixBuilder() override;

  Index size() const override;
  using MatrixBuilder::count;
  Array<Offset> count(const CountWatch& watch, Index first, Index last) const override;
  CsrMatrix fill(Array<Offset> row_offsets, Index first = 0) const override;
  CsrMatrix some_rows(std::span<const Index> wanted) const override;
  using MatrixBuilder::diagonal;
  std::vector<double> diagonal(Index first, Index last) const override;
  std::size_t table_bytes() const override;

 private:
  class Elements;
  std::unique_ptr<const Elements> elements_;
};

}  // namespace cisolve
