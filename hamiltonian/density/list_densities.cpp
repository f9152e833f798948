#include "hamiltonian/density/list_densities.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

using Unit = ListPairs::Unit;

constexpr Spin other_of(Spin spin) {
  return spin == alpha ? beta : alpha;
}

/// The vectors whose products are summed: of a pair x, y both ⟨x|…|y⟩ and ⟨y|…|x⟩.
struct Vectors {
  const HostVector &bra, &ket;

  /// Product of coefficients for an excitation to x from y.
  double product(Index x, Index y) const { return bra[x] * ket[y]; }
};

/// Sums of γ; p q as element (p, q).
struct OneSums {
  OneSums(const ListPairs& pairs, const Vectors& of)
      : vectors(of), m(pairs.space().alpha.orbitals), pairs_(pairs) {
    for (HostMatrix& spin : one) spin = HostMatrix::Zero(m, m);
  }

  /// Element γ_pq of a†_q a_p, p being occupied in y alone, q in x alone.
  void add_unit(const Unit& unit, ListPairs::Scratch& scratch) {
    if (unit.kind == ListPairs::Kind::mixed) return;
    const Spin spin = unit.kind == ListPairs::Kind::of_alpha ? alpha : beta;
    pairs_.visit_singles(spin, unit, scratch, [&](const auto& x, const auto& y) {
      const int in_x = x.taken.first, in_y = y.taken.first;
      const double sign = (x.taken.odd ^ y.taken.odd) != 0 ? -1.0 : 1.0;
      one[spin](in_y, in_x) += sign * vectors.product(x.row, y.row);
      one[spin](in_x, in_y) += sign * vectors.product(y.row, x.row);
    });
  }
  void add_row(Index row, const OrbitalString& a, const OrbitalString& b) {
    const double weight = vectors.product(row, row);
    for (const int p : a) one[alpha](p, p) += weight;
    for (const int p : b) one[beta](p, p) += weight;
  }
  void add(const OneSums& other) {
    for (const Spin spin : {alpha, beta}) one[spin] += other.one[spin];
  }

  Vectors vectors;
  int m;
  OneDensities one;

 private:
  const ListPairs& pairs_;
};

/// Sums of Γ, beside those of γ.
struct TwoSums {
  TwoSums(const ListPairs& pairs, const Vectors& of) : one(pairs, of), pairs_(pairs), m_(one.m) {
    for (HostMatrix* two : {&alpha_alpha, &alpha_beta, &beta_beta}) {
      *two = HostMatrix::Zero(m_ * m_, m_ * m_);
    }
  }

  void add_unit(const Unit& unit, ListPairs::Scratch& scratch) {
    one.add_unit(unit, scratch);
    if (unit.kind == ListPairs::Kind::mixed) {
      pairs_.visit_mixed(unit, scratch, [&](const auto& x, const auto& y) { add_mixed(x, y); });
      return;
    }
    const Spin spin = unit.kind == ListPairs::Kind::of_alpha ? alpha : beta;
    pairs_.visit_singles(spin, unit, scratch, [&](const auto& x, const auto& y) {
      add_single(spin, unit.number, x, y);
    });
    pairs_.visit_doubles(spin, unit, scratch,
                         [&](const auto& x, const auto& y) { add_double(spin, x, y); });
  }
  void add_row(Index row, const OrbitalString& a, const OrbitalString& b) {
    one.add_row(row, a, b);
    const double weight = one.vectors.product(row, row);
    for (const int p : a) {
      for (const int r : b) alpha_beta(pair(p, p), pair(r, r)) += weight;
    }
    for (const Spin spin : {alpha, beta}) {
      for (const int p : spin == alpha ? a : b) {
        for (const int r : (spin == alpha ? a : b).without(p)) {
          of(spin)(pair(p, p), pair(r, r)) += weight;
          of(spin)(pair(p, r), pair(r, p)) -= weight;
        }
      }
    }
  }
  void add(const TwoSums& other) {
    one.add(other.one);
    alpha_alpha += other.alpha_alpha;
    alpha_beta += other.alpha_beta;
    beta_beta += other.beta_beta;
  }

  OneSums one;
  HostMatrix alpha_alpha, alpha_beta, beta_beta;

 private:
  int pair(int p, int q) const { return p * m_ + q; }
  HostMatrix& of(Spin spin) { return spin == alpha ? alpha_alpha : beta_beta; }
  static double sign_of(int odd) { return odd != 0 ? -1.0 : 1.0; }

