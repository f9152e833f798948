#include "app/built_matrix.hpp"

#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "formats/packed/decode.hpp"
#include "formats/row_components_cuda.hpp"
#include "solvers/forest.hpp"

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

Sectors connected_sectors(const PackedMatrix& m) {
  Forest forest(m.rows);
#pragma omp parallel for if (worth_threads(30.0 * m.rows)) schedule(dynamic, 1024)
  for (Index s = 0; s < m.rows; ++s) {
    const Index i = row_of(m, s);
    for_each_entry(m, s, [&](Index j, double) { forest.unite(i, j); });
  }
  return sectors_of_roots(forest.roots());
}

std::vector<double> diagonal(const BuiltMatrix& a) {
  if (a.host) return diagonal(*a.host);
  return a.packed ? diagonal(a.packed->matrix) : a.on_device->diagonal();
}

Offset nonzeros(const BuiltMatrix& a) {
  if (a.host) return a.host->nonzeros();
  return a.packed ? a.packed->row_offsets.back() : a.on_device->nonzeros();
}

HostMatrix principal_submatrix(const BuiltMatrix& a, const std::vector<Index>& rows) {
  if (a.host) return principal_submatrix(*a.host, rows);
  std::vector<Index> all(rows.size());
  std::iota(all.begin(), all.end(), 0);
  return dense_part(a.packed ? some_rows(a.packed->matrix, rows) : a.on_device->some_rows(rows),
                    all, rows);
}

}  // namespace

Fingerprint fingerprint(const BuiltMatrix& a, Backend& backend) {
  if (a.host) return fingerprint(*a.host);
  return a.packed ? fingerprint(a.packed->matrix, a.packed->row_offsets)
                  : fingerprint(*a.on_device, backend);
}

Sectors connected_sectors(const BuiltMatrix& a, const CsrMatrix* s_squared, Backend& backend) {
  if (a.packed) return connected_sectors(a.packed->matrix);  // of a file: no spin, no S²
  if (a.on_device) {
    const std::vector<Index> roots = component_roots(*a.on_device, backend);
    return s_squared == nullptr ? sectors_of_roots(roots) : connected_sectors(roots, *s_squared);
  }
  if (s_squared == nullptr) return connected_sectors({pattern_of(*a.host)});
  return connected_sectors({pattern_of(*a.host), pattern_of(*s_squared)});
}

PSpace p_space_of(const BuiltMatrix& a, Sectors sectors, int states, int size,
                  BackendKind backend) {
  PSpace p;
  p.sectors = std::move(sectors);
  p.rows = p_space_rows(diagonal(a), p.sectors, nonzeros(a), states, size, backend);
  p.matrix = principal_submatrix(a, p.rows);
  return p;
}

}  // namespace cisolve
