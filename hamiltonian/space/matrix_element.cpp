#include "hamiltonian/space/matrix_element.hpp"

#include <array>
#include <bit>

#include "core/host_matrix.hpp"
#include "core/parallel.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

/// The orbital that a single excitation i → j empties, and the one it fills.
struct Single {
  int from, to, sign;
};

Single single_between(OrbitalString i, OrbitalString j) {
  const int from = std::countr_zero(i & ~j), to = std::countr_zero(j & ~i);
  return {from, to, excitation_sign(i, to, from)};
}

double same_spin_double(const SpinIntegrals& integrals, OrbitalString i, OrbitalString j) {
  const OrbitalString empties = i & ~j, fills = j & ~i;
  const int r = std::countr_zero(empties), s = std::countr_zero(empties & (empties - 1));
  const int p = std::countr_zero(fills), q = std::countr_zero(fills & (fills - 1));
  const OrbitalString middle = i ^ orbital_bit(s) ^ orbital_bit(q);
  return excitation_sign(i, q, s) * excitation_sign(middle, p, r) *
         double_value(integrals, p, q, r, s);
}

/// One electron of `spin` moves from i to j, the other spin's string stays.
double single_element(const Integrals& integrals, Spin spin, const SpinIntegrals& own,
                      OrbitalString i, OrbitalString j, OrbitalString other) {
  const auto [from, to, sign] = single_between(i, j);
  double value = single_value(own, i & j, to, from);
  for_each_orbital(other, [&](int k) {
    value += spin == alpha ? (*integrals.alpha_beta)(to, from, k, k)
                           : (*integrals.alpha_beta)(k, k, to, from);
  });
  return sign * value;
}

/// Σ_{j in s} f_j of any string s, looked up: tables hold the sums of every part of a string, a few
/// orbitals wide, in the first-level cache.
class StringSums {
 public:
  StringSums(const std::array<double, 64>& f, int orbitals)
      : parts_((orbitals + most_bits - 1) / most_bits), bits_((orbitals + parts_ - 1) / parts_) {
    for (int part = 0; part < parts_; ++part) {
      double* const sums = sums_.data() + (part << bits_);
      sums[0] = 0.0;
      for (int s = 1; s < 1 << bits_; ++s) {
        const int j = part * bits_ + std::countr_zero(static_cast<unsigned>(s));
        sums[s] = sums[s & (s - 1)] + (j < orbitals ? f[j] : 0.0);
      }
    }
  }
  double operator()(OrbitalString s) const {
    const OrbitalString mask = orbital_bit(bits_) - 1;
    double sum = 0.0;
    for (int part = 0; part < parts_; ++part) {
      sum += sums_[(part << bits_) | (s & mask)];
      s >>= bits_;
    }
    return sum;
  }

 private:
  static constexpr int most_bits = 8;
  int parts_, bits_;
  std::array<double, 64 / most_bits << most_bits> sums_;
};

}  // namespace

double matrix_element(const Integrals& integrals, const Determinant& i, const Determinant& j) {
  const int alphas = std::popcount(i[alpha] & ~j[alpha]), betas = std::popcount(i[beta] & ~j[beta]);
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

std::vector<double> ci_diagonal(const Integrals& integrals, const CiSpace& space) {
  const int orbitals = integrals.orbitals;
  const SpinIntegrals of_beta{*integrals.one_electron[beta], *integrals.beta_beta};
  const SpinIntegrals of_alpha{*integrals.one_electron[alpha], *integrals.alpha_alpha};
  std::vector<double> betas(space.beta.size());
#pragma omp parallel for if (worth_threads(100.0 * space.beta.size()))
  for (Index b = 0; b < space.beta.size(); ++b) {
    betas[b] = string_energy(of_beta, space.beta.strings[b]);
  }
  std::vector<double> diagonal(space.size());
#pragma omp parallel for if (worth_threads(space.size())) schedule(dynamic, 1)
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const OrbitalString string = space.alpha.strings[a];
    std::array<double, 64> field{};  // Σ_{i in a} (ii|jj)
    for (int j = 0; j < orbitals; ++j) {
      for_each_orbital(string, [&](int i) { field[j] += (*integrals.alpha_beta)(i, i, j, j); });
    }
    const StringSums field_of(field, orbitals);
    const double own = integrals.core_energy + string_energy(of_alpha, string);
    const BetaStrings range = space.betas(a);
    for (const Index b : range) {
      diagonal[range.row(b)] = own + betas[b] + field_of(space.beta.strings[b]);
    }
  }
  return diagonal;
}

}  // namespace cisolve
