#include "app/states/projection.hpp"

#include "core/host_matrix.hpp"

namespace cisolve {
namespace {

/// T := PT by the caller, who has vectors over determinants in host memory.
void project_by_caller(const Projector& project, Backend& backend, const DirectTables* direct,
                       View t) {
  HostMatrix x = backend.download(t);
  if (direct == nullptr) {
    project(x.data(), x.rows(), t.columns);
  } else {
    HostMatrix whole(direct->layout.size(), t.columns);
    for (int j = 0; j < t.columns; ++j) {
      direct->rows.to_space(x.data() + j, t.columns, whole.data() + j, t.columns);
    }
    project(whole.data(), whole.rows(), t.columns);
    for (int j = 0; j < t.columns; ++j) {
      direct->rows.from_space(whole.data() + j, t.columns, x.data() + j, t.columns);
    }
  }
  backend.upload(x, t);
}

}  // namespace

std::function<void(View)> projector_of(SpinProjector* spin, const Projector& callers,
                                       Backend& backend, const DirectTables* direct) {
  if (spin == nullptr && !callers) return {};
  return [spin, &callers, &backend, direct](View t) {
    if (spin != nullptr) spin->apply(t);
    if (callers) project_by_caller(callers, backend, direct, t);
  };
}

int spin_scratch(const SolverConfig& config, int columns) {
  return config.multiplicity ? columns + 1 : 0;
}

int callers_scratch(const SolverConfig& config, int columns) {
  return config.project ? 2 * columns : 0;
}

}  // namespace cisolve
