#include "app/solve/outcome/outcome.hpp"

#include "app/states/leading.hpp"
#include "backends/ranks/agree.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

/// Vectors in the order of callers; a column comes to the host at a time.
HostMatrix as_callers_have(ConstView x, const Basis& basis, Backend& backend) {
  const RowOrder* const order = basis.callers();
  if (order == nullptr) return download_whole(backend, x);
  const std::int64_t n = order->size();
  const auto k = std::int64_t{x.columns};
  const auto doubles =
      static_cast<double>(n) * static_cast<double>(k) + static_cast<double>(basis.rows());
  require_on_all(backend.communicator(), [&] {
    require_host_memory(sizeof(double) * doubles,
                        "vectors over " + std::to_string(n) + " determinants");
  });
  HostMatrix whole(n, k);
  for (int j = 0; j < x.columns; ++j) {
    const HostMatrix column = download_whole(backend, x.slice(j, 1));
    order->from_rows(column.data(), 1, whole.data() + j, k);
  }
  return whole;
}

}  // namespace

HostMatrix EigenOutcome::vectors(Backend& backend) const {
  HostMatrix x = as_callers_have(result.vectors.view(), *basis, backend);
  for (Eigen::Index j = 0; basis->callers() != nullptr && j < x.cols(); ++j) {
    if (leading_coefficient(x.col(j)) < 0.0) x.col(j) = -x.col(j);
  }
  return x;
}

EigenOutcome without_vectors(EigenOutcome outcome) {
  outcome.result.vectors = {};
  outcome.basis.reset();
  outcome.determinants.reset();
  outcome.densities.reset();
  outcome.spinor_densities.reset();
  outcome.orbitals.reset();
  return outcome;
}

HostMatrix LinearOutcome::solution(Backend& backend) const {
  return as_callers_have(x.view(), *basis, backend);
}

}  // namespace cisolve
