#pragma once

#include "backends/cuda_module.hpp"
#include "core/array.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

class StoredOperator;

/// ELLPACK: every row padded to the longest. Padding holds value 0 and the row's last column, so
/// that it reads no vector element the row does not read anyway (an empty row reads the first).
/// `Value` is double or, of matrices over the complex numbers or quaternions, FieldElement<D>.
/// Bytes: (4 + 8D) · rows · width.
enum class EllOrder {
  by_row,    ///< entry e of row i at i·width + e: a CPU core reads a row in one run
  by_column  ///< at e·rows + i: neighbouring GPU threads read neighbouring rows together
};
template <class Value>
struct EllArrays {
  using Order = EllOrder;
  Index rows = 0;
  Index columns = 0;
  Index width = 0;
  Order order = Order::by_row;
  Array<Index> column_indices;
  Array<Value> values;

  std::size_t bytes() const {
    return values.size() * sizeof(Value) + column_indices.size() * sizeof(Index);
  }
};
using EllMatrix = EllArrays<double>;

EllMatrix to_ell(const CsrMatrix& a, EllMatrix::Order order);

/// The first `width` entries of every row alone, padded likewise.
EllMatrix to_ell(const CsrMatrix& a, EllMatrix::Order order, Index width);
/// The layout with these values of the entries in the place of the matrix's.
template <class Value>
EllArrays<Value> to_ell(const CsrMatrix& a, const Value* values, EllOrder order, Index width);

/// Y := αAX + βY on the CPU, for a matrix in order by_row.
void multiply_ell(const EllMatrix& ell, const StoredOperator& a, double alpha, ConstView x,
                  double beta, View y);

CISOLVE_CUDA_FUNCTION(make_ell_cuda, Format::Maker);

}  // namespace cisolve
