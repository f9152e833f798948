// product: the ground state of a matrix of which there are only products: spins 1/2 in a ring,
// H = sum of S_i . S_i+1, over all configurations (bit i: spin i is up).
#include <cisolve/cisolve.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

int main() {
  constexpr int spins = 12, rows = 1 << spins;
  const auto pair = [](int i) { return 1 << i | 1 << (i + 1) % spins; };
  const auto is_parallel = [&](int c, int i) {
    return (c & pair(i)) == 0 || (c & pair(i)) == pair(i);
  };
  std::vector<double> diagonal(rows, 0.0);
  for (int c = 0; c < rows; ++c) {
    for (int i = 0; i < spins; ++i) diagonal[c] += is_parallel(c, i) ? 0.25 : -0.25;
  }
  const auto multiply = [&](const double* x, double* y, int k) {
    for (int c = 0; c < rows; ++c) {
      for (int v = 0; v < k; ++v) y[c * k + v] = diagonal[c] * x[c * k + v];
      for (int i = 0; i < spins; ++i) {
        if (is_parallel(c, i)) continue;
        for (int v = 0; v < k; ++v) y[c * k + v] += 0.5 * x[(c ^ pair(i)) * k + v];
      }
    }
  };
  try {
    const auto h = cisolve::Hamiltonian::from_product(diagonal, multiply);
    const auto found = cisolve::lowest_eigenstates(h);
    const double energy = found.states[0].energy;
    std::printf("E / spins = %.8f%s\n", energy / spins, found.verified ? ", verified" : "");
    // The state again: its Rayleigh quotient by the caller's own product.
    std::vector<double> image(rows);
    multiply(found.vectors.data(), image.data(), 1);
    double quotient = 0.0;
    for (int c = 0; c < rows; ++c) quotient += found.vectors[c] * image[c];
    return std::abs(quotient - energy) < 1e-10 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "product: %s\n", error.what());
    return 1;
  }
}
