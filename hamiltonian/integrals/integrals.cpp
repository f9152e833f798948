#include "hamiltonian/integrals/integrals.hpp"

#include <algorithm>
#include <cmath>

#include "core/memory.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {

bool are_repeats(double a, double b, double largest) {
  constexpr double tolerance = 1e-10;
  return std::abs(a - b) <=
         tolerance * std::max({std::min(1.0, largest), std::abs(a), std::abs(b)});
}

std::string kind_of_orbitals(const Integrals& integrals) {
  return integrals.general ? "general spin orbitals" : "orbitals of two spins";
}

TwoElectron::TwoElectron(int orbitals) {
  allocate(orbitals * (orbitals + 1) / 2);
}

TwoElectron TwoElectron::ordered(int orbitals) {
  TwoElectron made;
  made.numbers_ = OrbitalPairs::ordered(orbitals);
  made.allocate(orbitals * orbitals);
  return made;
}

void TwoElectron::allocate(int pairs) {
  pairs_ = pairs;
  values_ = Array<double>(static_cast<std::size_t>(pairs) * pairs);
  prefer_huge_pages(values_.data(), values_.size() * sizeof(double));
  const auto rows = static_cast<std::ptrdiff_t>(pairs_);
#pragma omp parallel for if (worth_threads(values_.size())) schedule(static)
  for (std::ptrdiff_t i = 0; i < rows; ++i) std::fill_n(values_.data() + i * rows, rows, 0.0);
}

}  // namespace cisolve
