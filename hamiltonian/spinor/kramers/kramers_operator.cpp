#include "hamiltonian/spinor/kramers/kramers_operator.hpp"

#include <algorithm>
#include <utility>

#include "core/dense/host_matrix.hpp"

namespace cisolve {
namespace {

constexpr int most_at_once = 4;

/// Component c of every quaternion.
template <class V>
V component(V x, int c) {
  return {x.data + c * x.stride, x.rows / 4, x.columns, 4 * x.stride};
}

/// Part of a block of 2k complex vectors, `rows` real rows to a quaternion: row r of each, the
/// first or second k columns.
View part(MultiVector& block, int rows, int r, int half, int k) {
  const std::int64_t stride = 2 * std::int64_t{k};
  return {block.view().data + r * stride + half * k, block.rows() / rows, k, rows * stride};
}

}  // namespace

KramersOperator::KramersOperator(std::unique_ptr<LinearOperator> a,
                                 const std::vector<double>& diagonal, Backend& backend, int columns)
    : a_(std::move(a)),
      backend_(backend),
      width_(std::clamp(columns, 1, most_at_once)),
      diagonal_(backend, 4 * static_cast<Index>(diagonal.size()), 1),
      pairs_(backend, a_->columns(), 2 * width_),
      images_(backend, a_->rows(), 2 * width_) {
  HostMatrix of_rows(diagonal_.rows(), 1);
  for (Index i = 0; i < diagonal_.rows(); ++i) of_rows(i, 0) = diagonal[i / 4];
  backend.upload(of_rows, diagonal_.view());
}

void KramersOperator::apply(double alpha, ConstView x, double beta, View y) const {
  for (int j = 0; j < x.columns; j += width_) {
    const int k = std::min(width_, x.columns - j);
    const ConstView v = x.slice(j, k);
    const View to = y.slice(j, k);
    // Rows of A's operand: Re and Im of p, q, and of q*, -p*; components of v: p, then q.
    struct Copy {
      int row, half, component;
      double sign;
    };
    constexpr Copy copies[] = {{0, 0, 0, 1.0}, {1, 0, 1, 1.0},  {0, 1, 2, 1.0},  {1, 1, 3, 1.0},
                               {2, 0, 2, 1.0}, {3, 0, 3, -1.0}, {2, 1, 0, -1.0}, {3, 1, 1, 1.0}};
    for (const auto& [row, half, c, sign] : copies) {
      backend_.axpby(sign, component(v, c), 0.0, part(pairs_, 4, row, half, k));
    }
    a_->apply(1.0, pairs_.narrowed(2 * k), 0.0, images_.narrowed(2 * k));
    for (int c = 0; c < 4; ++c) {
      backend_.axpby(alpha, part(images_, 2, c % 2, c / 2, k), beta, component(to, c));
    }
  }
}

OperatorInfo KramersOperator::info() const {
  OperatorInfo info = a_->info();
  info.components = a_->components();
  info.scratch += scratch_bytes(rows(), width_);
  return info;
}

std::size_t KramersOperator::scratch_bytes(Index rows, int columns) {
  const int vectors = 3 * std::clamp(columns, 1, most_at_once) + 1;
  return sizeof(double) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(vectors);
}

}  // namespace cisolve
