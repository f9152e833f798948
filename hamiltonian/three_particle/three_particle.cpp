#include "hamiltonian/three_particle/three_particle.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/memory.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/three_particle/removal_grams.hpp"

namespace cisolve {
namespace {

/// The part of a backend's free memory that the vectors V_c of a few c may take.
constexpr double part_of_memory = 0.25;

/// Orbitals in ascending order as a number of operators, with the sign of the permutation; 0 where
/// two are equal.
struct Ordered {
  Index number;
  int sign;
};

/// … a_q a_p of the orbitals as they come, p first, is ± the operator of the set.
Ordered pair(int p, int q) {
  if (p == q) return {0, 0};
  const int high = std::max(p, q), low = std::min(p, q);
  return {static_cast<Index>(high * (high - 1) / 2 + low), p < q ? 1 : -1};
}

Ordered triple(int p, int q, int s) {
  if (p == q || q == s || p == s) return {0, 0};
  std::array<int, 3> o{p, q, s};
  int sign = 1;
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {0, 1}}) {
    if (o[i] > o[j]) {
      std::swap(o[i], o[j]);
      sign = -sign;
    }
  }
  return {static_cast<Index>(binomial(o[0], 1) + binomial(o[1], 2) + binomial(o[2], 3)), sign};
}

/// x with the strings of one spin as rows, on a backend, and what takes electrons away from it.
class Oriented {
 public:
  Oriented(int orbitals, int own, int other, Backend& backend)
      : one_(StringRemovals(orbitals, own, 1), backend),
        two_(StringRemovals(orbitals, own, 2), backend),
        three_(StringRemovals(orbitals, own, 3), backend),
        one_of_fewer_(StringRemovals(orbitals, own - 1, 1), backend),
        two_of_fewer_(StringRemovals(orbitals, own - 1, 2), backend),
        other_(StringRemovals(orbitals, other, 1), backend),
        strings_(AllStrings(orbitals, own).size()),
        columns_(AllStrings(orbitals, other).size()),
        grams_(make_removal_grams(orbitals, own, other, backend)),
        x_(backend, std::size_t(strings_) * columns_) {}

  double* x() { return x_.data(); }
  const double* x() const { return x_.data(); }
  Index strings() const { return strings_; }
  Index columns() const { return columns_; }
  const RemovalGrams& grams() const { return *grams_; }
  /// Strings of an electron fewer, and elements of a matrix of these.
  Index fewer() const { return one_.targets; }
  Offset fewer_size() const { return Offset{one_.targets} * columns_; }

  RemovedVectors two_one() const { return {x_.data(), 1, columns_, &two_, &other_}; }
  RemovedVectors three() const { return {x_.data(), 1, columns_, &three_}; }
  /// V_c x, an electron of these strings fewer, less one more and one of the others; less two more.
  RemovedVectors one_one_of(const double* v, int count) const {
    return {v, count, columns_, &one_of_fewer_, &other_};
  }
  RemovedVectors two_of(const double* v, int count) const {
    return {v, count, columns_, &two_of_fewer_};
  }
  /// V_c x, an electron of the columns fewer, strings × fewer columns, less two of the strings'.
  RemovedVectors two_beside(const double* v, int count) const {
    return {v, count, other_.targets, &two_};
  }

 private:
  RemovalTables one_, two_, three_, one_of_fewer_, two_of_fewer_;
  OrbitalRemovals other_;
  Index strings_, columns_;
  std::unique_ptr<RemovalGrams> grams_;
  Buffer<double> x_;
};

/// x by alpha strings and by beta strings.
std::array<Oriented, 2> oriented(const StringMatrix& x, Backend& backend) {
  const auto [a, b] = x.electrons;
  std::array<Oriented, 2> of{Oriented(x.orbitals, a, b, backend),
                             Oriented(x.orbitals, b, a, backend)};
  backend.upload_bytes(x.elements.data(), of[0].x(), x.elements.size() * sizeof(double));
  of[0].grams().transpose(of[0].x(), of[0].strings(), of[0].columns(), of[1].x());
  return of;
}

/// sum += g, of the first one its size.
void add_to(HostMatrix& sum, const HostMatrix& g) {
  if (sum.size() == 0) sum = HostMatrix::Zero(g.rows(), g.cols());
  sum += g;
}

/// Columns of `more` behind those of `all`.
void append_columns(HostMatrix& all, const HostMatrix& more) {
  const Eigen::Index before = all.cols();
  all.conservativeResize(more.rows(), before + more.cols());
  all.rightCols(more.cols()) = more;
}

/// (ce|df) at row c m + e, pair d ≥ f.
HostMatrix packed_pairs(const HostMatrix& integrals, int m) {
  HostMatrix packed(integrals.rows(), m * (m + 1) / 2);
  for (int d = 0; d < m; ++d) {
    for (int f = 0; f <= d; ++f) packed.col(d * (d + 1) / 2 + f) = integrals.col(d * m + f);
  }
  return packed;
}

/// ± G(u, t), the sign of both.
double signed_element(const HostMatrix& g, const Ordered& u, const Ordered& t) {
  const int sign = u.sign * t.sign;
  return sign == 0 ? 0.0 : sign * g(u.number, t.number);
}

/// Three indices as one.
Eigen::Index index(int m, int i, int j, int k) {
  return (Eigen::Index{i} * m + j) * m + k;
}

