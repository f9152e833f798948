#pragma once

#include "hamiltonian/direct/cuda/mixed_memory_cuda.cuh"

/// G of 16 pairs, of rows of c in shared memory and of V in registers.
namespace cisolve::mixed_product {

/// Rows of c that make G of one alpha string and the pairs of an irrep: from one on, as many as are
/// multiplied at once.
struct Rows {
  const PairLink* list;
  int own;  ///< 1: c of the string itself comes before those of its excitations
  int first, size;
  __device__ Rows(const Problem& p, const Part& part, Index alpha, int first, int most)
      : own(part.identity ? 1 : 0), first(first) {
    const Offset* const begin = p.links_begin + Offset{alpha} * most_irreps + part.irrep;
    list = p.links + begin[0];
    all_ = static_cast<int>(begin[1] - begin[0]) + own;
    size = max(0, min(most, all_ - first));
  }
  __device__ bool more() const { return first + size < all_; }

 private:
  int all_;
};

/// V_0t + Σ_p V_pp,t over the orbitals of the string: what c of the string itself adds to G_t.
__device__ inline double weight_of_itself(const Part& part, OrbitalString64 string, int t) {
  double sum = part.v[t];
  for (const int p : string) sum += part.v[(1 + p) * std::int64_t{part.all_pairs} + t];
  return sum;
}

template <int KS>
class Multiplier {
 public:
  /// `own`: weights of the row of the string itself, of the pairs of a tile.
  __device__ Multiplier(const Part& part, const Rows& rows, const double* own, const Share& share)
      : size_(rows.size) {
    const int lane = threadIdx.x % 32, g = lane / 4, t4 = lane % 4;
    const int place = share.step * step_pairs + g, t = place - part.first_step * step_pairs;
    for (int j = 0; j < 2; ++j) place_[j] = TargetTiles::place(place, 4 * t4 + j);
    const int left = share.halves > 0 ? part.pairs - t : 0;
    const double* const v = part.v + part.first_pair + t;
#pragma unroll
    for (int s = 0; s < KS; ++s) {
      v_[s][0] = v_[s][1] = 0.0;
      const int k = 4 * s + t4, u = rows.first + k - rows.own;
      if (k >= rows.size || left <= 0) continue;
      if (u < 0) {
        v_[s][0] = own[place];
        if (left > 8) v_[s][1] = own[place + 8];
      } else {
        const PairLink link = rows.list[u];
        const double* const of_u = v + link.pair * std::int64_t{part.all_pairs};
        v_[s][0] = link.sign * of_u[0];
        if (left > 8) v_[s][1] = link.sign * of_u[8];
      }
    }
  }

  /// G of half a tile, of its rows of c: sum[j] of the columns 2 n + j, n the instructions' own.
  __device__ void multiply(const double* c, double (&sum)[2][4]) const {
    const int lane = threadIdx.x % 32, g = lane / 4, t4 = lane % 4;
    const auto* const from = reinterpret_cast<const double2*>(c + place_of_c(t4, 2 * g));
    const int steps = (size_ + 3) / 4;
    const auto two_of = [&](int s) { return from[place_of_c(4 * s, 0) / 2]; };
#pragma unroll
    for (int s = 0; s + 1 < KS; s += 2) {
      if (s % 4 == 0 && s >= steps) return;
      const double2 first = two_of(s), second = two_of(s + 1);
      multiply_add(sum[0], v_ + s, {first.x, second.x});
      multiply_add(sum[1], v_ + s, {first.y, second.y});
    }
    static_assert(KS % 2 == 1);
    if (KS - 1 >= steps) return;
    const double2 last = two_of(KS - 1);
    multiply_add(sum[0], v_[KS - 1][0], v_[KS - 1][1], last.x);
    multiply_add(sum[1], v_[KS - 1][0], v_[KS - 1][1], last.y);
  }

  __device__ void store(double* g_tile, int half, const double (&sum)[2][4]) const {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      double* const to = g_tile + place_[j] + half * half_columns;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        *reinterpret_cast<double2*>(to + 8 * i * columns) =
            make_double2(sum[j][2 * i], sum[j][2 * i + 1]);
      }
    }
  }

 private:
  int size_;
  int place_[2];  ///< of its first elements of G, of even and odd columns
  double v_[KS][2];
};

}  // namespace cisolve::mixed_product
