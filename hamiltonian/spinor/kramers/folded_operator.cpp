#include "hamiltonian/spinor/kramers/folded_operator.hpp"

#include <utility>
#include <vector>

#include "core/dense/host_matrix.hpp"

namespace cisolve {
FoldedOperator::FoldedOperator(std::unique_ptr<LinearOperator> a, const KramersPairs& pairs,
                               Backend& backend)
    : a_(std::move(a)),
      backend_(backend),
      psi_(backend, a_->rows(), 1),
      image_(backend, a_->rows(), 1),
      turned_(backend, a_->rows(), 1) {
  unfolded_ = on_backend(pairs, true);
  folded_ = on_backend(pairs, false);
}

FoldedOperator::Turn FoldedOperator::on_backend(const KramersPairs& pairs, bool unfolds) const {
  const Index n = a_->rows();
  std::vector<Index> rows(static_cast<std::size_t>(n));
  HostMatrix signs(n, 1);
  for (Index pair = 0; pair < pairs.size(); ++pair) {
    // (Re a, Im a) of I, s (Re b, Im b) of Ī.
    const double s = pairs.sign(pair);
    const Index of_psi[] = {2 * pairs.first(pair), 2 * pairs.first(pair) + 1,
                            2 * pairs.second(pair), 2 * pairs.second(pair) + 1};
    const double sign[] = {1.0, 1.0, s, -s};
    for (Index c = 0; c < 4; ++c) {
      const Index of_v = 4 * pair + c, to = unfolds ? of_psi[c] : of_v;
      rows[to] = unfolds ? of_v : of_psi[c];
      signs(to, 0) = sign[c];
    }
  }
  MultiVector held(backend_, n, 1);
  backend_.upload(signs, held.view());
  return {Buffer<Index>::from_host(backend_, rows), std::move(held)};
}

void FoldedOperator::turn(double alpha, const Turn& by, ConstView x, double beta, View y) const {
  backend_.gather_rows(by.rows, x, turned_.view());
  backend_.jacobi_update(alpha, turned_.view(), by.signs.view(), beta, y);  // a sign is its inverse
}

void FoldedOperator::apply(double alpha, ConstView x, double beta, View y) const {
  for (int j = 0; j < x.columns; ++j) {
    turn(1.0, unfolded_, x.slice(j, 1), 0.0, psi_.view());
    a_->apply(1.0, psi_.view(), 0.0, image_.view());
    turn(alpha, folded_, image_.view(), beta, y.slice(j, 1));
  }
}

void FoldedOperator::diagonal(View d) const {
  a_->diagonal(psi_.view());
  backend_.gather_rows(folded_.rows, psi_.view(), d);
}

}  // namespace cisolve
