#include "hamiltonian/direct/rows/direct_elements.hpp"

#include <array>
#include <cmath>

#include "core/dense/host_matrix.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/space/matrix_element.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

/// Σ_j f_j over the orbitals j of a string, by tables of eight orbitals each.
class OrbitalSums {
 public:
  OrbitalSums(int orbitals, const double* f) : tables_((orbitals + 7) / 8) {
    for (int t = 0; t < tables_; ++t) {
      sums_[t][0] = 0.0;
      for (unsigned bits = 1; bits < 256; ++bits) {
        const OrbitalString64 some(bits);
        const int j = 8 * t + some.first();
        sums_[t][bits] = sums_[t][some.rest().byte(0)] + (j < orbitals ? f[j] : 0.0);
      }
    }
  }
  double of(OrbitalString64 s) const {
    double sum = 0.0;
    for (int t = 0; t < tables_; ++t) sum += sums_[t][s.byte(t)];
    return sum;
  }

 private:
  int tables_;
  std::array<std::array<double, 256>, 8> sums_;
};

}  // namespace

std::vector<double> string_energies(const Integrals& integrals, Spin spin,
                                    const DirectStrings& strings) {
  const SpinIntegrals own{*integrals.one_electron[spin],
                          spin == alpha ? *integrals.alpha_alpha : *integrals.beta_beta};
  std::vector<double> energies(strings.size());
#pragma omp parallel for if (worth_threads(100.0 * strings.size()))
  for (Index s = 0; s < strings.size(); ++s) {
    energies[s] = string_energy(own, strings.strings[s]);
  }
  return energies;
}

Array<double> direct_diagonal(const Integrals& integrals, const DirectLayout& layout,
                              const DirectRows& rows) {
  const DirectStrings &alphas = layout.alpha_strings, &betas = layout.beta_strings;
  const std::vector<double> of_alpha = string_energies(integrals, alpha, alphas);
  const std::vector<double> of_beta = string_energies(integrals, beta, betas);
  const TwoElectron& alpha_beta = *integrals.alpha_beta;
  Array<double> diagonal(rows.size());
#pragma omp parallel for if (worth_threads(rows.size())) schedule(dynamic, 1)
  for (Index a = 0; a < alphas.size(); ++a) {
    const OrbitalString64 string = alphas.strings[a];
    std::array<double, OrbitalString64::most_orbitals> field{};  // Σ_{i in a} (ii|jj)
    for (int j = 0; j < integrals.orbitals; ++j) {
      for (const int i : string) field[j] += alpha_beta(i, i, j, j);
    }
    const OrbitalSums sums(integrals.orbitals, field.data());
    const double own = integrals.core_energy + of_alpha[a];
    for (const DirectRows::Kind& kind : rows.kinds()) {
      const auto parity = static_cast<double>(kind.parity);
      for (int y = 0; y < most_irreps; ++y) {
        if (!layout.holds(alphas.irrep_of[a], y)) continue;
        double* const d = diagonal.data() + kind.begin[std::size_t{8} * a + y];
        const Index first = betas.begin[y], count = rows.betas(kind.parity, a, y);
        for (Index i = 0; i < count; ++i) {
          const OrbitalString64 other = betas.strings[first + i], differ = string ^ other;
          d[i] = own + of_beta[first + i] + sums.of(other);
          if (parity != 0.0 && differ.count() == 2) {
            const int p = differ.first(), q = differ.rest().first();
            d[i] += parity * alpha_beta(p, q, p, q);
          }
        }
      }
    }
  }
  return diagonal;
}

HostMatrix principal_submatrix(const Integrals& integrals, const DirectLayout& layout,
                               const DirectRows& rows, std::span<const Index> of) {
  const auto n = static_cast<Eigen::Index>(of.size());
  struct Member {
    double parity, norm;
    Determinant determinant, turned;
  };
  std::vector<Member> members;
  for (const Index row : of) {
    const DirectRows::Function f = rows.function(row);
    const OrbitalString a(layout.alpha_strings.strings[f.a]);
    const OrbitalString b(layout.beta_strings.strings[f.b]);
    members.push_back({static_cast<double>(f.parity),
                       f.parity != Parity::none && f.a == f.b ? std::sqrt(0.5) : 1.0,
                       {a, b},
                       {b, a}});
  }
  HostMatrix block(n, n);
#pragma omp parallel for if (worth_threads(n * n)) schedule(dynamic, 16)
  for (Eigen::Index i = 0; i < n; ++i) {
    const Member& f = members[i];
    for (Eigen::Index j = 0; j <= i; ++j) {
      const Member& g = members[j];
      double element = 0.0;
      if (f.parity == g.parity) {
        element = matrix_element(integrals, f.determinant, g.determinant);
        if (f.parity != 0.0) {
          element += f.parity * matrix_element(integrals, f.determinant, g.turned);
        }
      }
      block(i, j) = f.norm * g.norm * element;
    }
  }
  return block.selfadjointView<Eigen::Lower>();
}

}  // namespace cisolve
