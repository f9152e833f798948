#pragma once

#include "hamiltonian/matrix/cuda/row_lanes.cuh"
#include "hamiltonian/select/cuda/device_expansion.cuh"

// A warp meets the excitations of a determinant whose element times |c| is above epsilon. Single
// ones are shared out by (p, r), an electron's orbital and an empty one; each lane sums its element
// in the order of the host, so that importances are the same bit for bit. Of double ones a lane
// takes a pair of electrons and finds by bisection how many of its targets, which fall in
// magnitude, are above the bound: slots, of which every lane then takes one (row_lanes.cuh).

namespace cisolve::excitation_walk {

using namespace row_lanes;

/// HeatBath::Lists in device memory.
struct Targets {
  const std::uint64_t* begin;
  const HeatBath::Target* targets;
};

/// Integrals, targets and bound of the excitations of all determinants.
struct Tables {
  DeviceIntegrals integrals;
  Targets same[2], mixed;
  int electrons[2];
  double epsilon;
};

/// Orbitals of a string: those with electrons, then the others, ascending. A warp writes them.
template <int Words>
__device__ void list_orbitals(const BasicOrbitalString<Words>& s, int orbitals,
                              std::uint8_t* list) {
  const int electrons = s.count();
  for (int p = lane_id(); p < orbitals; p += warp) {
    const int before = s.below(p).count();
    list[s.has(p) ? before : electrons + p - before] = static_cast<std::uint8_t>(p);
  }
}

template <int Words, class Found>
struct Walk {
  using String = BasicOrbitalString<Words>;

  const Tables& t;
  const String* strings;                ///< alpha, beta
  const std::uint8_t* const* orbitals;  ///< list_orbitals of both
  double c;                             ///< the largest magnitude of the states
  Found& found;                         ///< (alpha string, beta string, importance)

  __device__ void operator()() const {
    singles(alpha);
    singles(beta);
    doubles();
  }

 private:
  __device__ void found_with(int spin, const String& s, double importance) const {
    if (spin == alpha) {
      found(s, strings[beta], importance);
    } else {
      found(strings[alpha], s, importance);
    }
  }

  /// Magnitude of the element of a single excitation p → r.
  __device__ double single(int spin, int p, int r) const {
    const DeviceIntegrals& ints = t.integrals;
    const int pr = pair_index(p, r);
    double value = ints.h[spin][pr];
    for (int e = 0; e < t.electrons[spin]; ++e) {
      const int i = orbitals[spin][e];
      if (i != p) value += ints.coulomb(spin, r, p, i, i) - ints.coulomb(spin, r, i, i, p);
    }
    for (int e = 0; e < t.electrons[1 - spin]; ++e) {
      const int jj = pair_index(orbitals[1 - spin][e], orbitals[1 - spin][e]);
      value += spin == alpha ? ints.mixed_row(pr)[jj] : ints.mixed_row(jj)[pr];
    }
    return fabs(value);
  }
  __device__ void singles(int spin) const {
    const int n = t.electrons[spin], u = t.integrals.orbitals - n;
    for (int k = lane_id(); k < n * u; k += warp) {
      const int p = orbitals[spin][k / u], r = orbitals[spin][n + k % u];
      const double importance = single(spin, p, r) * c;
      if (importance > t.epsilon) {
        found_with(spin, strings[spin].without(p).with(r), importance);
      }
    }
  }

  /// Electrons in p and q, of alpha, beta, or (kind 2) one of each; their targets from `begin` on.
  struct Pair {
    std::uint64_t begin;
    std::uint8_t kind, p, q, unused[5];
  };
  __device__ Pair pair(int k) const {
    int i, j;
    for (int spin = 0; spin < 2; ++spin) {
      const int n = t.electrons[spin], pairs = n * (n - 1) / 2;
      if (k < pairs) {
        unpair(k, i, j);
        const std::uint8_t p = orbitals[spin][i], q = orbitals[spin][j];
        return {t.same[spin].begin[pair_below(p, q)], static_cast<std::uint8_t>(spin), p, q, {}};
      }
      k -= pairs;
    }
    const std::uint8_t p = orbitals[alpha][k / t.electrons[beta]],
                       q = orbitals[beta][k % t.electrons[beta]];
    return {t.mixed.begin[p * t.integrals.orbitals + q], 2, p, q, {}};
  }
  __device__ static int pair_below(int p, int q) { return p * (p - 1) / 2 + q; }
  __device__ const Targets& targets(const Pair& pair) const {
    return pair.kind == 2 ? t.mixed : t.same[pair.kind];
  }
  /// Targets of a pair that are above the bound.
  __device__ int slots_of(const Pair& pair) const {
    const Targets& of = targets(pair);
    const int number =
        pair.kind == 2 ? pair.p * t.integrals.orbitals + pair.q : pair_below(pair.p, pair.q);
    int first = 0, count = static_cast<int>(of.begin[number + 1] - pair.begin);
    while (count > 0) {
      const int half = count / 2;
      if (of.targets[pair.begin + first + half].magnitude * c > t.epsilon) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return first;
  }
  __device__ void doubles() const {
    const int na = t.electrons[alpha], nb = t.electrons[beta];
    const int pairs = na * (na - 1) / 2 + nb * (nb - 1) / 2 + na * nb;
    for (int first = 0; first < pairs; first += warp) {
      Pair mine{};
      int size = 0;
      if (first + lane_id() < pairs) {
        mine = pair(first + lane_id());
        size = slots_of(mine);
      }
      const int end = inclusive_sum(size), slots = __shfl_sync(all_lanes, end, warp - 1);
      for (int step = 0; step < slots; step += warp) {
        const int slot = step + lane_id();
        const int owner = last_lane_up_to(slot, end - size);
        const Pair its = from_lane(mine, owner);
        const int place = slot - __shfl_sync(all_lanes, end - size, owner);
        if (slot < slots) take(its, targets(its).targets[its.begin + place]);
        __syncwarp();
      }
    }
  }
  __device__ void take(const Pair& pair, const HeatBath::Target& target) const {
    const int first = pair.kind == beta ? beta : alpha, second = pair.kind == alpha ? alpha : beta;
    if (strings[first].has(target.r) || strings[second].has(target.s)) return;
    const double importance = target.magnitude * c;
    if (pair.kind == 2) {
      found(strings[alpha].without(pair.p).with(target.r),
            strings[beta].without(pair.q).with(target.s), importance);
    } else {
      found_with(first,
                 strings[first].without(pair.p).without(pair.q).with(target.r).with(target.s),
                 importance);
    }
  }
};

}  // namespace cisolve::excitation_walk
