#include "hamiltonian/spinor/folded_operator.hpp"

#include <utility>
#include <vector>

#include "core/host_matrix.hpp"

namespace cisolve {
namespace {

/// Of every number of the other vector the row it comes from, and its sign.
struct Source {
  Index row;
  double sign;
};

}  // namespace

FoldedOperator::FoldedOperator(std::unique_ptr<LinearOperator> a, const KramersPairs& pairs,
                               Backend& backend)
    : a_(std::move(a)),
      backend_(backend),
      psi_(backend, a_->rows(), 1),
      image_(backend, a_->rows(), 1),
      turned_(backend, a_->rows(), 1) {
  const auto n = static_cast<std::size_t>(a_->rows());
  std::vector<Source> unfolded(n), folded(n);
  for (Index pair = 0; pair < pairs.size(); ++pair) {
    // (Re a, Im a) of I, s (Re b, Im b) of Ī.
    const double s = pairs.sign(pair);
    const Source of_psi[] = {{2 * pairs.first(pair), 1.0},
                             {2 * pairs.first(pair) + 1, 1.0},
                             {2 * pairs.second(pair), s},
                             {2 * pairs.second(pair) + 1, -s}};
    for (Index c = 0; c < 4; ++c) {
      folded[4 * pair + c] = of_psi[c];
      unfolded[of_psi[c].row] = {4 * pair + c, of_psi[c].sign};
    }
  }
  const auto on_backend = [&](const std::vector<Source>& sources) {
    std::vector<Index> rows;
    HostMatrix signs(static_cast<Eigen::Index>(n), 1);
    for (const Source& source : sources) {
      signs(std::ssize(rows), 0) = source.sign;
      rows.push_back(source.row);
    }
    MultiVector held(backend, static_cast<Index>(n), 1);
    backend.upload(signs, held.view());
    return Turn{Buffer<Index>::from_host(backend, rows), std::move(held)};
  };
  unfolded_ = on_backend(unfolded);
  folded_ = on_backend(folded);
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
