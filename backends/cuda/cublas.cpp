#include "backends/cuda/cublas.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "core/error.hpp"

namespace cisolve {
namespace {

/// The functions used, of a library of the version that this was compiled with.
struct Library {
  decltype(&::cublasCreate) create = nullptr;
  decltype(&::cublasDestroy) destroy = nullptr;
  decltype(&::cublasGetStatusString) status_string = nullptr;
  decltype(&::cublasDgemm_64) dgemm = nullptr;
  decltype(&::cublasDgemmStridedBatched_64) dgemm_strided_batched = nullptr;

  Library() {
    // Where the loader looks, and beside the runtime.
    const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
    Dl_info runtime{};
    ::dladdr(reinterpret_cast<void*>(&cudaGetDeviceCount), &runtime);
    const auto folder = std::filesystem::path(runtime.dli_fname).parent_path();
    void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = ::dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw ResourceError("cuBLAS cannot be loaded: " + std::string(::dlerror()));
    find(library, create, "cublasCreate_v2");
    find(library, destroy, "cublasDestroy_v2");
    find(library, status_string, "cublasGetStatusString");
    find(library, dgemm, "cublasDgemm_v2_64");
    find(library, dgemm_strided_batched, "cublasDgemmStridedBatched_64");
  }

 private:
  template <class Function>
  static void find(void* library, Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr)
      throw ResourceError("cuBLAS cannot be used: " + std::string(name) + " is missing");
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
