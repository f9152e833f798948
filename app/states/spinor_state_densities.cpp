#include "app/states/spinor_state_densities.hpp"

#include "core/memory.hpp"

namespace cisolve {
namespace {

void require_room(int spinors, int states) {
  const double n = spinors, pairs = n * (n - 1.0) / 2.0;
  require_host_memory(sizeof(std::complex<double>) * states * (n * n * n * n + pairs * pairs),
                      "two-particle densities");
}

}  // namespace

std::vector<std::complex<double>> SpinorStateDensities::two_over_all_spinors() const {
  const auto n = static_cast<std::size_t>(one.front().rows());
  const std::size_t of_state = n * n * n * n;
  std::vector<std::complex<double>> all(two.size() * of_state);
  for (std::size_t i = 0; i < two.size(); ++i) {
    over_all_spinors(two[i], static_cast<int>(n), std::span(all).subspan(i * of_state, of_state));
  }
  return all;
}

SpinorStateDensities spinor_state_densities(std::span<const double> states, int k,
                                            const StringSpace& strings,
                                            const SpinorDensityChoice& choice) {
  if (choice.two) require_room(strings.orbitals, k);
  const std::size_t numbers = states.size() / static_cast<std::size_t>(k);
  const auto state = [&](int i) { return states.subspan(i * numbers, numbers); };
  SpinorStateDensities made;
  for (int i = 0; i < k; ++i) {
    for (int j = 0; choice.transitions && j < i; ++j) {
      made.one.push_back(made.one[j * k + i].adjoint());
    }
    made.one.push_back(spinor_density(strings, state(i), state(i)));
    for (int j = i + 1; choice.transitions && j < k; ++j) {
      made.one.push_back(spinor_density(strings, state(i), state(j)));
    }
    if (choice.two) made.two.push_back(spinor_pair_density(strings, state(i), state(i)));
  }
  return made;
}

}  // namespace cisolve
