#pragma once

#include <cstdint>

#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/matrix/cuda/list_groups_cuda.hpp"
#include "hamiltonian/matrix/cuda/row_lanes.cuh"

// A warp makes a row of the matrix over a list. For every kind of remainders its lanes take the
// row's, 32 at a time, a lane each; the determinants of their groups are the slots (row_lanes.cuh).
// The electrons that the remainder lacks, of a slot and of the row, give orbitals and signs.
// Strings are read only for the sums of a single excitation. A single excitation is met once for
// every electron of the other spin, and taken with the lowest. If there are none, single
// excitations have remainders of their own. Columns are sorted afterwards.
//
// Values are the host's bit for bit: sums run in the order of ListElements, and signs are exact.

namespace cisolve::list_groups {

/// The electrons that remainder k of a determinant (a, b) lacks.
__device__ inline Taken taken_by(const Sides& sides, Index a, Index b, int k) {
  const Side &of_alpha = sides.alpha, &of_beta = sides.beta;
  const int e = k / of_beta.each, f = k % of_beta.each;
  if (of_beta.remainders == nullptr) return of_alpha.taken[std::int64_t{a} * of_alpha.each + e];
  const Taken from_b = of_beta.taken[std::int64_t{b} * of_beta.each + f];
  if (of_alpha.remainders == nullptr) return from_b;
  const Taken from_a = of_alpha.taken[std::int64_t{a} * of_alpha.each + e];
  return {from_a.first, from_b.first, static_cast<std::uint8_t>(from_a.odd ^ from_b.odd)};
}

/// Groups of a kind in device memory.
struct Kind {
  Sides sides;
  const Index* group_of;
  const std::uint32_t* begin;
  const std::uint32_t* members;
};

/// Integrals of one spin: h_pq by pair, (pq|rs) pairs × pairs.
struct Integrals1 {
  const double* h;
  const double* g;
};

/// Tables for rows, in device memory.
struct Tables {
  double core_energy;
  int pairs;  ///< of orbitals
  OrbitalPairs pair;
  int electrons[2];
  const Index* string_of[2];        ///< of every row
  const std::uint8_t* occupied[2];  ///< orbitals of every string, ascending
  const double* energies[2];        ///< of every string's electrons among themselves
  Integrals1 of_spin[2];
  const double* mixed;  ///< (αα|ββ)
  Kind two_spins, two_of[2];
  Kind single[2];  ///< of the spin that alone has electrons

  __device__ const std::uint8_t* orbitals(int spin, Index string) const {
    return occupied[spin] + std::int64_t{string} * electrons[spin];
  }
  __device__ const double* mixed_row(int pair) const { return mixed + std::size_t(pair) * pairs; }
};

/// (pq|rs), read at the larger pair first.
__device__ inline double coulomb(const Tables& t, const double* g, int p, int q, int r, int s) {
  const int pq = t.pair(p, q), rs = t.pair(r, s);
  return g[std::size_t(max(pq, rs)) * t.pairs + min(pq, rs)];
}

__device__ inline double signed_value(int odd, double value) {
  return odd != 0 ? -value : value;
}

/// A row (a, b) in the making.
template <class Sink>
struct Row {
  const Tables& t;
  Index row, a, b;
  Sink& sink;

  /// Adds value(own, other) of the other determinants of the row's groups of a kind; `own` and
  /// `other`: what they have beside the remainder.
  template <class Value>
  __device__ void add_kind(const Kind& kind, Value value) const {
    using namespace row_lanes;
    const int each = kind.sides.each();
    for (int first = 0; first < each; first += warp) {
      const int k = first + lane_id();
      std::uint32_t begin = 0;
      int size = 0;
      Taken mine{};
      if (k < each) {
        const Index group = kind.group_of[std::int64_t{row} * each + k];
        if (group >= 0) {
          begin = kind.begin[group];
          size = static_cast<int>(kind.begin[group + 1] - begin);
          mine = taken_by(kind.sides, a, b, k);
        }
      }
      const int end = inclusive_sum(size), slots = __shfl_sync(all_lanes, end, warp - 1);
      for (int step = 0; step < slots; step += warp) {
        const int slot = step + lane_id();
        const int owner = last_lane_up_to(slot, end - size);
        const Taken own = from_lane(mine, owner);
        const std::uint32_t from = __shfl_sync(all_lanes, begin, owner);
        const int place = slot - __shfl_sync(all_lanes, end - size, owner);
        row_lanes::Entry found{0, 0.0};
        if (slot < slots) {
          const std::uint32_t member = kind.members[from + place];
          const auto other = static_cast<Index>(member / each);
          if (other != row) found = {other, value(own, taken_of(kind, other, member % each))};
        }
        sink.add(found.value != 0.0, found);
      }
    }
  }

