#include "app/built_matrix.hpp"

#include <numeric>
#include <utility>

#include "formats/row_components_cuda.hpp"

namespace cisolve {
namespace {

Pattern pattern_of(const CsrMatrix& a) {
  return {a.row_offsets, a.column_indices};
}

/// The components of the roots and of S² together: row i has an entry in column roots[i].
Sectors connected_sectors(const std::vector<Index>& roots, const CsrMatrix& s_squared) {
  std::vector<Offset> row_offsets(roots.size() + 1);
  std::iota(row_offsets.begin(), row_offsets.end(), Offset{0});
  return cisolve::connected_sectors({{row_offsets, roots}, pattern_of(s_squared)});
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
  if (!a.host) {
    const std::vector<Index> roots = component_roots(*a.on_device, backend);
    return s_squared == nullptr ? sectors_of_roots(roots) : connected_sectors(roots, *s_squared);
  }
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
