#include "hamiltonian/spinor/spinor_tables.hpp"

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

void put(Array<double>& table, std::size_t place, Complex value) {
  table[2 * place] = value.real();
  table[2 * place + 1] = value.imag();
}

}  // namespace

SpinorTables::SpinorTables(const SpinorIntegrals& integrals)
    : n_(static_cast<std::size_t>(integrals.spinors)),
      pairs_(n_ * (n_ - 1) / 2),
      core_energy_(integrals.core_energy),
      one_(2 * n_ * n_),
      fields_(2 * n_ * n_ * n_),
      doubles_(2 * pairs_ * pairs_) {
  fill_fields(integrals);
  fill_doubles(integrals);
}

void SpinorTables::fill_fields(const SpinorIntegrals& integrals) {
  const int n = integrals.spinors;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      put(one_, place(p, q), integrals.h(p, q));
      for (int i = 0; i < n; ++i) {
        put(fields_, place(p, q) * n_ + i, integrals.g(p, q, i, i) - integrals.g(p, i, i, q));
      }
    }
  }
}

void SpinorTables::fill_doubles(const SpinorIntegrals& integrals) {
  const int n = integrals.spinors;
#pragma omp parallel for if (worth_threads(doubles_.size())) schedule(dynamic)
  for (int q = 1; q < n; ++q) {
    for (int p = 0; p < q; ++p) {
      std::size_t at = pairs_ * pair(p, q);
      for (int s = 1; s < n; ++s) {
        for (int r = 0; r < s; ++r, ++at) {
          const bool apart = p != r && p != s && q != r && q != s;
          put(doubles_, at, apart ? integrals.g(p, r, q, s) - integrals.g(p, s, q, r) : Complex());
        }
      }
    }
  }
}

double SpinorTables::energy(const OrbitalString& determinant) const {
  double energy = core_energy_;
  for (const int j : determinant) {
    energy += one_[2 * place(j, j)];
    const double* const field = fields_.data() + 2 * n_ * place(j, j);
    for (const int i : determinant.below(j)) energy += field[2 * i];
  }
  return energy;
}

Complex SpinorTables::single(int p, int q, std::span<const int> common) const {
  const double* const field = fields_.data() + 2 * n_ * place(p, q);
  double re = one_[2 * place(p, q)], im = one_[2 * place(p, q) + 1];
  for (std::size_t k = 0; k < common.size(); ++k) {
    const double* const own = field + 2 * common[k];
    const bool both = common[k] % 2 == 0 && k + 1 < common.size() && common[k + 1] == common[k] + 1;
    re += both ? own[0] + own[2] : own[0];
    im += both ? own[1] + own[3] : own[1];
    if (both) ++k;
  }
  return {re, im};
}

}  // namespace cisolve
