#include "hamiltonian/space/matrix_element.hpp"

#include "core/dense/host_matrix.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

/// The orbital that a single excitation i → j empties, and the one it fills.
struct Single {
  int from, to, sign;
};

Single single_between(const OrbitalString& i, const OrbitalString& j) {
  const int from = (i & ~j).first(), to = (j & ~i).first();
  return {from, to, excitation_sign(i, to, from)};
}

double same_spin_double(const SpinIntegrals& integrals, const OrbitalString& i,
                        const OrbitalString& j) {
  const OrbitalString empties = i & ~j, fills = j & ~i;
  const int r = empties.first(), s = empties.rest().first();
  const int p = fills.first(), q = fills.rest().first();
  const OrbitalString middle = i ^ OrbitalString::of(s, q);
  return excitation_sign(i, q, s) * excitation_sign(middle, p, r) *
         double_value(integrals, p, q, r, s);
}

/// One electron of `spin` moves from i to j, the other spin's string stays.
double single_element(const Integrals& integrals, Spin spin, const SpinIntegrals& own,
                      const OrbitalString& i, const OrbitalString& j, const OrbitalString& other) {
  const auto [from, to, sign] = single_between(i, j);
  double value = single_value(own, i & j, to, from);
  for (const int k : other) {
    value += spin == alpha ? (*integrals.alpha_beta)(to, from, k, k)
                           : (*integrals.alpha_beta)(k, k, to, from);
  }
  return sign * value;
}

}  // namespace

double matrix_element(const Integrals& integrals, const Determinant& i, const Determinant& j) {
  const int alphas = (i[alpha] & ~j[alpha]).count(), betas = (i[beta] & ~j[beta]).count();
  if (alphas + betas > 2) return 0.0;
  const SpinIntegrals of_alpha{*integrals.one_electron[alpha], *integrals.alpha_alpha};
  const SpinIntegrals of_beta{*integrals.one_electron[beta], *integrals.beta_beta};
  if (alphas == 2) return same_spin_double(of_alpha, i[alpha], j[alpha]);
  if (betas == 2) return same_spin_double(of_beta, i[beta], j[beta]);
  if (alphas == 1 && betas == 1) {
    const Single a = single_between(i[alpha], j[alpha]), b = single_between(i[beta], j[beta]);
    return a.sign * b.sign * (*integrals.alpha_beta)(a.to, a.from, b.to, b.from);
  }
  if (alphas == 1) {
    return single_element(integrals, alpha, of_alpha, i[alpha], j[alpha], i[beta]);
  }
  if (betas == 1) return single_element(integrals, beta, of_beta, i[beta], j[beta], i[alpha]);
  return determinant_energy(integrals, i);
}

HostMatrix principal_submatrix(const Integrals& integrals, const CiSpace& space,
                               std::span<const Index> rows) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  std::vector<Determinant> determinants;
  for (const Index row : rows) determinants.push_back(space.determinant(row));
  HostMatrix block(n, n);
#pragma omp parallel for if (worth_threads(n * n)) schedule(dynamic, 16)
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      block(i, j) = matrix_element(integrals, determinants[i], determinants[j]);
    }
  }
  return block.selfadjointView<Eigen::Lower>();
}

}  // namespace cisolve
