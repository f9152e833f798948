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
      : share_(share), size_(rows.size) {
    const int lane = threadIdx.x % 32, g = lane / 4, t4 = lane % 4;
    const int place = share.step * step_pairs + g, t = place - part.first_step * step_pairs;
    const int left = share.columns > 0 ? part.pairs - t : 0;
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

  /// G of columns [first, first + 8 N) of half a tile, of its rows of c.
  template <int N>
  __device__ void multiply(const double* c, int first, double (&sum)[N][4]) const {
    const int lane = threadIdx.x % 32, g = lane / 4, t4 = lane % 4;
    const double* from[N];
#pragma unroll
    for (int j = 0; j < N; ++j) from[j] = c + place_of_c(t4, first + 8 * j + g);
    const int steps = (size_ + 3) / 4;
#pragma unroll
    for (int s = 0; s < KS; ++s) {
      if (s % 4 == 0 && s >= steps) break;
#pragma unroll
      for (int j = 0; j < N; ++j) {
        multiply_add(sum[j], v_[s][0], v_[s][1], from[j][place_of_c(4 * s, 0)]);
      }
    }
  }

  template <int N>
  __device__ void store(double* g_tile, int first, const double (&sum)[N][4]) const {
    const int lane = threadIdx.x % 32, g = lane / 4, t4 = lane % 4;
#pragma unroll
    for (int j = 0; j < N; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int t = share_.step * step_pairs + 8 * half + g;
        *reinterpret_cast<double2*>(g_tile + TargetTiles::place(t, first + 8 * j + 2 * t4)) =
            make_double2(sum[j][2 * half], sum[j][2 * half + 1]);
      }
    }
  }

 private:
  Share share_;
  int size_;
  double v_[KS][2];
};

}  // namespace cisolve::mixed_product
