#include "backends/backend.hpp"

#include "core/host_matrix.hpp"

namespace cisolve {

void Backend::gram(ConstView x, ConstView y, HostMatrix& c) {
  c.resize(x.columns, y.columns);
  gram(x, y, HostRef(c));
}

void Backend::recombine(View y, const ConstHostRef& b) {
  recombine({y.data, y.rows, 0, y.stride}, HostMatrix(0, b.cols()), y, b);
}

}  // namespace cisolve
