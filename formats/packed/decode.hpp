#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/matrix/csr_matrix.hpp"
#include "formats/packed/dictionary.hpp"
#include "formats/packed/packed.hpp"

// Facts of a packed matrix beside its products, from its arrays alone: one stored row is decoded at
// a time, and the matrix in CSR is nowhere.

namespace cisolve {

/// The row of A that is stored as row s.
inline Index row_of(const PackedMatrix& m, Index s) {
  return m.row_order.empty() ? s : m.row_order[s];
}

/// Calls f(column, element) for the entries of stored row s that groups of one kind hold, elements
/// as they are packed.
template <class Place, class Element, class F>
void for_each_in_groups(const Array<Offset>& slice_offsets, const Array<Index>& bases,
                        const Array<Place>& places, const Element* elements, Index s, F f) {
  const Index slice = s / packed_rows;
  const Offset row = Offset{s % packed_rows} * packed_steps;
  for (Offset g = slice_offsets[slice]; g < slice_offsets[slice + 1]; ++g) {
    for (int t = 0; t < packed_steps; ++t) {
      const Offset place = g * packed_group + row + t;
      if (elements[place] == Element{}) continue;  // padding
      const Index base = has_bases<Place> ? bases[g * packed_steps + t] : 0;
      f(base + static_cast<Index>(places[place]), elements[place]);
    }
  }
}

/// Calls f(column, element) for every entry of stored row s of a matrix of elements of D numbers:
/// those of coded groups, then of plain ones, then of the expansion. Columns ascend within each of
/// the three.
template <int D = 1, class F>
void for_each_entry(const PackedMatrix& m, Index s, F f) {
  using Element = FieldElement<D>;
  if (m.packing != Packing::none) {
    const auto coded = [&](Index column, std::uint16_t code) {
      f(column, decoded<D>(m.dictionary.data(), code));
    };
    if (m.packing == Packing::coded_far) {
      for_each_in_groups(m.slice_offsets, m.bases, m.column_indices, m.codes.data(), s, coded);
    } else {
      for_each_in_groups(m.slice_offsets, m.bases, m.column_offsets, m.codes.data(), s, coded);
    }
    for_each_in_groups(m.plain_slice_offsets, m.plain_bases, m.plain_column_offsets,
                       reinterpret_cast<const Element*>(m.plain_values.data()), s, f);
  }
  if (m.expansion_offsets.empty()) return;
  const auto* const values = reinterpret_cast<const Element*>(m.expansion_values.data());
  const Index i = row_of(m, s);
  for (Offset e = m.expansion_offsets[i]; e < m.expansion_offsets[i + 1]; ++e) {
    f(m.expansion_columns[e], values[e]);
  }
}

/// Calls f(column, numbers of the element) for them, whichever elements there are.
template <class F>
void for_each_numbers(const PackedMatrix& m, Index s, F f) {
  if (m.components == 2) {
    for_each_entry<2>(m, s, [&](Index j, const FieldElement<2>& a) { f(j, a.data()); });
  } else {
    for_each_entry<1>(m, s, [&](Index j, double a) { f(j, &a); });
  }
}

/// The row offsets of the matrix in CSR, rows + 1: a pass over the codes, parallel.
Array<Offset> row_offsets(const PackedMatrix& m);

/// The real part of A_ii for every row, 0 where nothing is stored.
std::vector<double> diagonal(const PackedMatrix& m);

/// Row i of the result is row wanted[i] of A, its columns ascending.
CsrMatrix some_rows(const PackedMatrix& m, std::span<const Index> wanted);

/// Throws InputError, naming `name`, the array and the first element of it that is wrong (counted
/// from 1), unless the arrays are those of a matrix: of the sizes that belong together; offsets
/// ascending from 0; row_order a permutation; every place, padding's too, within the matrix; codes
/// within the dictionary; elements finite; no entry twice. O(entries), parallel.
void validate(const PackedMatrix& m, const std::string& name);

}  // namespace cisolve
