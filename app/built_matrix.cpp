#include "app/built_matrix.hpp"

#include <numeric>
#include <utility>

#include "formats/row_components_cuda.hpp"

namespace cisolve {
namespace {

Pattern pattern_of(const CsrMatrix& a) {
  return {a.row_offsets, a.column_indices};
}

/// Row i has an entry in column roots[i]: a matrix with the components of those roots.
Sectors sectors_of_roots(const std::vector<Index>& roots, const CsrMatrix* s_squared) {
  std::vector<Offset> row_offsets(roots.size() + 1);
  std::iota(row_offsets.begin(), row_offsets.end(), Offset{0});
  const Pattern of_roots{row_offsets, roots};
  return s_squared == nullptr ? connected_sectors({of_roots})
                              : connected_sectors({of_roots, pattern_of(*s_squared)});
}

HostMatrix principal_submatrix(const RowSource& a, const std::vector<Index>& rows) {
  std::vector<Index> all(rows.size());
  std::iota(all.begin(), all.end(), 0);
  return dense_part(a.some_rows(rows), all, rows);
}

}  // namespace

Fingerprint fingerprint(const BuiltMatrix& a, Backend& backend) {
  return a.host ? fingerprint(*a.host) : fingerprint(*a.on_device, backend);
}

Sectors connected_sectors(const BuiltMatrix& a, const CsrMatrix* s_squared, Backend& backend) {
  if (!a.host) return sectors_of_roots(row_components(*a.on_device, backend), s_squared);
  if (s_squared == nullptr) return connected_sectors({pattern_of(*a.host)});
  return connected_sectors({pattern_of(*a.host), pattern_of(*s_squared)});
}

PSpace p_space_of(const BuiltMatrix& a, Sectors sectors, int states, int size) {
  PSpace p;
  p.sectors = std::move(sectors);
  const std::vector<double> d = a.host ? diagonal(*a.host) : a.on_device->diagonal();
  const Offset nonzeros = a.host ? a.host->nonzeros() : a.on_device->nonzeros();
  p.rows = p_space_rows(d, p.sectors, nonzeros, states, size);
  p.matrix =
      a.host ? principal_submatrix(*a.host, p.rows) : principal_submatrix(*a.on_device, p.rows);
  return p;
}

}  // namespace cisolve
