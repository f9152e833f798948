#pragma once

#include "core/types.hpp"

#if defined(__AVX512F__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace cisolve {

#if defined(__AVX512F__) && defined(__AVX512VL__)

/// Entries from which on a row is summed eight at a time: shorter ones notice its end.
inline constexpr Offset fewest_gathered = 16;

/// True if this processor reads eight numbers from eight places faster by one instruction than by
/// eight: those of Intel do; others make the same reads of it, and more.
inline const bool gathers_pay = __builtin_cpu_is("intel") != 0;

/// Σ_e values[e] · x[columns[e]]; fetch(e) is called for every eighth entry.
template <class Fetch>
inline double gathered_sum(const double* values, const Index* columns, Offset count,
                           const double* x, const Fetch& fetch) {
  __m512d sum = _mm512_setzero_pd();
  Offset e = 0;
  for (; e + 7 < count; e += 8) {
    fetch(e);
    const __m256i places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns + e));
    sum = _mm512_fmadd_pd(_mm512_loadu_pd(values + e), _mm512_i32gather_pd(places, x, 8), sum);
  }
  if (e < count) {
    const auto rest = static_cast<__mmask8>((1U << (count - e)) - 1U);
    const __m256i places = _mm256_maskz_loadu_epi32(rest, columns + e);
    const __m512d from = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), rest, places, x, 8);
    sum = _mm512_fmadd_pd(_mm512_maskz_loadu_pd(rest, values + e), from, sum);
  }
  return _mm512_reduce_add_pd(sum);
}

inline bool is_gathered(Offset count) {
  return count >= fewest_gathered && gathers_pay;
}

#else

inline bool is_gathered(Offset) {
  return false;
}
template <class Fetch>
inline double gathered_sum(const double* values, const Index* columns, Offset count,
                           const double* x, const Fetch&) {
  double sum = 0.0;
  for (Offset e = 0; e < count; ++e) sum += values[e] * x[columns[e]];
  return sum;
}

#endif

}  // namespace cisolve
