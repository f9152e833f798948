#include "hamiltonian/density/direct_densities.hpp"

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

HostMatrix zero(int size) {
  return HostMatrix::Zero(size, size);
}

/// Γ^αβ of the pairs of one irrep; the first of each are 1 where that is 0. `down` and `up`:
/// ⟨u bra|t ket⟩ and ⟨u ket|t bra⟩.
void add_mixed(const OperatorTable& alphas, const OperatorTable& betas, const HostMatrix& down,
               const HostMatrix& up, int orbitals, HostMatrix& two) {
  for (int u = 0; u < alphas.rows(); ++u) {
    const auto [p, q] = alphas.pairs[u];
    for (int t = 0; t < betas.rows(); ++t) {
      const auto [r, s] = betas.pairs[t];
      if (alphas.pairs[u] == no_pair || betas.pairs[t] == no_pair) continue;
      two(q * orbitals + p, r * orbitals + s) = down(u, t);
      two(p * orbitals + q, s * orbitals + r) = up(u, t);
    }
  }
}

}  // namespace

DirectDensities::DirectDensities(const DirectLayout& layout, Backend& backend, DensityOrder order)
    : tables_(layout, order), grams_(make_density_grams(tables_, backend)) {}

Densities DirectDensities::of(const double* bra, const double* ket) const {
  const int m = tables_.layout.alpha_strings.orbitals;
  Densities d{{zero(m), zero(m)}, zero(m * m), zero(m * m), zero(m * m)};
  for (int k = 0; k < most_irreps; ++k) {
    const OperatorTable &alphas = tables_.excitations[alpha][k],
                        &betas = tables_.excitations[beta][k];
    const HostMatrix down = grams_->mixed(k, bra, ket, alphas.rows(), betas.rows());
    // The expectation value of a real state equals that of the adjoint.
    const HostMatrix up =
        bra == ket ? down : grams_->mixed(k, ket, bra, alphas.rows(), betas.rows());
    add_mixed(alphas, betas, down, up, m, d.alpha_beta);
    add_same_spin(tables_.removals[alpha][k].pairs, grams_->same_spin(alpha, k, bra, ket), m,
                  d.alpha_alpha);
    add_same_spin(tables_.removals[beta][k].pairs, grams_->same_spin(beta, k, bra, ket), m,
                  d.beta_beta);
    if (k != 0) continue;
    for (int u = 1; u < alphas.rows(); ++u) {
      const auto [p, q] = alphas.pairs[u];
      d.one[alpha](q, p) = up(u, 0);
      d.one[alpha](p, q) = down(u, 0);
    }
    for (int t = 1; t < betas.rows(); ++t) {
      const auto [p, q] = betas.pairs[t];
      if (p < q) continue;
      d.one[beta](q, p) = down(0, t);
      d.one[beta](p, q) = up(0, t);
    }
  }
  return d;
}

OneDensities DirectDensities::one(const double* bra, const double* ket) const {
  const int m = tables_.layout.alpha_strings.orbitals;
  OneDensities one{zero(m), zero(m)};
  // ⟨E_pq bra|ket⟩ and ⟨E_pq ket|bra⟩, p ≥ q.
  const OperatorTable& alphas = tables_.excitations[alpha][0];
  const HostMatrix down = grams_->mixed(0, bra, ket, alphas.rows(), 1);
  const HostMatrix up = bra == ket ? down : grams_->mixed(0, ket, bra, alphas.rows(), 1);
  for (int u = 1; u < alphas.rows(); ++u) {
    const auto [p, q] = alphas.pairs[u];
    one[alpha](q, p) = up(u, 0);
    one[alpha](p, q) = down(u, 0);
  }
  const OperatorTable& betas = tables_.excitations[beta][0];
  const HostMatrix g = grams_->mixed(0, bra, ket, 1, betas.rows());
  for (int t = 1; t < betas.rows(); ++t) {
    const auto [p, q] = betas.pairs[t];
    if (bra == ket && p < q) continue;
    one[beta](q, p) = g(0, t);
    if (bra == ket) one[beta](p, q) = g(0, t);  // the same to the last bit
  }
  return one;
}

HostVector to_layout(const DirectLayout& layout, const CiSpace& space,
                     const Eigen::Ref<const HostVector, 0, Eigen::InnerStride<>>& x) {
  HostVector y(layout.size());
  const DirectStrings &alphas = layout.alpha_strings, &betas = layout.beta_strings;
#pragma omp parallel for if (worth_threads(y.size())) schedule(static)
  for (Index a = 0; a < alphas.size(); ++a) {
    const StringRange range = layout.betas(alphas.irrep_of[a]);
    for (Index b = range.first; b < range.last; ++b) {
      y[layout.row_begin[a] + (b - range.first)] = x[space.row(alphas.number[a], betas.number[b])];
    }
  }
  return y;
}

}  // namespace cisolve
