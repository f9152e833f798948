#include "app/states/projection.hpp"

#include <utility>

#include "core/dense/host_matrix.hpp"

namespace cisolve {
namespace {

/// T := PT by the caller, who has vectors in an order of his own in host memory.
void project_by_caller(const Projector& project, Backend& backend, const RowOrder* callers,
                       View t) {
  HostMatrix x = from_rows(callers, backend.download(t));
  project(x.data(), x.rows(), t.columns);
  backend.upload(to_rows(callers, t.rows, std::move(x)), t);
}

}  // namespace

std::function<void(View)> projector_of(SpinProjector* spin, const Projector& callers,
                                       Backend& backend, const Basis& basis) {
  if (spin == nullptr && !callers) return {};
  return [spin, &callers, &backend, order = basis.callers()](View t) {
    if (spin != nullptr) spin->apply(t);
    if (callers) project_by_caller(callers, backend, order, t);
  };
}

int spin_scratch(const SolverConfig& config, int columns) {
  return config.multiplicity ? columns + 1 : 0;
}

int callers_scratch(const SolverConfig& config, int columns) {
  return config.project ? 2 * columns : 0;
}

}  // namespace cisolve
