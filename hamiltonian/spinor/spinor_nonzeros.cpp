#include "hamiltonian/spinor/spinor_nonzeros.hpp"

#include "core/binomial.hpp"

namespace cisolve {

double fewest_nonzeros(const SpinorIntegrals& in, const StringSpace& space) {
  const int n = space.orbitals, electrons = space.electrons;
  if (!space.full || n < 4 || electrons < 2) return space.size();
  double couplings = 0.0;  // of pairs of electrons
  for (int q = 1; q < n; ++q) {
    for (int p = 0; p < q; ++p) {
      for (int s = 1; s < n; ++s) {
        for (int r = 0; r < s; ++r) {
          const bool apart = p != r && p != s && q != r && q != s;
          couplings += apart && in.g(p, r, q, s) != in.g(p, s, q, r);
        }
      }
    }
  }
  return space.size() + couplings * binomial(n - 4, electrons - 2);
}

}  // namespace cisolve
