#include "app/solve/outcome.hpp"

#include "app/states/leading.hpp"
#include "backends/ranks/agree.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

/// Vectors over the rows of a product, `direct` where these are not the determinants, over these; a
/// column comes to the host at a time.
HostMatrix over_determinants(ConstView x, const DirectTables* direct, Backend& backend) {
  if (direct == nullptr) return download_whole(backend, x);
  const std::int64_t n = direct->layout.size();
  const auto k = std::int64_t{x.columns};
  const auto doubles =
      static_cast<double>(n) * static_cast<double>(k) + static_cast<double>(direct->rows.size());
  require_on_all(backend.communicator(), [&] {
    require_host_memory(sizeof(double) * doubles,
                        "vectors over " + std::to_string(n) + " determinants");
  });
  HostMatrix whole(n, k);
  for (int j = 0; j < x.columns; ++j) {
    const HostMatrix column = download_whole(backend, x.slice(j, 1));
    direct->rows.to_space(column.data(), 1, whole.data() + j, k);
  }
  return whole;
}

}  // namespace

HostMatrix EigenOutcome::vectors(Backend& backend) const {
  HostMatrix x = over_determinants(result.vectors.view(), direct.get(), backend);
  for (Eigen::Index j = 0; direct && j < x.cols(); ++j) {
    if (leading_coefficient(x.col(j)) < 0.0) x.col(j) = -x.col(j);
  }
  return x;
}

HostMatrix LinearOutcome::solution(Backend& backend) const {
  return over_determinants(x.view(), direct.get(), backend);
}

}  // namespace cisolve
