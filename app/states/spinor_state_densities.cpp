#include "app/states/spinor_state_densities.hpp"

#include <span>

#include "core/memory.hpp"

namespace cisolve {
namespace {

/// Room for what a file has of the two-particle densities, beside them.
void require_room(int spinors, Eigen::Index states) {
  const double n = spinors, pairs = n * (n - 1.0) / 2.0, k = static_cast<double>(states);
  require_host_memory(16.0 * k * (n * n * n * n + pairs * pairs), "two-particle densities");
}

}  // namespace

std::vector<SpinorDensity> SpinorStateDensities::of_states(std::size_t states) const {
  std::vector<SpinorDensity> all;
  for (std::size_t i = 0; i < states; ++i) all.push_back(one[i * states + i]);
  return all;
}

SpinorStateDensities spinor_state_densities(const ConstHostRef& x, const StringSpace& strings,
                                            bool two) {
  if (two) require_room(strings.orbitals, x.cols());
  const HostMatrix states = x.transpose();  // a state's elements side by side
  const auto state = [&](Eigen::Index j) {
    return std::span<const double>(states.row(j).data(), static_cast<std::size_t>(x.rows()));
  };
  SpinorStateDensities made;
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      made.one.push_back(spinor_density(strings, state(i), state(j)));
    }
    if (two) made.two.push_back(spinor_pair_density(strings, state(i), state(i)));
  }
  return made;
}

}  // namespace cisolve
