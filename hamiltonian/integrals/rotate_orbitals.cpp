#include "hamiltonian/integrals/rotate_orbitals.hpp"

#include <memory>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

/// Row ij of the result is the symmetric matrix of column ij, rotated: applied twice, both pairs of
/// indices are.
std::shared_ptr<TwoElectron> half_rotated(const TwoElectron& g, const HostMatrix& c) {
  const auto n = static_cast<int>(c.rows());
  auto made = std::make_shared<TwoElectron>(n);
  FirstException exception;
#pragma omp parallel for schedule(dynamic, 4)
  for (int rs = 0; rs < g.pairs(); ++rs) {
    exception.guard([&] {
      HostMatrix m(n, n);
      for (int p = 0; p < n; ++p) {
        for (int q = 0; q <= p; ++q) m(p, q) = m(q, p) = g.row(rs)[pair_index(p, q)];
      }
      const HostMatrix half = m * c;
      m.noalias() = c.transpose() * half;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) made->row(pair_index(i, j))[rs] = m(i, j);
      }
    });
  }
  exception.rethrow();
  return made;
}

/// Integrals in which (ij|kl) and (kl|ij) have the same bits.
std::shared_ptr<const TwoElectron> with_equal_halves(std::shared_ptr<TwoElectron> g) {
  for (int ij = 0; ij < g->pairs(); ++ij) {
    for (int kl = 0; kl < ij; ++kl) g->row(kl)[ij] = g->row(ij)[kl];
  }
  return g;
}

std::shared_ptr<const OneElectron> rotated(const OneElectron& h, const HostMatrix& c) {
  const auto n = static_cast<int>(c.rows());
  HostMatrix m(n, n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) m(p, q) = h(p, q);
  }
  const HostMatrix all = c.transpose() * m * c;
  auto made = std::make_shared<OneElectron>(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) made->set(i, j, all(i, j));
  }
  return made;
}

}  // namespace

Integrals rotated(const Integrals& integrals, const HostMatrix& c) {
  if (integrals.unrestricted) {
    throw InputError("rotated orbitals: found " + kind_of_orbitals(integrals) +
                     ", expected restricted ones");
  }
  Integrals made = integrals;
  made.orbital_energies = {};
  made.one_electron[alpha] = made.one_electron[beta] = rotated(*integrals.one_electron[alpha], c);
  const auto half = half_rotated(*integrals.alpha_beta, c);
  made.alpha_alpha = made.alpha_beta = made.beta_beta = with_equal_halves(half_rotated(*half, c));
  return made;
}

}  // namespace cisolve
