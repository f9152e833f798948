#include "hamiltonian/density/dipole.hpp"

namespace cisolve {

DipoleIntegrals active_dipole(const DipoleIntegrals& all, const std::vector<int>& frozen,
                              const std::vector<int>& active) {
  DipoleIntegrals part;
  part.nuclear = all.nuclear;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const HostMatrix& r = all.position[axis];
    for (const int f : frozen) part.nuclear[axis] -= 2.0 * r(f, f);
    part.position[axis] = r(active, active);
  }
  return part;
}

SpaceVector electronic_dipole(const DipoleIntegrals& active, const OneDensities& densities) {
  SpaceVector dipole{};
  const HostMatrix density = spin_summed(densities);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    dipole[axis] = -active.position[axis].cwiseProduct(density).sum();
  }
  return dipole;
}

double oscillator_strength(double energy, const SpaceVector& dipole) {
  double square = 0.0;
  for (const double component : dipole) square += component * component;
  return 2.0 / 3.0 * energy * square;
}

}  // namespace cisolve
