#include "app/ways/held_matrix.hpp"

#include <numeric>
#include <utility>

namespace cisolve {
namespace {

/// Rows over K and their sectors become those of all components.
void to_real_rows(std::vector<Index>& rows, Sectors& sectors, int d) {
  if (d == 1) return;
  std::vector<Index> all;
  for (const Index row : rows) {
    for (int c = 0; c < d; ++c) all.push_back(d * row + c);
  }
  rows = std::move(all);
  std::vector<Index> labels;
  labels.reserve(d * sectors.labels.size());
  for (const Index label : sectors.labels) labels.insert(labels.end(), d, label);
  sectors.labels = std::move(labels);
  for (Index& size : sectors.sizes) size *= d;
  for (Index& piece : sectors.pieces) piece *= d;
}

}  // namespace

HostMatrix block_over(const CsrMatrix& rows, const std::vector<Index>& wanted) {
  std::vector<Index> all(static_cast<std::size_t>(rows.rows));
  std::iota(all.begin(), all.end(), 0);
  return dense_part(rows, all, wanted);
}

PSpace p_space_of(HeldMatrix& a, Sectors sectors, int states, int size, BackendKind backend) {
  PSpace p;
  p.sectors = std::move(sectors);
  // A product of no stored elements takes as long as one over a row's couplings, some hundred.
  const Offset nonzeros = a.nonzeros().value_or(Offset{100} * a.basis()->rows());
  p.rows = p_space_rows(a.diagonal(), p.sectors, nonzeros, states, size, backend, a.components());
  p.matrix = a.principal_submatrix(p.rows);
  to_real_rows(p.rows, p.sectors, a.components());
  return p;
}

}  // namespace cisolve
