#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstring>

#include "core/register_width.hpp"

namespace cisolve {

/// Sums of K ≥ 2 interleaved vectors, in registers: sum_j += value · x_j. `omp simd` is what makes
/// vectors of the loops: short ones are otherwise unrolled to scalars first.
template <int K>
class InterleavedSums {
 public:
  void add(double value, const double* x) {
#pragma omp simd
    for (int j = 0; j < K; ++j) sums_[j] += value * x[j];
  }
  void add_to(double* sum) const {
#pragma omp simd
    for (int j = 0; j < K; ++j) sum[j] += sums_[j];
  }
  void add(const InterleavedSums& other) {
#pragma omp simd
    for (int j = 0; j < K; ++j) sums_[j] += other.sums_[j];
  }

 private:
  double sums_[K] = {};
};

/// K a power of two: in whole registers. The sums of an array go to memory and back at the end of a
/// row, which rows of ten entries notice.
template <int K>
class VectorSums {
 public:
  void add(double value, const double* x) {
#pragma GCC unroll 4
    for (int p = 0; p < count; ++p) sums_[p] += value * load(x + p * width);
  }
  void add(const VectorSums& other) {
#pragma GCC unroll 4
    for (int p = 0; p < count; ++p) sums_[p] += other.sums_[p];
  }
  void add_to(double* sum) const {
#pragma GCC unroll 4
    for (int p = 0; p < count; ++p) {
      const Numbers all = load(sum + p * width) + sums_[p];
      std::memcpy(sum + p * width, &all, sizeof(all));
    }
  }

 private:
  static constexpr int width = K < register_width ? K : register_width;
  static constexpr int count = K / width;
  using Numbers [[gnu::vector_size(width * sizeof(double))]] = double;
  static Numbers load(const double* x) {
    Numbers numbers;
    std::memcpy(&numbers, x, sizeof(numbers));
    return numbers;
  }
  Numbers sums_[count] = {};
};

template <>
class InterleavedSums<2> : public VectorSums<2> {};
template <>
class InterleavedSums<4> : public VectorSums<4> {};
template <>
class InterleavedSums<8> : public VectorSums<8> {};

// Numbers that fill no registers of a width there is are read under a mask, at the price of one
// read: the compiler takes a register for every power of two in K, seven in three.
#if defined(__AVX512F__) && defined(__AVX512VL__)

/// K of the numbers of a register, which has four or eight.
template <int K>
class MaskedSums {
 public:
  void add(double value, const double* x) { sums_ += value * load(x); }
  void add(const MaskedSums& other) { sums_ += other.sums_; }
  void add_to(double* sum) const {
    alignas(64) double all[sizeof(sums_) / sizeof(double)];
    std::memcpy(all, &sums_, sizeof(sums_));
#pragma omp simd
    for (int j = 0; j < K; ++j) sum[j] += all[j];
  }

 private:
  static constexpr __mmask8 mask = (1U << K) - 1U;
  static auto load(const double* x) {
    if constexpr (K > 4) {
      return _mm512_maskz_loadu_pd(mask, x);
    } else {
      return _mm256_maskz_loadu_pd(mask, x);
    }
  }
  decltype(load(nullptr)) sums_{};
};

template <>
class InterleavedSums<3> : public MaskedSums<3> {};
template <>
class InterleavedSums<5> : public MaskedSums<5> {};
template <>
class InterleavedSums<6> : public MaskedSums<6> {};
template <>
class InterleavedSums<7> : public MaskedSums<7> {};

#elif defined(__AVX2__)

template <>
class InterleavedSums<3> {
 public:
  void add(double value, const double* x) { sums_ += value * _mm256_maskload_pd(x, mask()); }
  void add(const InterleavedSums& other) { sums_ += other.sums_; }
  void add_to(double* sum) const {
    for (int j = 0; j < 3; ++j) sum[j] += sums_[j];
  }

 private:
  static __m256i mask() { return _mm256_setr_epi64x(-1, -1, -1, 0); }
  __m256d sums_{};
};

/// Two registers that have the fourth number in common.
template <>
class InterleavedSums<7> {
 public:
  void add(double value, const double* x) {
    low_ += value * _mm256_loadu_pd(x);
    high_ += value * _mm256_loadu_pd(x + 3);
  }
  void add(const InterleavedSums& other) {
    low_ += other.low_;
    high_ += other.high_;
  }
  void add_to(double* sum) const {
    for (int j = 0; j < 4; ++j) sum[j] += low_[j];
    for (int j = 4; j < 7; ++j) sum[j] += high_[j - 3];
  }

 private:
  __m256d low_{}, high_{};
};

#endif

/// to_j := α sum_j + β to_j; β = 0 ignores what was there.
template <int K>
inline void write_row(double alpha, const double* sum, double beta, double* to) {
  if (beta == 0.0) {
#pragma omp simd
    for (int j = 0; j < K; ++j) to[j] = alpha * sum[j];
  } else {
#pragma omp simd
    for (int j = 0; j < K; ++j) to[j] = alpha * sum[j] + beta * to[j];
  }
}

}  // namespace cisolve
