#pragma once

#include <memory>
#include <string>

#include "backends/cuda_module.hpp"
#include "core/array.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {

/// Which member of the sliced ELLPACK family is meant.
struct SlicedEllLayout {
  std::string format;        ///< its name
  Index slice_height = 32;   ///< C: rows of a slice
  Index sort_window = 0;     ///< σ: rows sorted by length among themselves; 0: not sorted
  bool row_lengths = false;  ///< kept, so that a lane stops at its row's end
};

/// Sliced ELLPACK: slices of C rows, each padded to its own longest row and stored column by
/// column, so that neighbouring GPU lanes, a row each, read neighbouring entries. With
/// h = min(C, rows − sC) rows in slice s, entry e of its r-th row lies at
/// slice_offsets[s] + e·h + r. Padding holds value 0 and the row's last column (0 in an empty row).
///
///   ellr          one slice of all rows, lengths: Vázquez et al., Concurr. Comput. 2011, 23, 815
///   sell          slices of C rows: Monakov et al., HiPEAC 2010, LNCS 5952, 111
///   sellr         the same with lengths
///   sell_c_sigma  rows sorted by length, longest first, in windows of σ: Kreutzer et al.,
///                 SIAM J. Sci. Comput. 2014, 36, C401
///
/// `Value` is double or, for off-diagonal elements in single precision, float; of matrices over the
/// complex numbers or quaternions it is FieldElement<D>.
///
/// Bytes: 8·(slices + 1), 4 + 8D an entry (Σ_s h_s · longest row of slice s of them), 4·rows each
/// for lengths and order where they are kept. In single precision 8 an entry, and 8·rows for the
/// diagonal, which is kept apart.
template <class Value>
struct SlicedEllArrays {
  Index rows = 0;
  Index columns = 0;
  Index slice_height = 1;
  Array<Offset> slice_offsets;  ///< slices + 1
  Array<Index> column_indices;
  Array<Value> values;
  Array<Index> row_lengths;  ///< of the rows as stored; empty unless kept
  Array<Index> row_order;    ///< stored row s is row row_order[s] of A; empty: all in A's order

  Index slices() const { return static_cast<Index>(slice_offsets.size()) - 1; }
  /// Rows of slice s.
  Index height(Index s) const;
  /// Entries of each of its rows, padding included.
  Index width(Index s) const;
  std::size_t bytes() const;
};
using SlicedEllMatrix = SlicedEllArrays<double>;

SlicedEllMatrix to_sliced_ell(const CsrMatrix& a, const SlicedEllLayout& layout);
/// The layout with these values of the entries in the place of the matrix's.
template <class Value>
SlicedEllArrays<Value> to_sliced_ell(const CsrMatrix& a, const Value* values,
                                     const SlicedEllLayout& layout);

/// bytes() of the layout with values of that precision, without building it.
std::size_t sliced_ell_bytes(const CsrMatrix& a, const SlicedEllLayout& layout,
                             Precision precision = Precision::float64);

/// Slice height of the options. Throws InputError, naming the format, outside of 1 … 1024.
Index checked_slice_height(const std::string& format, const FormatOptions& options);

/// "slices of 32 rows, sorted within 256": the layout for people.
std::string describe(const SlicedEllLayout& layout);

/// Its arrays; lengths and order where they are kept.
void dump_sliced_ell(const CsrMatrix& a, const SlicedEllLayout& layout, ArraySink& sink);

/// The operator of a matrix over the complex numbers or quaternions.
std::unique_ptr<LinearOperator> make_field_sliced_ell_cpu(const CsrMatrix& a, Backend& backend,
                                                          const SlicedEllLayout& layout);
/// The operator with these values of the entries, in double or single precision; on CUDA that of
/// any elements in double.
template <class Value>
std::unique_ptr<LinearOperator> make_sliced_ell_cpu(const CsrMatrix& a, const Array<Value>& values,
                                                    Backend& backend,
                                                    const SlicedEllLayout& layout);
CISOLVE_CUDA_FUNCTION(make_sliced_ell_cuda,
                      std::unique_ptr<LinearOperator>(const CsrMatrix& a, Backend& backend,
                                                      const SlicedEllLayout& layout));
CISOLVE_CUDA_FUNCTION(make_sliced_ell_single_cuda,
                      std::unique_ptr<LinearOperator>(const CsrMatrix& a,
                                                      const Array<float>& values, Backend& backend,
                                                      const SlicedEllLayout& layout));

/// A format of the family, given the function that makes its layout of matrix and options.
template <SlicedEllLayout (*layout_of)(const CsrMatrix&, const FormatOptions&)>
Format sliced_ell_format(std::string name, std::string description) {
  return {
      .name = std::move(name),
      .description = std::move(description),
      .bytes =
          [](const CsrMatrix& a, const FormatOptions& options) {
            return sliced_ell_bytes(a, layout_of(a, options), options.off_diagonal);
          },
      .cpu =
          [](std::shared_ptr<const CsrMatrix> a, Backend& backend, const FormatOptions& options) {
            const SlicedEllLayout layout = layout_of(*a, options);
            if (a->components > 1) return make_field_sliced_ell_cpu(*a, backend, layout);
            return make_sliced_ell_cpu(*a, a->values, backend, layout);
          },
      .cuda =
          [](std::shared_ptr<const CsrMatrix> a, Backend& backend, const FormatOptions& options) {
            return make_sliced_ell_cuda(*a, backend, layout_of(*a, options));
          },
      .cpu_single =
          [](std::shared_ptr<const CsrMatrix> a, Array<float> values, Backend& backend,
             const FormatOptions& options) {
            return make_sliced_ell_cpu(*a, values, backend, layout_of(*a, options));
          },
      .cuda_single =
          [](std::shared_ptr<const CsrMatrix> a, Array<float> values, Backend& backend,
             const FormatOptions& options) {
            return make_sliced_ell_single_cuda(*a, values, backend, layout_of(*a, options));
          },
      .dump = [](const CsrMatrix& a, const FormatOptions& options,
                 ArraySink& sink) { dump_sliced_ell(a, layout_of(a, options), sink); },
      .components = 4,
      .cuda_components = 4,
      .scratch = contiguous_scratch};
}

}  // namespace cisolve
