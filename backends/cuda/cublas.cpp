#include "backends/cuda/cublas.hpp"

#include <string>

#include "backends/cuda/shared_library.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// The functions used, of a library of the version that this was compiled with.
struct Library {
  SharedLibrary file{"libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)};
  decltype(&::cublasCreate) create = nullptr;
  decltype(&::cublasDestroy) destroy = nullptr;
  decltype(&::cublasGetStatusString) status_string = nullptr;
  decltype(&::cublasDgemm_64) dgemm = nullptr;
  decltype(&::cublasDgemmStridedBatched_64) dgemm_strided_batched = nullptr;

  Library() {
    file.find(create, "cublasCreate_v2");
    file.find(destroy, "cublasDestroy_v2");
    file.find(status_string, "cublasGetStatusString");
    file.find(dgemm, "cublasDgemm_v2_64");
    file.find(dgemm_strided_batched, "cublasDgemmStridedBatched_64");
    if (!file.failure().empty()) throw ResourceError("cuBLAS cannot be used: " + file.failure());
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw ResourceError(std::string("cuBLAS: ") + what + ": " + library().status_string(status));
  }
}

}  // namespace

Cublas::~Cublas() {
  if (handle_ != nullptr) library().destroy(handle_);
}

cublasHandle_t Cublas::handle() {
  if (handle_ == nullptr) check(library().create(&handle_), "creating a handle");
  return handle_;
}

void Cublas::gemm(cublasOperation_t a_as, cublasOperation_t b_as, std::int64_t m, std::int64_t n,
                  std::int64_t k, double alpha, const double* a, std::int64_t lda, const double* b,
                  std::int64_t ldb, double beta, double* c, std::int64_t ldc, const char* what) {
  const cublasHandle_t cublas = handle();
  check(library().dgemm(cublas, a_as, b_as, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc), what);
}

void Cublas::add_gemms(cublasOperation_t a_as, cublasOperation_t b_as, std::int64_t m,
                       std::int64_t n, std::int64_t k, const double* a, std::int64_t lda,
                       std::int64_t next_a, const double* b, std::int64_t ldb, std::int64_t next_b,
                       double* c, std::int64_t ldc, std::int64_t next_c, std::int64_t count,
                       const char* what) {
  const double one = 1.0;
  const cublasHandle_t cublas = handle();
  check(library().dgemm_strided_batched(cublas, a_as, b_as, m, n, k, &one, a, lda, next_a, b, ldb,
                                        next_b, &one, c, ldc, next_c, count),
        what);
}

}  // namespace cisolve
