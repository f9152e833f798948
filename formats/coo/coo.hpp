#pragma once

#include "backends/cuda_module.hpp"
#include "core/array.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Coordinates: a triplet (row, column, value) for every entry, by row, columns ascending within a
/// row. Work is shared out by entries, whatever the lengths of the rows.
/// Bytes: 16 · nonzeros.
struct CooMatrix {
  Index rows = 0;
  Index columns = 0;
  Array<Index> row_indices;     ///< nonzeros, ascending
  Array<Index> column_indices;  ///< nonzeros
  Array<double> values;         ///< nonzeros

  Offset nonzeros() const { return static_cast<Offset>(values.size()); }
  std::size_t bytes() const { return bytes(nonzeros()); }
  static std::size_t bytes(Offset nonzeros);
};

/// The entries of every row but its first `skip` ones.
CooMatrix to_coo(const CsrMatrix& a, Index skip = 0);

/// Y := Y + αAX on the CPU. A row is summed by one thread in the order of its entries, so that the
/// result does not depend on the number of threads.
void add_product(const CooMatrix& coo, double alpha, ConstView x, View y);

Format::Maker make_coo_cpu;
CISOLVE_CUDA_FUNCTION(make_coo_cuda, Format::Maker);

}  // namespace cisolve