  /// Γ_pq,rs with p r from x, q s from y, and the other way round.
  void add_mixed(const ListPairs::Mixed& x, const ListPairs::Mixed& y) {
    const double sign = sign_of(x.odd ^ y.odd);
    alpha_beta(pair(x.alpha, y.alpha), pair(x.beta, y.beta)) +=
        sign * one.vectors.product(x.row, y.row);
    alpha_beta(pair(y.alpha, x.alpha), pair(y.beta, x.beta)) +=
        sign * one.vectors.product(y.row, x.row);
  }
  /// An electron from q in y to p in x beside what both have.
  void add_single(Spin spin, Index other, const ListPairs::OfSpin& x, const ListPairs::OfSpin& y) {
    const ListedSpace& space = pairs_.space();
    const int p = x.taken.first, q = y.taken.first;
    const double sign = sign_of(x.taken.odd ^ y.taken.odd);
    const double to_x = sign * one.vectors.product(x.row, y.row),
                 to_y = sign * one.vectors.product(y.row, x.row);
    const OrbitalString common =
        (spin == alpha ? space.alpha : space.beta).strings[x.string].without(p);
    for (const int i : common) {
      add_both(of(spin), pair(p, q), pair(i, i), to_x);
      add_both(of(spin), pair(q, p), pair(i, i), to_y);
      add_both(of(spin), pair(p, i), pair(i, q), -to_x);
      add_both(of(spin), pair(q, i), pair(i, p), -to_y);
    }
    const auto& others = (spin == alpha ? space.beta : space.alpha).strings[other];
    for (const int j : others) {
      const auto add = [&](int pq, double value) {
        if (spin == alpha) {
          alpha_beta(pq, pair(j, j)) += value;
        } else {
          alpha_beta(pair(j, j), pq) += value;
        }
      };
      add(pair(p, q), to_x);
      add(pair(q, p), to_y);
    }
  }
  /// Two electrons from r < s in y to p < q in x.
  void add_double(Spin spin, const ListPairs::OfSpin& x, const ListPairs::OfSpin& y) {
    const int p = x.taken.first, q = x.taken.second, r = y.taken.first, s = y.taken.second;
    const double sign = sign_of(x.taken.odd ^ y.taken.odd);
    const double to_x = sign * one.vectors.product(x.row, y.row),
                 to_y = sign * one.vectors.product(y.row, x.row);
    add_both(of(spin), pair(p, r), pair(q, s), to_x);
    add_both(of(spin), pair(p, s), pair(q, r), -to_x);
    add_both(of(spin), pair(r, p), pair(s, q), to_y);
    add_both(of(spin), pair(s, p), pair(r, q), -to_y);
  }
  /// Γ_pq,rs = Γ_rs,pq of one spin.
  static void add_both(HostMatrix& two, int pq, int rs, double value) {
    two(pq, rs) += value;
    two(rs, pq) += value;
  }

  const ListPairs& pairs_;
  int m_;
};

/// Sums over all units and rows, in so many parts.
template <class Sums>
Sums summed(const ListPairs& pairs, const Vectors& vectors, std::size_t parts) {
  const auto& units = pairs.units();
  const ListedSpace& space = pairs.space();
  std::vector<Sums> of_parts;
  of_parts.reserve(parts);
  while (of_parts.size() < parts) of_parts.emplace_back(pairs, vectors);
  std::vector<ListPairs::Scratch> of_threads(omp_get_max_threads());
  FirstException exception;
#pragma omp parallel for if (worth_threads(100.0 * space.size())) schedule(dynamic, 1)
  for (std::size_t part = 0; part < parts; ++part) {
    exception.guard([&] {
      Sums& sums = of_parts[part];
      ListPairs::Scratch& scratch = of_threads[omp_get_thread_num()];
      // The largest units come first: every part has some of each size.
      for (std::size_t k = part; k < units.size(); k += parts) sums.add_unit(units[k], scratch);
      const auto rows = static_cast<std::size_t>(space.size());
      for (std::size_t row = rows * part / parts; row < rows * (part + 1) / parts; ++row) {
        const auto number = static_cast<Index>(row);
        sums.add_row(number, space.alpha.strings[pairs.alpha_of(number)],
                     space.beta.strings[space.beta_of(number)]);
      }
    });
  }
  exception.rethrow();
  for (std::size_t part = 1; part < parts; ++part) of_parts[0].add(of_parts[part]);
  return std::move(of_parts[0]);
}

}  // namespace

Densities list_densities(const ListPairs& pairs, const HostVector& bra, const HostVector& ket) {
  constexpr double most_bytes = 1e9, most_parts = 64.0;
  const double pair_count = std::pow(pairs.space().alpha.orbitals, 2);
  const double of_part = 3.0 * sizeof(double) * pair_count * pair_count;
  const auto parts = static_cast<std::size_t>(std::clamp(most_bytes / of_part, 1.0, most_parts));
  TwoSums sums = summed<TwoSums>(pairs, {bra, ket}, parts);
  return {std::move(sums.one.one), std::move(sums.alpha_alpha), std::move(sums.alpha_beta),
          std::move(sums.beta_beta)};
}

OneDensities list_one_densities(const ListPairs& pairs, const HostVector& bra,
                                const HostVector& ket) {
  constexpr std::size_t parts = 64;
  return summed<OneSums>(pairs, {bra, ket}, parts).one;
}

}  // namespace cisolve
