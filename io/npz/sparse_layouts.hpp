#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/array.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

// Rows of matrices that lie as scipy.sparse's formats other than csr have them. All are named
// `name` in messages; InputError is thrown where their arrays do not go together.

/// An array of elements, of so many numbers each.
struct NpzElements {
  std::vector<std::int64_t> shape;
  Array<double> values;  ///< row by row, the numbers of an element side by side
  int components = 1;
};

/// Matrix from csc; `a` has the compressed columns as rows.
CsrMatrix from_columns(const CsrMatrix& a, Index rows, const std::string& name);

/// Matrix from coo; `a` has the columns and values. Elements given several times are summed.
CsrMatrix from_coordinates(CsrMatrix a, const Array<Index>& rows, const std::string& name);

/// Matrix from bsr, in compressed rows of blocks; `data` is blocks × R × C. Blocks given several
/// times are summed. Zeros off the diagonal fill blocks up and are left out.
CsrMatrix from_blocks(Index rows, Index columns, const Array<Offset>& begin,
                      const Array<Index>& indices, const NpzElements& data,
                      const std::string& name);

/// Matrix from dia: data[d, j] is the element of column j, row j − offsets[d], if there is one.
/// Zeros off the main diagonal fill diagonals up and are left out.
CsrMatrix from_diagonals(Index rows, Index columns, const Array<std::int64_t>& offsets,
                         const NpzElements& data, const std::string& name);

}  // namespace cisolve
