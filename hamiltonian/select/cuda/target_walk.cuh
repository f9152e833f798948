#pragma once

#include "hamiltonian/matrix/cuda/row_lanes.cuh"
#include "hamiltonian/select/beta_signs.hpp"
#include "hamiltonian/select/cuda/device_expansion.cuh"
#include "hamiltonian/select/cuda/sum_table.cuh"
#include "hamiltonian/select/target_strings.hpp"

// A thread block meets the ways to the determinants of one alpha string, as TargetSums does on the
// host. Its warps draw items of work: a listed determinant of the string itself, whose beta
// excitations the lanes share, or a link from another string, whose determinants they share.

namespace cisolve::target_sums {

using row_lanes::lane_id;

/// Tables that all blocks read.
template <int Words>
struct TargetTables {
  DeviceIntegrals integrals;
  DeviceList<Words> rows;
  const Index* begin;          ///< of the rows of every alpha string
  const double* coefficients;  ///< rows × k
  int k, beta_electrons;
  double scale;  ///< sums are integers times its inverse
};

template <int Words>
struct TargetWalk {
  using String = BasicOrbitalString<Words>;

  const TargetTables<Words>& t;
  const String& target;
  const double* field;  ///< Σ_{j in target} (jj|qs) by pair
  const SumTable<Words>& sums;

  __device__ void meet(const TargetLink& link) const {
    if (link.electrons == 1) {
      meet_single(link);
    } else {
      meet_double(link);
    }
  }

  /// The alpha string stays: single and double excitations of the row's beta string.
  __device__ void meet_own(Index row) const {
    const String& from = t.rows.string(beta, row);
    const String odd = parity_below(from), empty = from.empty_of(t.integrals.orbitals);
    const double* const c = coefficients(row);
    const int n = t.beta_electrons, u = t.integrals.orbitals - n;
    for (int i = lane_id(); i < n * u; i += warp) {
      const int q = orbital(from, i / u), s = orbital(empty, i % u);
      const String without = from.without(q);
      const double value = single_value(beta, without, s, q) + field[pair_index(s, q)];
      add(without.with(s), is_negative(odd, q, s), value, c);
    }
    const int pairs = u * (u - 1) / 2;
    for (const int q : from) {
      for (const int p : from.below(q)) {
        const String without = from.without(q).without(p);
        for (int i = lane_id(); i < pairs; i += warp) {
          int high, low;
          row_lanes::unpair(i, high, low);
          const int s = orbital(empty, high), r = orbital(empty, low);
          const double value = t.integrals.g[beta][index(pair_index(q, s), pair_index(p, r))] -
                               t.integrals.g[beta][index(pair_index(p, s), pair_index(q, r))];
          add(without.with(s).with(r), is_negative(odd, q, s, p, r), value, c);
        }
      }
    }
  }

  /// Energy of the target's determinant with this beta string, without the alpha electrons' own.
  __device__ double beta_energy(const String& s) const {
    double energy = 0.0;
    const DeviceIntegrals& ints = t.integrals;
    for (const int i : s) {
      energy += ints.h[beta][pair_index(i, i)] + field[pair_index(i, i)];
      for (const int j : s.below(i)) {
        energy += ints.coulomb(beta, i, i, j, j) - ints.coulomb(beta, i, j, j, i);
      }
    }
    return energy;
  }
  __device__ double alpha_energy() const {
    double energy = 0.0;
    const DeviceIntegrals& ints = t.integrals;
    for (const int j : target) {
      energy += ints.h[alpha][pair_index(j, j)];
      for (const int i : target.below(j)) {
        energy += ints.coulomb(alpha, i, i, j, j) - ints.coulomb(alpha, i, j, j, i);
      }
    }
    return energy;
  }

 private:
  __device__ std::size_t index(int pq, int rs) const {
    return std::size_t(pq) * t.integrals.pairs + rs;
  }
  __device__ const double* coefficients(Index row) const {
    return t.coefficients + std::int64_t{row} * t.k;
  }
  __device__ void add(const String& s, bool negative, double value, const double* c) const {
    if (value != 0.0) sums.add(s, t.scale * (negative ? -value : value), c);
  }
  /// The i-th orbital of a string.
  __device__ static int orbital(String s, int i) {
    for (; i > 0; --i) s = s.rest();
    return s.first();
  }
  __device__ double single_value(int spin, const String& common, int p, int q) const {
    double value = t.integrals.h[spin][pair_index(p, q)];
    for (const int i : common) {
      value += t.integrals.coulomb(spin, p, q, i, i) - t.integrals.coulomb(spin, p, i, i, q);
    }
    return value;
  }

  __device__ void meet_single(const TargetLink& link) const {
    const int p = link.from[0], r = link.to[0];
    const double* const v = t.integrals.mixed_row(pair_index(p, r));
    const double alone = single_value(alpha, target.without(r), r, p);
    const Index end = t.begin[link.source + 1];
    for (Index row = t.begin[link.source] + lane_id(); row < end; row += warp) {
      const String& from = t.rows.string(beta, row);
      const String odd = parity_below(from), empty = from.empty_of(t.integrals.orbitals);
      const double* const c = coefficients(row);
      double value = alone;
      for (const int j : from) value += v[pair_index(j, j)];
      add(from, link.sign < 0, value, c);
      for (const int q : from) {
        const String without = from.without(q);
        for (const int s : empty) {
          const double element = v[pair_index(q, s)];
          add(without.with(s), is_negative(odd, q, s) != (link.sign < 0), element, c);
        }
      }
    }
  }
  __device__ void meet_double(const TargetLink& link) const {
    const int r = link.to[0], s = link.to[1], p = link.from[0], q = link.from[1];
    const double value =
        t.integrals.coulomb(alpha, r, p, s, q) - t.integrals.coulomb(alpha, r, q, s, p);
    const Index end = t.begin[link.source + 1];
    for (Index row = t.begin[link.source] + lane_id(); row < end; row += warp) {
      add(t.rows.string(beta, row), link.sign < 0, value, coefficients(row));
    }
  }
};

}  // namespace cisolve::target_sums
