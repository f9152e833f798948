#include "bench/vendor_products.hpp"

#ifdef CISOLVE_HAVE_CUDA

#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace cisolve::bench {
namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}
void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}

template <class T>
std::shared_ptr<T> device_array(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, std::max<std::size_t>(count, 1) * sizeof(T)));
  return {static_cast<T*>(memory), [](T* p) { cudaFree(p); }};
}
template <class Container>
auto to_device(const Container& host) {
  using T = typename Container::value_type;
  auto device = device_array<T>(host.size());
  check(cudaMemcpy(device.get(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

/// The matrix on the device. cuSPARSE wants offsets and columns of one width.
struct DeviceMatrix {
  cusparseHandle_t handle = nullptr;
  cusparseSpMatDescr_t matrix = nullptr;
  std::shared_ptr<void> offsets, columns, values;
  std::size_t bytes = 0;

  explicit DeviceMatrix(const CsrMatrix& a) {
    check(cusparseCreate(&handle));
    const auto device_values = to_device(a.values);
    const bool wide = a.nonzeros() > 0x7fffffff;
    if (wide) {
      offsets = to_device(a.row_offsets);
      columns =
          to_device(std::vector<std::int64_t>(a.column_indices.begin(), a.column_indices.end()));
    } else {
      offsets = to_device(std::vector<std::int32_t>(a.row_offsets.begin(), a.row_offsets.end()));
      columns = to_device(a.column_indices);
    }
    values = device_values;
    const auto type = wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    bytes = (a.rows + 1 + a.nonzeros()) * (wide ? 8 : 4) + 8 * a.nonzeros();
    check(cusparseCreateCsr(&matrix, a.rows, a.columns, a.nonzeros(), offsets.get(), columns.get(),
                            values.get(), type, type, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  }
  ~DeviceMatrix() {
    cusparseDestroySpMat(matrix);
    cusparseDestroy(handle);
  }
};

const double one = 1.0, zero = 0.0;
constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

VendorProduct vector_product(const std::shared_ptr<DeviceMatrix>& m, const CsrMatrix& a,
                             const double* x, double* y, cusparseSpMVAlg_t algorithm,
                             const std::string& name) {
  cusparseDnVecDescr_t vx, vy;
  check(cusparseCreateDnVec(&vx, a.columns, const_cast<double*>(x), CUDA_R_64F));
  check(cusparseCreateDnVec(&vy, a.rows, y, CUDA_R_64F));
  std::size_t size = 0;
  check(cusparseSpMV_bufferSize(m->handle, plain, &one, m->matrix, vx, &zero, vy, CUDA_R_64F,
                                algorithm, &size));
  const auto buffer = device_array<char>(size);
#if CUSPARSE_VERSION >= 12400
  check(cusparseSpMV_preprocess(m->handle, plain, &one, m->matrix, vx, &zero, vy, CUDA_R_64F,
                                algorithm, buffer.get()));
#endif
  return {name,
          [=] {
            check(cusparseSpMV(m->handle, plain, &one, m->matrix, vx, &zero, vy, CUDA_R_64F,
                               algorithm, buffer.get()));
          },
          m->bytes};
}

VendorProduct block_product(const std::shared_ptr<DeviceMatrix>& m, const CsrMatrix& a, int k,
                            const double* x, double* y, cusparseSpMMAlg_t algorithm,
                            const std::string& name) {
  cusparseDnMatDescr_t mx, my;
  check(cusparseCreateDnMat(&mx, a.columns, k, k, const_cast<double*>(x), CUDA_R_64F,
                            CUSPARSE_ORDER_ROW));
  check(cusparseCreateDnMat(&my, a.rows, k, k, y, CUDA_R_64F, CUSPARSE_ORDER_ROW));
  std::size_t size = 0;
  check(cusparseSpMM_bufferSize(m->handle, plain, plain, &one, m->matrix, mx, &zero, my, CUDA_R_64F,
                                algorithm, &size));
  const auto buffer = device_array<char>(size);
  check(cusparseSpMM_preprocess(m->handle, plain, plain, &one, m->matrix, mx, &zero, my, CUDA_R_64F,
                                algorithm, buffer.get()));
  return {name,
          [=] {
            check(cusparseSpMM(m->handle, plain, plain, &one, m->matrix, mx, &zero, my, CUDA_R_64F,
                               algorithm, buffer.get()));
          },
          m->bytes};
}

}  // namespace

std::vector<VendorProduct> vendor_products(const CsrMatrix& a, int k, const double* x, double* y) {
  const auto m = std::make_shared<DeviceMatrix>(a);
  std::vector<VendorProduct> products;
  const auto add = [&](auto make, auto algorithm, const char* name) {
    try {
      products.push_back(make(algorithm, name));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", name, error.what());
    }
  };
  if (k == 1) {
    const auto make = [&](cusparseSpMVAlg_t algorithm, const char* name) {
      return vector_product(m, a, x, y, algorithm, name);
    };
    add(make, CUSPARSE_SPMV_CSR_ALG1, "cusparse csr alg1");
    add(make, CUSPARSE_SPMV_CSR_ALG2, "cusparse csr alg2");
  } else {
    const auto make = [&](cusparseSpMMAlg_t algorithm, const char* name) {
      return block_product(m, a, k, x, y, algorithm, name);
    };
    add(make, CUSPARSE_SPMM_CSR_ALG1, "cusparse csr alg1");
    add(make, CUSPARSE_SPMM_CSR_ALG2, "cusparse csr alg2");
    add(make, CUSPARSE_SPMM_CSR_ALG3, "cusparse csr alg3");
  }
  return products;
}

double device_milliseconds(const std::function<void()>& work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  check(cudaEventRecord(begin));
  work();
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float milliseconds = 0.0f;
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return milliseconds;
}

std::string device_line() {
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return {};
  int runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  std::string driver, line;
  std::ifstream version("/proc/driver/nvidia/version");
  if (std::getline(version, line)) driver = line;
  return "; CUDA runtime " + std::to_string(runtime) + "; cuSPARSE " +
         std::to_string(CUSPARSE_VERSION) + "; " + driver;
}

}  // namespace cisolve::bench

#else

namespace cisolve::bench {

std::vector<VendorProduct> vendor_products(const CsrMatrix&, int, const double*, double*) {
  return {};
}
double device_milliseconds(const std::function<void()>&) {
  return 0.0;
}
std::string device_line() {
  return {};
}

}  // namespace cisolve::bench

#endif
