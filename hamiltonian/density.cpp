#include "hamiltonian/density.hpp"

#include <algorithm>

#include "core/dense.hpp"
#include "core/parallel.hpp"
#include "hamiltonian/slater_condon.hpp"

namespace cisolve {
namespace {

/// Σ_σ ⟨x| n_pσ |x⟩.
double occupation(const CiSpace& space, const HostVector& x, int p) {
  double sum = 0;
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const bool in_alpha = (space.alpha.strings[a] & orbital_bit(p)) != 0;
    for (Index b = space.beta_begin[a]; b < space.beta_end[a]; ++b) {
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
    const Index begin = std::max(space.beta_begin[e.from], space.beta_begin[e.to]);
    const Index end = std::min(space.beta_end[e.from], space.beta_end[e.to]);
    if (begin >= end) continue;
    sum += e.sign * x.segment(space.row(e.from, begin), end - begin)
                        .dot(x.segment(space.row(e.to, begin), end - begin));
  }
  return sum;
}

/// ⟨x| a†_qβ a_pβ |x⟩, alpha string by alpha string.
double beta_element(const CiSpace& space, std::span<const StringExcitation> list,
                    const HostVector& x) {
  double sum = 0;
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const Index begin = space.beta_begin[a], end = space.beta_end[a];
    auto e = std::ranges::lower_bound(list, begin, {}, &StringExcitation::from);
    for (; e != list.end() && e->from < end; ++e) {
      if (e->to < begin || e->to >= end) continue;
      sum += e->sign * x[space.row(a, e->from)] * x[space.row(a, e->to)];
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
