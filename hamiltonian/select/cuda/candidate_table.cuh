#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "hamiltonian/space/strings/orbital_string.hpp"

// Determinants by hash in device memory, with the importance of each: open addressing, keys of two
// strings. A place is taken by one thread, which writes its key; others that meet it meanwhile wait
// for that. Which place a determinant has depends on the order of threads, what is there does not.

namespace cisolve::candidate_table {

enum State : std::uint32_t { unused = 0, in_writing = 1, candidate = 2, listed = 3 };

/// x < y as numbers.
template <int Words>
__device__ bool is_below(const BasicOrbitalString<Words>& x, const BasicOrbitalString<Words>& y) {
  for (int k = Words - 1; k > 0; --k) {
    if (x.word(k) != y.word(k)) return x.word(k) < y.word(k);
  }
  return x.word(0) < y.word(0);
}

template <int Words>
struct DeterminantKey {
  BasicOrbitalString<Words> of_alpha, of_beta;

  __device__ bool operator==(const DeterminantKey& other) const {
    return of_alpha == other.of_alpha && of_beta == other.of_beta;
  }
  __device__ std::uint64_t hash() const {
    std::uint64_t h = 0;
    for (int k = 0; k < Words; ++k) {
      h = (h ^ of_alpha.word(k)) * 0x9e3779b97f4a7c15u;
      h = (h ^ h >> 32 ^ of_beta.word(k)) * 0xbf58476d1ce4e5b9u;
    }
    return (h ^ h >> 29) * 0x94d049bb133111ebu;
  }
};

template <int Words>
struct Table {
  std::uint64_t places;
  std::uint32_t* states;
  DeterminantKey<Words>* keys;
  unsigned long long* importances;  ///< the bits of numbers of at least 0, which order alike
  unsigned long long* candidates;   ///< how many there are
  unsigned long long most;          ///< so many have room

  /// True if there are more candidates than have room.
  __device__ bool is_full() const {
    return *static_cast<volatile unsigned long long*>(candidates) > most;
  }

  __device__ void list(const DeterminantKey<Words>& key) const { place_of(key, listed); }
  __device__ void add(const DeterminantKey<Words>& key, double importance) const {
    const std::int64_t place = place_of(key, candidate);
    if (place < 0) return;
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(importance));
    if (importances[place] < bits) atomicMax(importances + place, bits);
  }
  __device__ bool is_listed(const DeterminantKey<Words>& key) const {
    for (std::uint64_t place = first_place(key);; place = next(place)) {
      if (states[place] == unused) return false;
      if (keys[place] == key) return states[place] == listed;
    }
  }

 private:
  __device__ std::uint64_t first_place(const DeterminantKey<Words>& key) const {
    return __umul64hi(key.hash(), places);
  }
  __device__ std::uint64_t next(std::uint64_t place) const {
    return place + 1 == places ? 0 : place + 1;
  }
  /// Place of a key, taken as `state` where it is not there; −1 where there is no room.
  __device__ std::int64_t place_of(const DeterminantKey<Words>& key, State state) const {
    std::uint64_t place = first_place(key);
    for (std::uint64_t tried = 0; tried < places; ++tried, place = next(place)) {
      std::uint32_t is = load(place);
      if (is == unused) {
        if (state == candidate && is_full()) return -1;
        is = atomicCAS(states + place, static_cast<std::uint32_t>(unused),
                       static_cast<std::uint32_t>(in_writing));
        if (is == unused) {
          keys[place] = key;
          __threadfence();
          atomicExch(states + place, static_cast<std::uint32_t>(state));
          if (state == candidate) atomicAdd(candidates, 1ULL);
          return static_cast<std::int64_t>(place);
        }
      }
      while (is == in_writing) is = load(place);
      if (is_at(place, key)) return static_cast<std::int64_t>(place);
    }
    return -1;
  }
  /// The state, in front of the key, which is read behind it.
  __device__ std::uint32_t load(std::uint64_t place) const {
    const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> state(states[place]);
    return state.load(cuda::std::memory_order_acquire);
  }
  __device__ bool is_at(std::uint64_t place, const DeterminantKey<Words>& key) const {
    // Not through the first-level cache, which may hold earlier words.
    std::uint64_t different = 0;
    const auto* const words = reinterpret_cast<const unsigned long long*>(keys + place);
    for (int k = 0; k < Words; ++k) {
      different |= __ldcg(words + k) ^ key.of_alpha.word(k);
      different |= __ldcg(words + Words + k) ^ key.of_beta.word(k);
    }
    return different == 0;
  }
};

}  // namespace cisolve::candidate_table
