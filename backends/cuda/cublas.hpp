#pragma once

#include <cublas_v2.h>

#include <cstdint>

namespace cisolve {

/// cuBLAS on the device that is current when it is first used, its default stream. Its libraries,
/// half a gigabyte, are loaded then; many a solve needs none of it.
/// Matrices are column-major, in the device's memory. Throws ResourceError where cuBLAS is missing
/// or fails; `what` says at what.
class Cublas {
 public:
  Cublas() = default;
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas();

  /// C := αAB + βC, A and B transposed as said; C is m × n, the sum over k.
  void gemm(cublasOperation_t a_as, cublasOperation_t b_as, std::int64_t m, std::int64_t n,
            std::int64_t k, double alpha, const double* a, std::int64_t lda, const double* b,
            std::int64_t ldb, double beta, double* c, std::int64_t ldc, const char* what);
  /// Products with β = 1 of `count` matrices, each so many elements behind the one before.
  void add_gemms(cublasOperation_t a_as, cublasOperation_t b_as, std::int64_t m, std::int64_t n,
                 std::int64_t k, const double* a, std::int64_t lda, std::int64_t next_a,
                 const double* b, std::int64_t ldb, std::int64_t next_b, double* c,
                 std::int64_t ldc, std::int64_t next_c, std::int64_t count, const char* what);

 private:
  cublasHandle_t handle();

  cublasHandle_t handle_ = nullptr;
};

}  // namespace cisolve
