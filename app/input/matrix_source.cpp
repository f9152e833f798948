#include "app/input/matrix_source.hpp"

#include <utility>

namespace cisolve {

PSpace p_space_of(MatrixSource& a, Sectors sectors, int states, int size, BackendKind backend) {
  PSpace p;
  p.sectors = std::move(sectors);
  // A product of no stored elements takes as long as one over a row's couplings, some hundred.
  const Offset nonzeros = a.nonzeros().value_or(Offset{100} * a.rows());
  p.rows = p_space_rows(a.diagonal(), p.sectors, nonzeros, states, size, backend);
  p.matrix = a.principal_submatrix(p.rows);
  return p;
}

}  // namespace cisolve
