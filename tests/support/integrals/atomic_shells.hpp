#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"

/// Electrons in shells s, p, d, f of an atom: random integrals that rotations of space leave as
/// they are, so that levels have (2S + 1)(2L + 1) states, of which 2L + 1 or more are of one M_s.
namespace cisolve::testing::atoms {

/// Points and weights of Gauss-Legendre quadrature on [−1, 1], exact up to degree 2 count − 1
/// (Golub, Welsch, Math. Comput. 1969, 23, 221).
struct Quadrature {
  HostVector points, weights;
  explicit Quadrature(int count) {
    HostMatrix jacobi = HostMatrix::Zero(count, count);
    for (int k = 1; k < count; ++k) {
      jacobi(k - 1, k) = jacobi(k, k - 1) = k / std::sqrt(4.0 * k * k - 1.0);
    }
    const SymmetricEigen pairs = symmetric_eigen(jacobi);
    points = pairs.values;
    weights = 2.0 * pairs.vectors.row(0).array().square().matrix().transpose();
  }
};

/// The real spherical harmonic of l and m in the direction (θ, φ): cos mφ for m ≥ 0, else sin |m|φ.
inline double harmonic(int l, int m, double theta, double phi) {
  const double of_theta = std::sph_legendre(l, std::abs(m), theta);
  if (m == 0) return of_theta;
  return std::numbers::sqrt2 * of_theta * (m > 0 ? std::cos(m * phi) : std::sin(-m * phi));
}

/// Which reflections x → −x (1), y → −y (2), z → −z (4) change its sign: its irrep in D2h, from 0,
/// in the order of Molpro.
inline int harmonic_irrep(int l, int m) {
  const int x = m >= 0 ? m % 2 : (m + 1) % 2, y = m < 0, z = (l + m) % 2;
  return std::abs(x) + 2 * y + 4 * std::abs(z);
}

/// An orbital of a shell, whose number is that of the shell in its list.
struct Orbital {
  int shell, l, m;
};

inline std::vector<Orbital> orbitals_of(const std::vector<int>& shells) {
  std::vector<Orbital> all;
  for (std::size_t i = 0; i < shells.size(); ++i) {
    for (int m = -shells[i]; m <= shells[i]; ++m) all.push_back({int(i), shells[i], m});
  }
  return all;
}

/// √(4π/(2k + 1)) ∫ Z_p Z_kq Z_r dΩ for all orbitals p, r.
inline HostMatrix gaunt(const std::vector<Orbital>& orbitals, int k, int q) {
  constexpr int around = 16;   // exact up to m's of 15 together
  const Quadrature along(16);  // exact up to l's of 31 together
  const auto n = static_cast<Eigen::Index>(orbitals.size());
  HostMatrix sum = HostMatrix::Zero(n, n);
  HostVector z(n);
  for (Eigen::Index i = 0; i < along.points.size(); ++i) {
    const double theta = std::acos(along.points[i]);
    for (int j = 0; j < around; ++j) {
      const double phi = 2.0 * std::numbers::pi * j / around;
      for (Eigen::Index p = 0; p < n; ++p) {
        z[p] = harmonic(orbitals[p].l, orbitals[p].m, theta, phi);
      }
      const double weight = along.weights[i] * 2.0 * std::numbers::pi / around;
      sum += weight * harmonic(k, q, theta, phi) * z * z.transpose();
    }
  }
  return std::sqrt(4.0 * std::numbers::pi / (2 * k + 1)) * sum;
}

/// Shells by their l, at random energies. (pq|rs) = Σ_k R_k(pq, rs) Σ_q G_kq(p, q) G_kq(r, s) with
/// Gaunt coefficients G and random radial integrals R_k: of one shell Slater's F_k (Slater, Phys.
/// Rev. 1929, 34, 1293). `size` is about that of F_0, in Hartree.
inline Integrals shells(const std::vector<int>& l_of_shells, int electrons, double size,
                        unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  const std::vector<Orbital> orbitals = orbitals_of(l_of_shells);
  const int n = static_cast<int>(orbitals.size()), count = static_cast<int>(l_of_shells.size());
  int largest_l = 0;
  for (const int l : l_of_shells) largest_l = std::max(largest_l, l);

  Integrals made;
  made.orbitals = n;
  made.electrons = electrons;
  made.ms2 = electrons % 2;
  auto one = std::make_shared<OneElectron>(n);
  std::vector<double> energies(count);
  for (double& energy : energies) energy = size * (normal(engine) - 1.0);
  std::vector<int> irreps(n);
  for (int p = 0; p < n; ++p) {
    one->set(p, p, energies[orbitals[p].shell]);
    irreps[p] = harmonic_irrep(orbitals[p].l, orbitals[p].m);
  }

  HostMatrix g = HostMatrix::Zero(n * n, n * n);
  for (int k = 0; k <= 2 * largest_l; ++k) {
    // Between charges of pairs of shells, positive definite as repulsion is.
    const int pairs = count * (count + 1) / 2;
    HostMatrix radial(pairs, pairs);
    for (int i = 0; i < pairs; ++i) {
      for (int j = 0; j < pairs; ++j) radial(i, j) = normal(engine);
    }
    radial = (size / (1.0 + k) * radial * radial.transpose()).eval();
    for (int q = -k; q <= k; ++q) {
      const HostMatrix angular = gaunt(orbitals, k, q);
      for (int pr = 0; pr < n * n; ++pr) {
        for (int st = 0; st < n * n; ++st) {
          const int p = pr / n, r = pr % n, s = st / n, t = st % n;
          g(pr, st) += radial(pair_index(orbitals[p].shell, orbitals[r].shell),
                              pair_index(orbitals[s].shell, orbitals[t].shell)) *
                       angular(p, r) * angular(s, t);
        }
      }
    }
  }
  auto two = std::make_shared<TwoElectron>(n);
  for (int p = 0; p < n; ++p) {
    for (int r = 0; r <= p; ++r) {
      for (int s = 0; s < n; ++s) {
        for (int t = 0; t <= s; ++t) {
          const bool allowed = (irreps[p] ^ irreps[r] ^ irreps[s] ^ irreps[t]) == 0;
          const double value = 0.5 * (g(p * n + r, s * n + t) + g(s * n + t, p * n + r));
          two->row(pair_index(p, r))[pair_index(s, t)] = allowed ? value : 0.0;
        }
      }
    }
  }
  made.one_electron = {one, one};
  made.alpha_alpha = made.alpha_beta = made.beta_beta = two;
  made.orbital_irreps = {irreps, irreps};
  return made;
}

/// Integrals in a field of the surroundings: a random symmetric one-electron matrix of that size,
/// which splits levels.
inline Integrals in_field(const Integrals& of, double size, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  Integrals made = of;
  made.orbital_irreps = {};
  auto one = std::make_shared<OneElectron>(of.orbitals);
  for (int p = 0; p < of.orbitals; ++p) {
    for (int q = 0; q <= p; ++q) {
      one->set(p, q, (*of.one_electron[alpha])(p, q) + size * normal(engine));
    }
  }
  made.one_electron = {one, one};
  return made;
}

}  // namespace cisolve::testing::atoms
