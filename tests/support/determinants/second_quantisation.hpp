#pragma once

#include <array>
#include <map>
#include <type_traits>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// The determinants of a space in their order: alpha string, beta string.
inline std::vector<std::array<OrbitalString, 2>> determinants(const CiSpace& space) {
  std::vector<std::array<OrbitalString, 2>> result;
  for (Index a = 0; a < space.alpha.size(); ++a) {
    for (const AlphaMember& at : space.determinants_of(a)) {
      result.push_back({space.alpha.strings[a], space.beta.strings[at.beta]});
    }
  }
  return result;
}

/// Spin orbitals of a determinant over n orbitals: p of alpha is p here, p of beta n + p.
using SpinOrbitals = BasicOrbitalString<4>;
inline SpinOrbitals spin_orbitals(const Determinant& determinant, int n) {
  SpinOrbitals all(determinant[alpha]);
  for (const int p : determinant[beta]) all = all.with(n + p);
  return all;
}

/// A creation or annihilation operator: spin orbital p of alpha is bit p, of beta bit n + p.
struct SpinOrbitalOperator {
  int orbital;
  bool creates;
};

/// Adds value · (operators, in the order they act) |s⟩ to a sum of determinants, which are their
/// creation operators in ascending order: each operator passes those before its own.
template <class Value>
void add_image(std::map<SpinOrbitals, Value>& result, SpinOrbitals s,
               std::type_identity_t<Value> value,
               const std::vector<SpinOrbitalOperator>& operators) {
  for (const auto& [orbital, creates] : operators) {
    if (s.has(orbital) == creates) return;
    if (s.below(orbital).count() % 2 != 0) value = -value;
    s = creates ? s.with(orbital) : s.without(orbital);
  }
  result[s] += value;
}

/// The Hamiltonian by second quantisation, with no Slater–Condon rule: spin orbital p of alpha is
/// bit p, of beta bit n + p, and a determinant is its creation operators in ascending order.
class SecondQuantisation {
 public:
  explicit SecondQuantisation(const Integrals& integrals) : in_(integrals) {}

  /// Ĥ|I⟩ = [E_core + Σ h_pq a†_pσ a_qσ + ½ Σ (pq|rs) a†_pσ a†_rτ a_sτ a_qσ] |I⟩.
  std::map<SpinOrbitals, double> apply(const SpinOrbitals& determinant) const {
    const int n = in_.orbitals;
    std::map<SpinOrbitals, double> result{{determinant, in_.core_energy}};
    for (const Spin sigma : {alpha, beta}) {
      for (int pq = 0; pq < n * n; ++pq) {
        const int p = pq / n, q = pq % n;
        add_image(result, determinant, (*in_.one_electron[sigma])(p, q),
                  {{n * sigma + q, false}, {n * sigma + p, true}});
        for (const Spin tau : {alpha, beta}) {
          for (int rs = 0; rs < n * n; ++rs) {
            const int r = rs / n, s = rs % n;
            add_image(result, determinant, 0.5 * repulsion(sigma, tau, p, q, r, s),
                      {{n * sigma + q, false},
                       {n * tau + s, false},
                       {n * tau + r, true},
                       {n * sigma + p, true}});
          }
        }
      }
    }
    return result;
  }

 private:
  double repulsion(Spin sigma, Spin tau, int p, int q, int r, int s) const {
    if (sigma != tau) {
      return sigma == alpha ? (*in_.alpha_beta)(p, q, r, s) : (*in_.alpha_beta)(r, s, p, q);
    }
    return sigma == alpha ? (*in_.alpha_alpha)(p, q, r, s) : (*in_.beta_beta)(p, q, r, s);
  }

  const Integrals& in_;
};

/// H over the full CI space by second quantisation, and its blocks for smaller spaces.
class SlowHamiltonian {
 public:
  explicit SlowHamiltonian(const Integrals& integrals) : orbitals_(integrals.orbitals) {
    for (const auto& determinant : determinants(make_ci_space(integrals, {}))) {
      numbers_.emplace(spin_orbitals(determinant, orbitals_),
                       static_cast<Eigen::Index>(numbers_.size()));
    }
    const SecondQuantisation hamiltonian(integrals);
    whole_ = HostMatrix::Zero(size(), size());
    for (const auto& [determinant, j] : numbers_) {
      for (const auto& [image, value] : hamiltonian.apply(determinant)) {
        whole_(numbers_.at(image), j) = value;
      }
    }
  }

  Eigen::Index size() const { return static_cast<Eigen::Index>(numbers_.size()); }

  HostMatrix over(const CiSpace& space) const {
    std::vector<Eigen::Index> kept;
    for (const auto& determinant : determinants(space)) {
      kept.push_back(numbers_.at(spin_orbitals(determinant, orbitals_)));
    }
    return whole_(kept, kept);
  }

 private:
  int orbitals_;
  std::map<SpinOrbitals, Eigen::Index> numbers_;
  HostMatrix whole_;
};

/// The matrix of Σ c · operators over a space, determinant by determinant: `apply` gives the image
/// of one as add_image makes it; what leaves the space is dropped.
template <class Apply>
HostMatrix slow_matrix(const CiSpace& space, Apply apply) {
  const int n = space.alpha.orbitals;
  std::map<SpinOrbitals, Eigen::Index> numbers;
  for (const auto& determinant : determinants(space)) {
    numbers.emplace(spin_orbitals(determinant, n), static_cast<Eigen::Index>(numbers.size()));
  }
  const auto size = static_cast<Eigen::Index>(numbers.size());
  HostMatrix matrix = HostMatrix::Zero(size, size);
  for (const auto& [determinant, column] : numbers) {
    std::map<SpinOrbitals, double> images;
    apply(images, determinant);
    for (const auto& [image, value] : images) {
      if (const auto row = numbers.find(image); row != numbers.end()) {
        matrix(row->second, column) = value;
      }
    }
  }
  return matrix;
}

/// S² = S_z (S_z + 1) + S₋S₊ with S₊ = Σ_q a†_qα a_qβ and S₋ = Σ_p a†_pβ a_pα.
inline HostMatrix slow_s_squared(const CiSpace& space) {
  const int n = space.alpha.orbitals;
  const double ms = 0.5 * (space.alpha.electrons - space.beta.electrons);
  return slow_matrix(space, [&](std::map<SpinOrbitals, double>& images, const SpinOrbitals& s) {
    images[s] += ms * (ms + 1);
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q < n; ++q) {
        add_image(images, s, 1.0, {{n + q, false}, {q, true}, {p, false}, {n + p, true}});
      }
    }
  });
}

/// Σ_σ a†_pσ a_qσ.
inline HostMatrix slow_density_operator(const CiSpace& space, int p, int q) {
  const int n = space.alpha.orbitals;
  return slow_matrix(space, [&](std::map<SpinOrbitals, double>& images, const SpinOrbitals& s) {
    add_image(images, s, 1.0, {{q, false}, {p, true}});
    add_image(images, s, 1.0, {{n + q, false}, {n + p, true}});
  });
}

}  // namespace cisolve
