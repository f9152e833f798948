#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "backends/cuda_module.hpp"
#include "core/array.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

class RowSource;

/// Ways to pack groups.
enum class Packing {
  none,        ///< there are none: every entry is in the expansion, which is the matrix in CSR
  coded_near,  ///< 4 bytes an entry, column offset and code, both of 16 bits; plain groups behind
  coded_far,   ///< 6 bytes, column and code; plain groups behind
  plain_near   ///< plain groups alone: 10 bytes, column offset and element
};

/// "coded_near": its enumerator.
const char* name_of(Packing packing);

/// Slices of 32 rows, a GPU lane a row, whose entries are packed into a few bytes each; what does
/// not pack well goes to an expansion in CSR. For matrices whose elements repeat, as those of CI
/// matrices do: nearly all are ± two-electron integrals.
///
/// A step of a slice holds one entry of each row, or padding: its column as a 16-bit offset from
/// the step's base, its element as a 16-bit code into a dictionary (`decoded`). The entries of a
/// row are in the order of its columns, and a step takes the next entry of every row that is within
/// 2^16 columns of the foremost. Four steps are a group. A group is stored if it is at most twice
/// as large as its entries are in CSR. The entries left over, above all elements without a code, go
/// in the same way into plain groups, which hold the elements themselves. The rest, and zeros, go
/// to the expansion. So far columns and the ends of slices cost little, and there are no other
/// rules. Rows of like length are brought together, by sorting windows of 1024 rows by length;
/// across larger ones rows would no longer share their columns.
///
/// Stored row s is row row_order[s] of A; it is row r = s mod 32 of slice s / 32. Its part of the
/// four steps t of group g is at (32 g + r)·4 + t, so that a lane loads it at once, and a warp
/// neighbouring memory; groups slice_offsets[s] … slice_offsets[s + 1] − 1 are slice s's, and the
/// bases of group g begin at 4 g; likewise the plain groups. All of a slice follows from its rows
/// and the dictionary alone.
///
/// Complex elements have the same groups. Their magnitude is the pair |re|, |im|, the code has both
/// signs beside its number (dictionary.hpp), and numbers of plain groups and of the expansion are
/// pairs re, im.
///
/// Bytes: 528 (coded_near) or 768 (coded_far) a coded group, 1296 a plain one, complex 2320,
/// 16·(slices + 1),
/// 4·rows, 8 or complex 16 a magnitude; 12 or complex 20 an entry and 8·(rows + 1) for the
/// expansion, where there is one. CI matrices take 4.3 to 4.6 bytes a nonzero. Never more than CSR:
/// where that is less, `packing` is none.
struct PackedMatrix {
  Index rows = 0;
  Index columns = 0;
  int components = 1;  ///< real numbers of an element: 1, or 2 of complex ones, re and im
  Packing packing = Packing::none;
  Array<Index> row_order;               ///< rows
  Array<Offset> slice_offsets;          ///< slices + 1, in coded groups
  Array<Index> bases;                   ///< groups × 4; near
  Array<std::uint16_t> column_offsets;  ///< groups × 32 × 4: column − base; near. Padding is 0
  Array<Index> column_indices;          ///< groups × 32 × 4; far. Padding is 0
  Array<std::uint16_t> codes;           ///< groups × 32 × 4. Padding is 0
  Array<double> dictionary;             ///< 0, then magnitudes, most frequent first; × components
  Array<Offset> plain_slice_offsets;    ///< slices + 1, in plain groups
  Array<Index> plain_bases;             ///< plain groups × 4
  Array<std::uint16_t> plain_column_offsets;  ///< plain groups × 32 × 4
  Array<double> plain_values;       ///< plain groups × 32 × 4 × components. Padding is +0.0
  Array<Offset> expansion_offsets;  ///< rows + 1, by row of A; none where it is empty
  Array<Index> expansion_columns;
  Array<double> expansion_values;  ///< × components

