#include "hamiltonian/basis/basis.hpp"

namespace cisolve {

HostMatrix from_rows(const RowOrder* order, HostMatrix x) {
  if (order == nullptr) return x;
  HostMatrix ordered(order->size(), x.cols());
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    order->from_rows(x.data() + j, x.cols(), ordered.data() + j, x.cols());
  }
  return ordered;
}

HostMatrix to_rows(const RowOrder* order, Index rows, HostMatrix ordered) {
  if (order == nullptr) return ordered;
  HostMatrix x(rows, ordered.cols());
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    order->to_rows(ordered.data() + j, x.cols(), x.data() + j, x.cols());
  }
  return x;
}

}  // namespace cisolve
