#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cisolve/cisolve.hpp"
#include "tests/support/paths.hpp"

// Inputs of the library, made through its public headers alone.
namespace cisolve::testing {

/// The Laplacian of a chain of n points, times one half, plus a slope: tridiagonal.
struct Chain {
  explicit Chain(int n) {
    offsets.push_back(0);
    for (int i = 0; i < n; ++i) {
      for (const int j : {i - 1, i, i + 1}) {
        if (j < 0 || j >= n) continue;
        columns.push_back(j);
        values.push_back(i == j ? 1.0 + 0.01 * i : -0.5);
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
      diagonal.push_back(1.0 + 0.01 * i);
    }
  }
  CsrArrays arrays() const {
    const auto n = static_cast<std::int64_t>(diagonal.size());
    return {n, n, offsets, columns, values};
  }
  void multiply(const double* x, double* y, int k) const {
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      for (int c = 0; c < k; ++c) {
        double sum = 0.0;
        for (auto e = offsets[i]; e < offsets[i + 1]; ++e) {
          sum += values[e] * x[std::int64_t{columns[e]} * k + c];
        }
        y[i * k + c] = sum;
      }
    }
  }

  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> columns;
  std::vector<double> values, diagonal;
};

inline Machine on_cpu() {
  Machine machine;
  machine.backend = Device::cpu;
  return machine;
}

inline std::string file(const char* name) {
  return (test_data() / name).string();
}

/// Integrals of h2_sto3g as arrays, as a program that computes them has them.
struct Hydrogen {
  // Two orbitals of H2 in STO-3G at 0.7414 Angstrom, in full precision as given here.
  std::vector<double> h1{-1.25, 0.0, 0.0, -0.47};
  double aa = 0.67, ab = 0.66, bb = 0.70, k = 0.18;
  std::vector<double> eri() const {
    std::vector<double> g(16, 0.0);
    const auto at = [&](int p, int q, int r, int s) -> double& {
      return g[((p * 2 + q) * 2 + r) * 2 + s];
    };
    at(0, 0, 0, 0) = aa;
    at(1, 1, 1, 1) = bb;
    at(0, 0, 1, 1) = at(1, 1, 0, 0) = ab;
    at(0, 1, 0, 1) = at(1, 0, 0, 1) = at(0, 1, 1, 0) = at(1, 0, 1, 0) = k;
    return g;
  }
  /// By hand: the singlet of |11̅⟩ and |22̅⟩, coupled by (12|12).
  double ground() const {
    const double low = 2 * h1[0] + aa, high = 2 * h1[3] + bb;
    return 0.5 * (low + high) - std::sqrt(0.25 * (high - low) * (high - low) + k * k);
  }
};

}  // namespace cisolve::testing