  __device__ Taken taken_of(const Kind& kind, Index other, std::uint32_t k) const {
    return taken_by(kind.sides, t.string_of[0][other], t.string_of[1][other], static_cast<int>(k));
  }

  /// An alpha electron goes from q to p, a beta electron from s to r: (pq|rs) with both signs. One
  /// of them may stay: `first` and `second` are those of alpha and beta.
  __device__ void two_spins() const {
    const int lowest_alpha = t.electrons[0] > 0 ? t.orbitals(0, a)[0] : -1;
    const int lowest_beta = t.electrons[1] > 0 ? t.orbitals(1, b)[0] : -1;
    add_kind(t.two_spins, [&](const Taken& own, const Taken& other) {
      const int odd = own.odd ^ other.odd;
      const bool alpha_stays = own.first == other.first, beta_stays = own.second == other.second;
      if (alpha_stays) {
        return own.first == lowest_alpha ? single(1, own.second, other.second, odd) : 0.0;
      }
      if (beta_stays) {
        return own.second == lowest_beta ? single(0, own.first, other.first, odd) : 0.0;
      }
      return signed_value(
          odd, t.mixed_row(t.pair(own.first, other.first))[t.pair(own.second, other.second)]);
    });
  }
  /// One electron goes from q to p: h_pq + Σ_i [(pq|ii) − (pi|iq)] over what else the string has,
  /// and Σ_j (pq|jj) over the other spin's.
  __device__ double single(int spin, int q, int p, int odd) const {
    const std::uint8_t* const own_orbitals = t.orbitals(spin, spin == 0 ? a : b);
    const std::uint8_t* const others = t.orbitals(1 - spin, spin == 0 ? b : a);
    const auto [h, g] = t.of_spin[spin];
    const int pq = t.pair(p, q);
    double value = h[pq];
    for (int e = 0; e < t.electrons[spin]; ++e) {
      const int i = own_orbitals[e];
      if (i != q) value += coulomb(t, g, p, q, i, i) - coulomb(t, g, p, i, i, q);
    }
    double field = 0.0;
    for (int e = 0; e < t.electrons[1 - spin]; ++e) {
      const int jj = t.pair(others[e], others[e]);
      field += spin == 0 ? t.mixed_row(pq)[jj] : t.mixed_row(jj)[pq];
    }
    return signed_value(odd, value) + signed_value(odd, field);
  }
  /// Single excitations if the other spin has no electrons.
  __device__ void singles(int spin) const {
    add_kind(t.single[spin], [&](const Taken& own, const Taken& other) {
      return single(spin, own.first, other.first, own.odd ^ other.odd);
    });
  }
  /// Two electrons go from r < s to p < q: (pr|qs) − (ps|qr).
  __device__ void two_of(int spin) const {
    const double* const g = t.of_spin[spin].g;
    add_kind(t.two_of[spin], [&](const Taken& own, const Taken& other) {
      const int r = own.first, s = own.second, p = other.first, q = other.second;
      if (p == r || p == s || q == r || q == s) return 0.0;
      return signed_value(own.odd ^ other.odd,
                          coulomb(t, g, p, r, q, s) - coulomb(t, g, p, s, q, r));
    });
  }
};

/// The diagonal: E_core + E_a + E_b + Σ_{j in b} Σ_{i in a} (ii|jj).
__device__ inline double diagonal_element(const Tables& t, Index a, Index b) {
  const std::uint8_t *alphas = t.orbitals(0, a), *betas = t.orbitals(1, b);
  double energy = t.core_energy + (t.energies[0][a] + t.energies[1][b]);
  for (int f = 0; f < t.electrons[1]; ++f) {
    const int jj = t.pair(betas[f], betas[f]);
    double field = 0.0;
    for (int e = 0; e < t.electrons[0]; ++e) {
      field += t.mixed_row(t.pair(alphas[e], alphas[e]))[jj];
    }
    energy += field;
  }
  return energy;
}

}  // namespace cisolve::list_groups
