#pragma once

#include "backends/cuda_module.hpp"
#include "core/array.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// The hybrid of Mahmoud, Hoffmann and Reza (Computation 2018, 6, 45), Algorithm 6: the first part
/// of every row, its reference region, in ELLPACK (row-major, rows × boundary), the rest, its
/// expansion space, in CSR.
///
/// `Value` is double or, for off-diagonal elements in single precision, float; of matrices over the
/// complex numbers or quaternions it is FieldElement<D>.
///
/// Bytes: 12·rows + 8 for counts and offsets, 4 + 8D a place of rows·boundary and an expansion
/// nonzero. (The paper
/// keeps 32-bit starts and ends beside the counts; one 64-bit offset a row takes as much.) In
/// single precision 8 bytes an entry, and 8·rows for the diagonal, which is kept apart.
template <class Value>
struct HybridArrays {
  Index rows = 0;
  Index columns = 0;
  Index boundary = 0;               ///< width of the ELLPACK part
  Array<Index> reference_counts;    ///< rows: entries of the row in the ELLPACK part
  Array<Index> reference_columns;   ///< rows × boundary; padding repeats a column of the row
  Array<Value> reference_values;    ///< rows × boundary; padding is 0
  Array<Offset> expansion_offsets;  ///< rows + 1
  Array<Index> expansion_columns;
  Array<Value> expansion_values;

  std::size_t bytes() const;
  Offset padding() const;
};
using HybridMatrix = HybridArrays<double>;

/// BOUNDARY as the options give it or, chosen automatically: the widest multiple of 32 (8 for rows
/// shorter than 64 on average) whose padding stays below 2 % of the nonzeros.
Boundary resolve_boundary(const CsrMatrix& a, const Boundary& requested);

/// The matrix parted at BOUNDARY. Both regions are outlines: rows, columns and row offsets alone.
struct Regions {
  Boundary boundary;    ///< by count or by column
  Index width = 0;      ///< of the ELLPACK part: the boundary or, by column, the longest row there
  CsrMatrix reference;  ///< rows × boundary: the columns below it or, by count, the ELLPACK part
  CsrMatrix expansion;  ///< rows × (columns − boundary): the rest
};
/// By count it follows from the row offsets of `a` alone.
Regions part_regions(const CsrMatrix& a, const Boundary& requested);

HybridMatrix to_hybrid(const CsrMatrix& a, const Boundary& boundary);
/// The layout with these values of the entries in the place of the matrix's.
template <class Value>
HybridArrays<Value> to_hybrid(const CsrMatrix& a, const Value* values, const Boundary& boundary);

Format::Maker make_hybrid_cpu;
Format::SingleMaker make_hybrid_single_cpu;
CISOLVE_CUDA_FUNCTION(make_hybrid_cuda, Format::Maker);
CISOLVE_CUDA_FUNCTION(make_hybrid_single_cuda, Format::SingleMaker);

}  // namespace cisolve
