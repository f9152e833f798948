#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "backends/cuda/warp.cuh"
#include "core/mixed.hpp"
#include "hamiltonian/select/beta_signs.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

// BetaSums of a thread block in device memory: open addressing, keys entered by compare-and-swap,
// each word of its own. The sums are integers, in a unit that is chosen so that none overflows:
// they are the same bits whatever the order of threads.

namespace cisolve::target_sums {

/// A word of a key that is not there; no string of fewer than 64 electrons has it.
inline constexpr unsigned long long nobody = ~0ULL;

template <int Words>
struct SumTable {
  using String = BasicOrbitalString<Words>;

  unsigned long long* keys;       ///< Words a place
  unsigned long long* sums;       ///< k a place
  int k, bits;                    ///< of 2^bits places
  std::uint64_t number, classes;  ///< strings whose mixed hash leaves `number` are kept
  int* used;                      ///< places that have a key, in the block's shared memory

  /// True if a string more than have room has come, and what is here means nothing.
  __device__ bool is_full() const {
    const cuda::atomic_ref<int, cuda::thread_scope_block> now(*used);
    return now.load(cuda::std::memory_order_relaxed) > static_cast<int>(places() / 4 * 3);
  }
  __device__ std::uint32_t places() const { return std::uint32_t{1} << bits; }

  /// More places, or else more classes, for all of a target's strings.
  __device__ void enlarge(int most_bits) {
    if (bits < most_bits) {
      bits = min(bits + 2, most_bits);
    } else {
      classes *= 4;
    }
    number = 0;
  }
  /// Fewer places for the next target where this one has used few.
  __device__ void shrink(int were_used, int fewest_bits) {
    if (classes == 1 && were_used < static_cast<int>(places() / 8))
      bits = max(fewest_bits, bits - 1);
  }

  /// All threads of the block.
  __device__ void clear() const {
    for (std::uint32_t i = threadIdx.x; i < places() * Words; i += blockDim.x) keys[i] = nobody;
    for (std::int64_t i = threadIdx.x; i < std::int64_t{places()} * k; i += blockDim.x) sums[i] = 0;
    if (threadIdx.x == 0) *used = 0;
    __syncthreads();
  }
  /// Adds value · factors[j], rounded, to sum j of s.
  __device__ void add(const String& s, double value, const double* factors) const {
    const std::uint64_t h = hash_of_beta(s);
    if (classes > 1 && mixed(h) % classes != number) return;
    const std::int64_t place = place_of(s, h);
    if (place < 0) return;
    for (int j = 0; j < k; ++j) {
      const long long rounded = __double2ll_rn(value * factors[j]);
      atomicAdd(sums + place * k + j, static_cast<unsigned long long>(rounded));
    }
  }
  /// Sets the sums of s, where they are, to zero, behind all that is added.
  __device__ void erase(const String& s) const {
    std::uint32_t place = first_place(hash_of_beta(s));
    for (; keys[std::int64_t{place} * Words] != nobody; place = next(place)) {
      if (!(key(place) == s)) continue;
      for (int j = 0; j < k; ++j) sums[std::int64_t{place} * k + j] = 0;
      return;
    }
  }
  __device__ bool is_used(std::uint32_t place) const {
    return keys[std::int64_t{place} * Words] != nobody;
  }
  __device__ String key(std::uint32_t place) const {
    std::uint64_t words[Words];
    for (int w = 0; w < Words; ++w) words[w] = keys[std::int64_t{place} * Words + w];
    return String::from_words(words, Words);
  }

 private:
  __device__ std::uint32_t first_place(std::uint64_t h) const {
    return static_cast<std::uint32_t>(h >> (64 - bits));
  }
  __device__ std::uint32_t next(std::uint32_t place) const { return (place + 1) & (places() - 1); }

  /// −1: there is no room. A place whose first word is there is that of whoever enters the second.
  __device__ std::int64_t place_of(const String& s, std::uint64_t h) const {
    for (std::uint32_t place = first_place(h); !is_full(); place = next(place)) {
      bool same = true;
      for (int w = 0; w < Words && same; ++w) {
        unsigned long long* const word = keys + std::int64_t{place} * Words + w;
        unsigned long long there = __ldcg(word);
        if (there == nobody) {
          there = atomicCAS(word, nobody, s.word(w));
          if (there == nobody) {
            there = s.word(w);
            if (w == 0) atomicAdd(used, 1);
          }
        }
        same = there == s.word(w);
      }
      if (same) return place;
    }
    return -1;
  }
};

}  // namespace cisolve::target_sums
