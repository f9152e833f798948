#include "hamiltonian/space/listed/configuration_order.hpp"

#include <algorithm>
#include <tuple>

#include "core/threads/parallel_sort.hpp"

namespace cisolve {
namespace {

struct Configuration {
  OrbitalString twice, once_or_twice;
  Index row;

  friend bool operator<(const Configuration& x, const Configuration& y) {
    return std::tie(x.twice, x.once_or_twice, x.row) < std::tie(y.twice, y.once_or_twice, y.row);
  }
};

}  // namespace

std::vector<Index> rows_by_configuration(const ListedSpace& space) {
  std::vector<Configuration> all(static_cast<std::size_t>(space.size()));
#pragma omp parallel for if (worth_threads(20.0 * all.size())) schedule(dynamic, 64)
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const OrbitalString& alphas = space.alpha.strings[a];
    for (const auto& [b, row] : space.determinants_of(a)) {
      const OrbitalString& betas = space.beta.strings[b];
      all[row] = {alphas & betas, alphas | betas, static_cast<Index>(row)};
    }
  }
  parallel_sort(all);
  std::vector<Index> order(all.size());
  std::ranges::transform(all, order.begin(), &Configuration::row);
  return order;
}

}  // namespace cisolve
