#pragma once

#include <cuda_runtime.h>

#include "hamiltonian/direct/cuda/vectors_cuda.cuh"

namespace cisolve {
namespace {

/// Terms of direct_diagonal on the device: energies of the strings among themselves, of the
/// alpha ones with the core energy, and (pp|qq) and (pq|pq) between alpha and beta, m × m.
struct DiagonalTerms {
  int orbitals;
  const OrbitalString64 *alphas, *betas;
  const double *of_alpha, *of_beta;
  const double *coulomb, *exchange;
};

__global__ void fill_diagonal(StringBlock b, DiagonalTerms terms, double* d, std::int64_t stride) {
  __shared__ double field[OrbitalString64::most_orbitals];  // Σ_{p in a} (pp|qq)
  const int m = terms.orbitals;
  const Index j = blockIdx.x * blockDim.x + threadIdx.x;
  for (Index i = blockIdx.y; i < b.alphas; i += gridDim.y) {
    const OrbitalString64 string = terms.alphas[b.alphas_first + i];
    __syncthreads();
    for (int q = threadIdx.x; q < m; q += blockDim.x) {
      double sum = 0.0;
      for (const int p : string) sum += terms.coulomb[p * m + q];
      field[q] = sum;
    }
    __syncthreads();
    if (j >= b.betas || (b.triangle && j > i)) continue;
    const OrbitalString64 other = terms.betas[b.betas_first + j], differ = string ^ other;
    double energy = terms.of_alpha[b.alphas_first + i] + terms.of_beta[b.betas_first + j];
    for (const int q : other) energy += field[q];
    double exchange = 0.0;
    if (b.turned != nullptr && differ.count() == 2) {
      exchange = terms.exchange[differ.first() * m + differ.rest().first()];
    }
    const auto set = [=](double value, std::int64_t row) {
      const std::int64_t place = own_place(b, row);
      if (place >= 0) d[place * stride] = value;
    };
    if (b.even != nullptr) set(energy + exchange, row_of(b, b.even, i, j));
    if (b.odd != nullptr && !(b.triangle && i == j)) set(energy - exchange, row_of(b, b.odd, i, j));
  }
}

}  // namespace
}  // namespace cisolve