  Index slices() const {
    return slice_offsets.empty() ? 0 : static_cast<Index>(slice_offsets.size()) - 1;
  }
  Offset coded_groups() const { return slice_offsets.empty() ? 0 : slice_offsets.back(); }
  Offset plain_groups() const {
    return plain_slice_offsets.empty() ? 0 : plain_slice_offsets.back();
  }
  /// Entries in no group.
  Offset expansion() const { return expansion_offsets.empty() ? 0 : expansion_offsets.back(); }
  std::size_t bytes() const;
  /// Places of packed entries that hold none, of a matrix of so many nonzeros.
  Offset padding(Offset nonzeros) const;
  /// "coded_near, 1051 magnitudes, 4.9 % plain, 0.3 % in the expansion": the layout for people;
  /// shares of the matrix's nonzeros, the padding of plain groups among theirs.
  std::string description(Offset nonzeros) const;
};

/// Calls f(name, array...) for all arrays, by the names that files have, of several matrices side
/// by side: of PackedMatrix, and of what has its arrays in other memory.
template <class F, class... Matrices>
void for_each_array(F f, Matrices&... m) {
  f("row_order", m.row_order...);
  f("slice_offsets", m.slice_offsets...);
  f("bases", m.bases...);
  f("column_offsets", m.column_offsets...);
  f("column_indices", m.column_indices...);
  f("codes", m.codes...);
  f("dictionary", m.dictionary...);
  f("plain_slice_offsets", m.plain_slice_offsets...);
  f("plain_bases", m.plain_bases...);
  f("plain_column_offsets", m.plain_column_offsets...);
  f("plain_values", m.plain_values...);
  f("expansion_offsets", m.expansion_offsets...);
  f("expansion_columns", m.expansion_columns...);
  f("expansion_values", m.expansion_values...);
}

inline constexpr Index packed_rows = 32;                            ///< of a slice
inline constexpr int packed_steps = 4;                              ///< of a group
inline constexpr Offset packed_group = packed_rows * packed_steps;  ///< entries of a group

/// True if an entry's place is a 16-bit offset from a base; else it is the column itself.
template <class Place>
inline constexpr bool has_bases = std::is_same_v<Place, std::uint16_t>;
/// True if an element is a code; else it is the element itself.
template <class Element>
inline constexpr bool is_code = std::is_same_v<Element, std::uint16_t>;

/// The packing of fewest bytes, without the arrays of its entries: they are planned, in a pass over
/// the matrix, and not stored. Throws InputError naming the first element that is NaN, and on
/// quaternions.
PackedMatrix plan_packed(const CsrMatrix& a);
/// Plan with that packing, whatever its bytes.
PackedMatrix plan_packed(const CsrMatrix& a, Packing packing);

/// The matrix as planned: a second pass, parallel over slices as the first was.
PackedMatrix to_packed(const CsrMatrix& a, PackedMatrix plan);
inline PackedMatrix to_packed(const CsrMatrix& a) {
  return to_packed(a, plan_packed(a));
}

/// The matrix again, bit for bit: two passes over the packed entries, parallel, and no memory but
/// the result's.
CsrMatrix to_csr(const PackedMatrix& m);

/// Bytes of the packed form of a real CI matrix, about, known before its elements.
constexpr std::size_t expected_packed_bytes(Index rows, Offset nonzeros) {
  return 5 * static_cast<std::size_t>(nonzeros) + 16 * static_cast<std::size_t>(rows);
}

Format::Maker make_packed_cpu;
/// The operator of a packed matrix that is there, with so many nonzeros. On the CPU its arrays are
/// taken over (`adopt_packed`), to a GPU they are copied as they are (`upload_packed`).
std::unique_ptr<LinearOperator> make_packed(PackedMatrix m, Offset nonzeros, Backend& backend);
std::unique_ptr<LinearOperator> adopt_packed(PackedMatrix m, Offset nonzeros, Backend& backend);
CISOLVE_CUDA_FUNCTION(upload_packed,
                      std::unique_ptr<LinearOperator>(const PackedMatrix& m, Offset nonzeros,
                                                      Backend& backend));
CISOLVE_CUDA_FUNCTION(make_packed_cuda, Format::Maker);
/// The operator of a whole matrix whose rows come to the device; the source is not kept.
CISOLVE_CUDA_FUNCTION(make_packed_from_rows, Format::MakerFromRows);

}  // namespace cisolve
