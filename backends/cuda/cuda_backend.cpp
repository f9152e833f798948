#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>

#include "backends/backend.hpp"
#include "backends/cuda/check.hpp"
#include "backends/cuda/vector_kernels.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

void check_cublas(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw ResourceError(std::string("cuBLAS: ") + what + ": " + cublasGetStatusString(status));
  }
}

/// One device, its default stream, and cuBLAS for the dense products. A row-major n × k block of
/// stride s is to cuBLAS a column-major k × n matrix of leading dimension s.
class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int device) {
    check_cuda(cudaSetDevice(device), "choosing the device");
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, device), "reading its properties");
    description_ = properties.name;
    partial_blocks_ = 2 * properties.multiProcessorCount;
    check_cublas(cublasCreate(&cublas_), "creating a handle");
  }
  ~CudaBackend() override {
    if (staging_ != nullptr) cudaFree(staging_);
    cublasDestroy(cublas_);
  }

  BackendKind kind() const override { return BackendKind::cuda; }
  std::string description() const override { return description_; }
  std::size_t free_memory() const override {
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "reading free memory");
    return free;
  }

  void* allocate(std::size_t bytes, Residence residence) override {
    const bool pinned = residence == Residence::host;
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    void* memory = nullptr;
    const cudaError_t status =
        pinned ? cudaHostAlloc(&memory, size, cudaHostAllocMapped | cudaHostAllocPortable)
               : cudaMalloc(&memory, size);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // not sticky: cleared
      const std::size_t free = pinned ? available_host_memory() : free_memory();
      throw ResourceError("out of " +
                          (pinned ? "pinned host memory" : "memory on " + description_) + ": " +
                          format_bytes(static_cast<double>(bytes)) + " needed, " +
                          format_bytes(static_cast<double>(free)) + " free");
    }
    check_cuda(status, "allocating");
    return memory;  // with unified addressing the same address on host and device
  }
  void release(void* memory) noexcept override {
    if (on_host(memory)) {
      cudaDeviceSynchronize();  // cudaFreeHost does not wait for kernels that use it
      cudaFreeHost(memory);
    } else {
      cudaFree(memory);
    }
  }
  void upload_bytes(const void* host, void* device, std::size_t bytes) override {
    wait_for(device);
    check_cuda(cudaMemcpy(device, host, bytes, cudaMemcpyDefault), "uploading");
  }
  void download_bytes(const void* device, void* host, std::size_t bytes) override {
    wait_for(device);
    check_cuda(cudaMemcpy(host, device, bytes, cudaMemcpyDefault), "downloading");
  }
  void synchronize() override { check_cuda(cudaDeviceSynchronize(), "waiting for a kernel"); }

  void upload(const HostMatrix& host, View y) override {
    wait_for(y.data);
    check_cuda(cudaMemcpy2D(y.data, y.stride * sizeof(double), host.data(), row_bytes(y),
                            row_bytes(y), y.rows, cudaMemcpyDefault),
               "uploading vectors");
  }
  HostMatrix download(ConstView x) override {
    HostMatrix host(x.rows, x.columns);
    wait_for(x.data);
    check_cuda(cudaMemcpy2D(host.data(), row_bytes(x), x.data, x.stride * sizeof(double),
                            row_bytes(x), x.rows, cudaMemcpyDefault),
               "downloading vectors");
    return host;
  }

  void copy(ConstView x, View y) override { cuda::copy(x, y); }
  void fill(double value, View y) override { cuda::fill(value, y); }
  void axpby(double alpha, ConstView x, double beta, View y) override {
    cuda::axpby(alpha, x, beta, y);
  }
  void scale_columns(std::span<const double> s, View y) override {
    cuda::scale_columns(stage(s.data(), s.size()), y);
  }

  void gram(ConstView x, ConstView y, HostMatrix& c) override {
    c.resize(x.columns, y.columns);
    double* result = staging(c.size());
    const double one = 1.0, zero = 0.0;
    check_cublas(cublasDgemm_64(cublas_, CUBLAS_OP_N, CUBLAS_OP_T, y.columns, x.columns, x.rows,
                                &one, y.data, y.stride, x.data, x.stride, &zero, result, y.columns),
                 "gram");
    download_bytes(result, c.data(), c.size() * sizeof(double));
  }

  void combine(double alpha, ConstView x, const HostMatrix& c, double beta, View y) override {
    const double* factors = stage(c.data(), c.size());
    check_cublas(
        cublasDgemm_64(cublas_, CUBLAS_OP_N, CUBLAS_OP_N, y.columns, y.rows, x.columns, &alpha,
                       factors, y.columns, x.data, x.stride, &beta, y.data, y.stride),
        "combine");
  }

  void column_norms(ConstView x, std::span<double> norms) override {
    constexpr int widest = 256;
    for (int first = 0; first < x.columns; first += widest) {
      const ConstView part = x.slice(first, std::min(widest, x.columns - first));
      HostMatrix partial(partial_blocks_, part.columns);
      double* device = staging(partial.size());
      cuda::column_squares(part, device, partial_blocks_);
      download_bytes(device, partial.data(), partial.size() * sizeof(double));
      for (int j = 0; j < part.columns; ++j) norms[first + j] = std::sqrt(partial.col(j).sum());
    }
  }

  void set_rows(std::span<const Index> rows, const HostMatrix& values, View y) override {
    const auto device_rows = Buffer<Index>::from_host(*this, rows);
    const auto device_values = Buffer<double>::from_host(*this, values);
    cuda::set_rows(device_rows.data(), device_values.data(), static_cast<int>(rows.size()), y);
  }

  void gather_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    cuda::gather_rows(rows.data(), x, y);
  }
  void scatter_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    cuda::scatter_rows(rows.data(), x, y);
  }

  void recombine(View y, const HostMatrix& c) override {
    // Rows in chunks, each by way of a small block: the product cannot be formed in place.
    constexpr Index chunk = 1 << 16;
    const int l = static_cast<int>(c.cols());
    if (y.rows == 0 || l == 0) return;
    const Index most = std::min(chunk, y.rows);
    double* factors = staging(c.size() + static_cast<std::size_t>(most) * l);
    double* product = factors + c.size();
    upload_bytes(c.data(), factors, c.size() * sizeof(double));
    const double one = 1.0, zero = 0.0;
    for (Index first = 0; first < y.rows; first += chunk) {
      const View part = y.row_range(first, std::min(chunk, y.rows - first));
      check_cublas(cublasDgemm_64(cublas_, CUBLAS_OP_N, CUBLAS_OP_N, l, part.rows, y.columns, &one,
                                  factors, l, part.data, part.stride, &zero, product, l),
                   "recombine");
      cuda::copy(ConstView{product, part.rows, l, l}, part.slice(0, l));
    }
  }

  void largest_elements(ConstView x, std::span<double> elements) override {
    double* device = staging(elements.size());
    cuda::largest_elements(x, device);
    download_bytes(device, elements.data(), elements.size() * sizeof(double));
  }

  void diagonal_correction(ConstView r, std::span<const double> theta, ConstView d, double guard,
                           View t) override {
    cuda::diagonal_correction(r, stage(theta.data(), theta.size()), d, guard, t);
  }
  void jacobi_update(double omega, ConstView r, ConstView d, View x) override {
    cuda::jacobi_update(omega, r, d, x);
  }

 private:
  static std::size_t row_bytes(ConstView v) { return v.columns * sizeof(double); }

  static bool on_host(const void* memory) {
    cudaPointerAttributes attributes{};
    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess &&
           attributes.type == cudaMemoryTypeHost;
  }
  /// A copy between two places of host memory does not wait for the kernels that use them.
  void wait_for(const void* memory) {
    if (on_host(memory)) synchronize();
  }

  /// Device memory for a few numbers, kept between calls.
  double* staging(std::size_t count) {
    if (count > staging_count_) {
      if (staging_ != nullptr) cudaFree(staging_);
      staging_ = nullptr;
      staging_count_ = 0;
      const std::size_t wanted = std::max<std::size_t>(2 * count, 1 << 16);
      staging_ = static_cast<double*>(allocate(wanted * sizeof(double), Residence::device));
      staging_count_ = wanted;
    }
    return staging_;
  }
  const double* stage(const double* host, std::size_t count) {
    double* device = staging(count);
    upload_bytes(host, device, count * sizeof(double));
    return device;
  }

  std::string description_;
  int partial_blocks_ = 0;
  cublasHandle_t cublas_ = nullptr;
  double* staging_ = nullptr;
  std::size_t staging_count_ = 0;
};

}  // namespace

std::string cuda_unavailable_reason() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) {
    cudaGetLastError();
    return std::string("no CUDA device answers: ") + cudaGetErrorString(status) +
           "; a GPU and NVIDIA's driver are needed";
  }
  return devices > 0 ? "" : "no CUDA device; a GPU and NVIDIA's driver are needed";
}

std::unique_ptr<Backend> make_cuda_backend(int device) {
  const std::string reason = cuda_unavailable_reason();
  if (!reason.empty()) throw ResourceError(reason);
  return std::make_unique<CudaBackend>(device);
}

}  // namespace cisolve
