#include "app/ways/held_matrix.hpp"

#include <numeric>
#include <utility>

namespace cisolve {

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
  p.rows = p_space_rows(a.diagonal(), p.sectors, nonzeros, states, size, backend);
  p.matrix = a.principal_submatrix(p.rows);
  return p;
}

}  // namespace cisolve
