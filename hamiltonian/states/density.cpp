#include "hamiltonian/states/density.hpp"

#include <algorithm>

#include "core/dense.hpp"
#include "core/host_matrix.hpp"
#include "core/parallel.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

/// Σ_σ ⟨x| n_pσ |x⟩.
double occupation(const CiSpace& space, const HostVector& x, int p) {
  double sum = 0;
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const bool in_alpha = (space.alpha.strings[a] & orbital_bit(p)) != 0;
    for (const Index b : space.betas(a)) {
      const bool in_beta = (space.beta.strings[b] & orbital_bit(p)) != 0;
      const double c = x[space.row(a, b)];
      sum += (in_alpha + in_beta) * c * c;
    }
  }
  return sum;
}

/// ⟨x| a†_qα a_pα |x⟩: the beta strings that go with both alpha strings.
double alpha_element(const CiSpace& space, std::span<const StringExcitation> list,
                     const HostVector& x) {
  double sum = 0;
  for (const StringExcitation& e : list) {
    const BetaStrings from = space.betas(e.from), to = space.betas(e.to);
    const Index begin = std::max(from.first(), to.first());
    const Index end = std::min(from.last(), to.last());
    if (begin >= end) continue;
    sum +=
        e.sign * x.segment(from.row(begin), end - begin).dot(x.segment(to.row(begin), end - begin));
  }
  return sum;
}

/// ⟨x| a†_qβ a_pβ |x⟩, alpha string by alpha string.
double beta_element(const CiSpace& space, std::span<const StringExcitation> list,
                    const HostVector& x) {
  double sum = 0;
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const BetaStrings betas = space.betas(a);
    auto e = std::ranges::lower_bound(list, betas.first(), {}, &StringExcitation::from);
    for (; e != list.end() && e->from < betas.last(); ++e) {
      if (betas.holds(e->to)) sum += e->sign * x[betas.row(e->from)] * x[betas.row(e->to)];
    }
  }
  return sum;
}

}  // namespace

HostMatrix one_particle_density(const CiSpace& space, const SpinPairExcitations& excitations,
                                const HostVector& x) {
  const int n = space.alpha.orbitals;
  HostMatrix density(n, n);
#pragma omp parallel for if (worth_threads(x.size() * n)) collapse(2) schedule(dynamic)
  for (int q = 0; q < n; ++q) {
    for (int p = 0; p < n; ++p) {
      if (p > q) continue;
      density(p, q) = density(q, p) = p == q
                                          ? occupation(space, x, p)
                                          : alpha_element(space, excitations[alpha]->of(p, q), x) +
                                                beta_element(space, excitations[beta]->of(p, q), x);
    }
  }
  return density;
}

std::vector<double> natural_occupations(const HostMatrix& density) {
  const HostVector values = symmetric_eigen(density).values;
  return {values.reverse().begin(), values.reverse().end()};
}

}  // namespace cisolve
