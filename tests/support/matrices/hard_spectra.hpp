#pragma once

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/integrals/hubbard.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "tests/support/support.hpp"

namespace cisolve::testing {

/// Matrices whose lowest states are easily missed, each made from a seed. Symmetry is hidden from
/// the matrix graph, levels have copies, blocks are nearly decoupled, or low states lie where the
/// diagonal does not show them.
namespace hard {

/// A random orthogonal matrix.
inline HostMatrix random_rotation(int n, std::mt19937& engine) {
  std::normal_distribution<double> normal;
  const HostMatrix drawn = HostMatrix::NullaryExpr(n, n, [&] { return normal(engine); });
  return Eigen::HouseholderQR<HostMatrix>(drawn).householderQ();
}

/// A random symmetric matrix like a CI one, its lowest diagonal element 0, as dense as given.
inline HostMatrix ci_like(Index rows, int couplings, double strength, std::mt19937& engine) {
  std::uniform_int_distribution<Index> any(0, rows - 1);
  std::normal_distribution<double> normal;
  HostMatrix a = HostMatrix::Zero(rows, rows);
  for (Index i = 0; i < rows; ++i) {
    a(i, i) = 10.0 * i / rows;
    for (int c = 0; c < couplings; ++c) {
      const Index j = any(engine);
      if (j != i) a(i, j) = a(j, i) = strength * normal(engine);
    }
  }
  return a;
}

/// Adjacency of the hypercube with 2^d corners: eigenvalues d − 2j, (d over j) times.
inline HostMatrix hypercube(int dimensions) {
  const Index n = Index{1} << dimensions;
  HostMatrix a = HostMatrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (int b = 0; b < dimensions; ++b) a(i, i ^ (Index{1} << b)) = 1.0;
  }
  return a;
}

/// Adjacency of a torus of p × q points: levels of one, two, four and eight copies.
inline HostMatrix torus(Index p, Index q) {
  HostMatrix a = HostMatrix::Zero(p * q, p * q);
  for (Index i = 0; i < p; ++i) {
    for (Index j = 0; j < q; ++j) {
      for (const Index to : {((i + 1) % p) * q + j, i * q + (j + 1) % q}) {
        a(i * q + j, to) = a(to, i * q + j) = -1.0;
      }
    }
  }
  return a;
}

/// Many small blocks. In some, two rows high on the diagonal are coupled so strongly that their
/// lower state is the lowest of all.
inline HostMatrix small_blocks(int blocks, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<Index> size(2, 14);
  std::uniform_int_distribution<int> deep(0, blocks / 4);
  HostMatrix a = HostMatrix::Zero(0, 0);
  std::vector<HostMatrix> parts;
  Index rows = 0;
  for (int b = 0; b < blocks; ++b) {
    HostMatrix part = ci_like(size(engine), 3, 0.7, engine);
    if (deep(engine) == 0) {
      const Index n = static_cast<Index>(part.rows());
      part(n - 1, n - 1) = part(n - 2, n - 2) = 40.0;
      part(n - 1, n - 2) = part(n - 2, n - 1) = 48.0;
    }
    rows += static_cast<Index>(part.rows());
    parts.push_back(std::move(part));
  }
  a = HostMatrix::Zero(rows, rows);
  Index at = 0;
  for (const HostMatrix& part : parts) {
    a.block(at, at, part.rows(), part.cols()) = part;
    at += static_cast<Index>(part.rows());
  }
  return a;
}

/// A matrix with pairs of rows far up on the diagonal whose lower states are the lowest of all,
/// coupled to the rest by next to nothing.
inline HostMatrix far_pairs(Index rows, int pairs, double coupling, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<Index> any(0, rows - 1);
  HostMatrix a = HostMatrix::Zero(rows + 2 * pairs, rows + 2 * pairs);
  a.topLeftCorner(rows, rows) = ci_like(rows, 4, 0.05, engine);
  for (int p = 0; p < pairs; ++p) {
    const Index i = rows + 2 * p;
    a(i, i) = a(i + 1, i + 1) = 500.0;
    a(i, i + 1) = a(i + 1, i) = 505.0;
    const Index j = any(engine);
    a(i, j) = a(j, i) = coupling;
  }
  return a;
}

/// Copies of one block, mixed among themselves by a rotation (Q ⊗ 1) and coupled by next to
/// nothing: every level has as many copies, and each row touches all of them.
inline HostMatrix mixed_copies(Index rows, int copies, double coupling, unsigned seed) {
  std::mt19937 engine(seed);
  const HostMatrix block = ci_like(rows, 6, 0.2, engine);
  const HostMatrix q = random_rotation(copies, engine);
  // A diagonal that is not a multiple of the unit matrix does not commute with Q: the copies differ
  // by the coupling.
  HostVector shifts(copies);
  for (int c = 0; c < copies; ++c) shifts[c] = coupling * c;
  const HostMatrix mixing = q * shifts.asDiagonal() * q.transpose();
  HostMatrix a = HostMatrix::Zero(rows * copies, rows * copies);
  for (int c = 0; c < copies; ++c) {
    for (int d = 0; d < copies; ++d) {
      if (c == d) a.block(c * rows, d * rows, rows, rows) = block;
      a.block(c * rows, d * rows, rows, rows).diagonal().array() += mixing(c, d);
    }
  }
  return a;
}

/// Restricted integrals over the orbitals that are the columns of Q, of either spin. Two different
/// Q make unrestricted ones, of the same energies in full CI.
inline Integrals transformed(const Integrals& of, const std::array<HostMatrix, 2>& q) {
  const int n = of.orbitals;
  Integrals result = of;
  result.orbital_irreps = {};
  result.orbital_energies = {};
  result.unrestricted = q[alpha] != q[beta];
  const auto one_electron = [&](const HostMatrix& u) {
    HostMatrix h(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) h(i, j) = (*of.one_electron[alpha])(i, j);
    }
    h = (u.transpose() * h * u).eval();
    auto made = std::make_shared<OneElectron>(n);
    for (int p = 0; p < n; ++p) {
      for (int r = 0; r <= p; ++r) made->set(p, r, h(p, r));
    }
    return made;
  };
  // (pq|rs) as a matrix of n² × n², whose pairs Q ⊗ Q transforms from either side.
  HostMatrix g(n * n, n * n);
  for (int p = 0; p < n; ++p) {
    for (int r = 0; r < n; ++r) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) g(p * n + r, i * n + j) = (*of.alpha_alpha)(p, r, i, j);
      }
    }
  }
  const auto pairs = [&](const HostMatrix& u) {
    HostMatrix made(n * n, n * n);
    for (int p = 0; p < n; ++p) {
      for (int r = 0; r < n; ++r) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) made(p * n + r, i * n + j) = u(p, i) * u(r, j);
        }
      }
    }
    return made;
  };
  const auto two_electron = [&](const HostMatrix& u, const HostMatrix& v) {
    const HostMatrix turned = pairs(u).transpose() * g * pairs(v);
    auto made = std::make_shared<TwoElectron>(n);
    for (int p = 0; p < n; ++p) {
      for (int r = 0; r <= p; ++r) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j <= i; ++j)
            made->row(pair_index(p, r))[pair_index(i, j)] = turned(p * n + r, i * n + j);
        }
      }
    }
    return made;
  };
  result.one_electron[alpha] = one_electron(q[alpha]);
  result.alpha_alpha = two_electron(q[alpha], q[alpha]);
  result.one_electron[beta] = result.one_electron[alpha];
  result.alpha_beta = result.beta_beta = result.alpha_alpha;
  if (result.unrestricted) {
    result.one_electron[beta] = one_electron(q[beta]);
    result.alpha_beta = two_electron(q[alpha], q[beta]);
    result.beta_beta = two_electron(q[beta], q[beta]);
  }
  return result;
}

/// The integrals over orbitals that are mixed at random: spatial symmetry is there, unseen.
inline Integrals rotated(const Integrals& of, unsigned seed) {
  std::mt19937 engine(seed);
  const HostMatrix q = random_rotation(of.orbitals, engine);
  return transformed(of, {q, q});
}

/// The full-CI matrix of integrals.
inline CsrMatrix full_ci(const Integrals& integrals) {
  const CiSpace space = make_ci_space(integrals, {});
  const CiMatrixBuilder builder(integrals, space);
  return builder.fill(builder.count());
}

}  // namespace hard
}  // namespace cisolve::testing