/// An m³ × m³ matrix whose element (i j k, l m n) is of(i, j, k, l, m, n).
template <class F>
HostMatrix of_six(int m, F&& of) {
  const Eigen::Index size = index(m, m, 0, 0);
  HostMatrix made(size, size);
#pragma omp parallel for schedule(static) if (worth_threads(static_cast <double>(size) * size))
  for (Eigen::Index row = 0; row < size; ++row) {
    const auto i = static_cast<int>(row / m / m), j = static_cast<int>(row / m % m),
               k = static_cast<int>(row % m);
    for (Eigen::Index column = 0; column < size; ++column) {
      made(row, column) = of(i, j, k, static_cast<int>(column / m / m),
                             static_cast<int>(column / m % m), static_cast<int>(column % m));
    }
  }
  return made;
}

/// Throws ResourceError without host memory for so many matrices of six indices, the caller's copy
/// among them, and where the backend is the host for x in both orientations.
void require_room(const StringMatrix& x, double matrices, const Backend& backend) {
  const double vectors =
      backend.in_host_memory() ? 2.0 * static_cast<double>(x.elements.size()) : 0;
  require_host_memory((matrices * std::pow(x.orbitals, 6) + vectors) * sizeof(double),
                      "three-particle densities");
}

}  // namespace

HostMatrix three_particle_density(const StringMatrix& x, Backend& backend) {
  const int m = x.orbitals;
  require_room(x, 2.0, backend);
  // Two electrons of one spin and one of the other; three of one.
  HostMatrix two_one, three;
  for (const Oriented& of : oriented(x, backend)) {
    const RemovedVectors mixed = of.two_one(), same = of.three();
    add_to(two_one, of.grams().gram(mixed, mixed));
    add_to(three, of.grams().gram(same, same));
  }
  const auto other = [&](Ordered two, int one) -> Ordered {
    return {two.number * m + one, two.sign};
  };
  return of_six(m, [&](int i, int j, int k, int l, int o, int n) {
    return signed_element(two_one, other(pair(i, j), k), other(pair(l, o), n)) +
           signed_element(two_one, other(pair(i, k), j), other(pair(l, n), o)) +
           signed_element(two_one, other(pair(j, k), i), other(pair(o, n), l)) +
           signed_element(three, triple(i, j, k), triple(l, o, n));
  });
}

HostMatrix contracted_four_particle_density(const StringMatrix& x, const HostMatrix& integrals,
                                            Backend& backend) {
  const int m = x.orbitals;
  require_room(x, 3.0, backend);
  const std::array<Oriented, 2> of = oriented(x, backend);
  const HostMatrix packed = packed_pairs(integrals, m);
  const int pairs = m * (m - 1) / 2;
  // V_c of the spin that has one electron taken, of that which has two, of that which has three.
  HostMatrix beside, among, alone;
  const std::int64_t largest = std::max({of[0].fewer_size(), of[1].fewer_size(), std::int64_t{1}});
  const double of_one = 4.0 * sizeof(double) * static_cast<double>(largest);
  if (backend.in_host_memory()) require_host_memory(of_one, "vectors with an electron taken away");
  const auto together = static_cast<int>(std::clamp(
      part_of_memory * static_cast<double>(backend.free_memory()) / of_one, 1.0, 1.0 * m));
  std::array<Buffer<double>, 2> v, transposed;
  for (const int spin : {0, 1}) {
    v[spin] = Buffer<double>(backend, together * of[spin].fewer_size());
    transposed[spin] = Buffer<double>(backend, together * of[spin].fewer_size());
  }
  for (int first = 0; first < m; first += together) {
    const int count = std::min(together, m - first);
    for (const int spin : {0, 1}) {
      of[spin].grams().contract(of[spin].x(), packed, first, count, v[spin].data());
      for (int c = 0; c < count; ++c) {
        const Offset at = c * of[spin].fewer_size();
        of[spin].grams().transpose(v[spin].data() + at, of[spin].fewer(), of[spin].columns(),
                                   transposed[spin].data() + at);
      }
    }
    HostMatrix x1, x2, x3;
    for (const int spin : {0, 1}) {
      const RemovalGrams& grams = of[spin].grams();
      const double* const own = v[spin].data();
      add_to(x1, grams.gram(of[spin].two_one(),
                            of[spin].two_beside(transposed[1 - spin].data(), count)));
      add_to(x2, grams.gram(of[spin].two_one(), of[spin].one_one_of(own, count)));
      add_to(x3, grams.gram(of[spin].three(), of[spin].two_of(own, count)));
    }
    append_columns(beside, x1);
    append_columns(among, x2);
    append_columns(alone, x3);
  }
  const auto other = [&](Ordered two, int one) -> Ordered {
    return {two.number * m + one, two.sign};
  };
  return of_six(m, [&](int i, int j, int k, int l, int o, int c) {
    const Ordered two = pair(o, l), both{c * pairs + two.number, two.sign};
    return signed_element(beside, other(pair(i, j), k), both) +
           signed_element(among, other(pair(i, k), j), {(c * m + l) * m + o, 1}) +
           signed_element(among, other(pair(j, k), i), {(c * m + o) * m + l, 1}) +
           signed_element(alone, triple(i, j, k), both);
  });
}

}  // namespace cisolve
