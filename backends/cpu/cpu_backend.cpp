#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "backends/backend.hpp"
#include "backends/correction.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

// Rows handled at once by the dense kernels: a block of them stays in the first-level cache.
constexpr Index chunk_rows = 256;

using Stride = Eigen::OuterStride<>;
using ConstMap = Eigen::Map<const HostMatrix, 0, Stride>;
using Map = Eigen::Map<HostMatrix, 0, Stride>;

ConstMap map(ConstView v, Index first, Index count) {
  return {v.data + first * v.stride, count, v.columns, Stride(v.stride)};
}
Map map(View v, Index first, Index count) {
  return {v.data + first * v.stride, count, v.columns, Stride(v.stride)};
}

/// Calls f(i, row of x, row of y) for every row, in parallel.
template <class X, class Y, class F>
void for_each_row(X x, Y y, F f) {
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < y.rows; ++i) f(i, x.data + i * x.stride, y.data + i * y.stride);
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads) {
    if (threads > 0) omp_set_num_threads(threads);
  }

  BackendKind kind() const override { return BackendKind::cpu; }
  std::string description() const override {
    const int threads = omp_get_max_threads();
    return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  }
  std::size_t free_memory() const override { return available_host_memory(); }

  void* allocate(std::size_t bytes, Residence) override {
    void* memory = std::aligned_alloc(64, (std::max<std::size_t>(bytes, 1) + 63) / 64 * 64);
    if (memory == nullptr) {
      throw ResourceError("out of memory: " + std::to_string(bytes) + " bytes needed, " +
                          std::to_string(free_memory()) + " available");
    }
    return memory;
  }
  void release(void* memory) noexcept override { std::free(memory); }
  void upload_bytes(const void* host, void* device, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(device, host, bytes);
  }
  void download_bytes(const void* device, void* host, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(host, device, bytes);
  }
  void synchronize() override {}

  void upload(const HostMatrix& host, View y) override { map(y, 0, y.rows) = host; }
  HostMatrix download(ConstView x) override { return map(x, 0, x.rows); }

  void copy(ConstView x, View y) override {
    for_each_row(
        x, y, [k = y.columns](Index, const double* from, double* to) { std::copy_n(from, k, to); });
  }
  void fill(double value, View y) override {
    for_each_row(y, y,
                 [k = y.columns, value](Index, double*, double* to) { std::fill_n(to, k, value); });
  }
  void axpby(double alpha, ConstView x, double beta, View y) override {
    for_each_row(x, y, [=, k = y.columns](Index, const double* from, double* to) {
      for (int j = 0; j < k; ++j) to[j] = alpha * from[j] + (beta == 0.0 ? 0.0 : beta * to[j]);
    });
  }
  void scale_columns(std::span<const double> s, View y) override {
    for_each_row(y, y, [s, k = y.columns](Index, double*, double* to) {
      for (int j = 0; j < k; ++j) to[j] *= s[j];
    });
  }

  void gram(ConstView x, ConstView y, HostMatrix& c) override {
    // One partial sum per thread, added in the threads' order: the same bits in every run.
    std::vector<HostMatrix> partial(omp_get_max_threads());
#pragma omp parallel
    {
      HostMatrix sum = HostMatrix::Zero(x.columns, y.columns);
#pragma omp for schedule(static) nowait
      for (Index first = 0; first < y.rows; first += chunk_rows) {
        const Index count = std::min(chunk_rows, y.rows - first);
        sum.noalias() += map(x, first, count).transpose() * map(y, first, count);
      }
      partial[omp_get_thread_num()] = std::move(sum);
    }
    c.setZero(x.columns, y.columns);
    for (const HostMatrix& sum : partial) {
      if (sum.size() > 0) c += sum;
    }
  }

  void combine(double alpha, ConstView x, const HostMatrix& c, double beta, View y) override {
#pragma omp parallel for schedule(static)
    for (Index first = 0; first < y.rows; first += chunk_rows) {
      const Index count = std::min(chunk_rows, y.rows - first);
      Map to = map(y, first, count);
      if (beta == 0.0) {
        to.setZero();
      } else if (beta != 1.0) {
        to *= beta;
      }
      to.noalias() += alpha * map(x, first, count) * c;
    }
  }

  void column_norms(ConstView x, std::span<double> norms) override {
    HostVector squares = HostVector::Zero(x.columns);
    std::vector<HostVector> partial(omp_get_max_threads());
#pragma omp parallel
    {
      HostVector sum = HostVector::Zero(x.columns);
#pragma omp for schedule(static) nowait
      for (Index i = 0; i < x.rows; ++i) {
        for (int j = 0; j < x.columns; ++j) {
          const double value = x.data[i * x.stride + j];
          sum[j] += value * value;
        }
      }
      partial[omp_get_thread_num()] = std::move(sum);
    }
    for (const HostVector& sum : partial) {
      if (sum.size() > 0) squares += sum;
    }
    for (int j = 0; j < x.columns; ++j) norms[j] = std::sqrt(squares[j]);
  }

  void set_rows(std::span<const Index> rows, const HostMatrix& values, View y) override {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (int j = 0; j < y.columns; ++j) y.data[rows[r] * y.stride + j] = values(r, j);
    }
  }

  void gather_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    const Index* row = rows.data();
    for_each_row(y, y, [=, k = y.columns](Index r, double*, double* to) {
      std::copy_n(x.data + row[r] * x.stride, k, to);
    });
  }
  void scatter_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    const Index* row = rows.data();
    for_each_row(x, x, [=, k = x.columns](Index r, const double* from, const double*) {
      std::copy_n(from, k, y.data + row[r] * y.stride);
    });
  }

  void recombine(View y, const HostMatrix& c) override {
    const View to = y.slice(0, static_cast<int>(c.cols()));
#pragma omp parallel
    {
      HostMatrix product(chunk_rows, c.cols());
#pragma omp for schedule(static)
      for (Index first = 0; first < y.rows; first += chunk_rows) {
        const Index count = std::min(chunk_rows, y.rows - first);
        product.topRows(count).noalias() = map(y, first, count) * c;
        map(to, first, count) = product.topRows(count);
      }
    }
  }

  void largest_elements(ConstView x, std::span<double> elements) override {
    // Every thread has a contiguous range of rows, and the ranges ascend: the first stays first.
    HostMatrix largest = HostMatrix::Zero(omp_get_max_threads(), x.columns);
#pragma omp parallel
    {
      HostVector found = HostVector::Zero(x.columns);
#pragma omp for schedule(static)
      for (Index i = 0; i < x.rows; ++i) {
        const double* row = x.data + i * x.stride;
        for (int j = 0; j < x.columns; ++j) {
          if (std::abs(row[j]) > std::abs(found[j])) found[j] = row[j];
        }
      }
      largest.row(omp_get_thread_num()) = found;
    }
    for (int j = 0; j < x.columns; ++j) {
      elements[j] = 0.0;
      for (Eigen::Index t = 0; t < largest.rows(); ++t) {
        if (std::abs(largest(t, j)) > std::abs(elements[j])) elements[j] = largest(t, j);
      }
    }
  }

  void diagonal_correction(ConstView r, std::span<const double> theta, ConstView d, double guard,
                           View t) override {
    for_each_row(r, t, [=, k = t.columns](Index i, const double* from, double* to) {
      for (int j = 0; j < k; ++j) {
        to[j] = from[j] / guarded_difference(theta[j], d.data[i * d.stride], guard);
      }
    });
  }
  void jacobi_update(double omega, ConstView r, ConstView d, View x) override {
    for_each_row(r, x, [=, k = x.columns](Index i, const double* from, double* to) {
      for (int j = 0; j < k; ++j) to[j] += omega * from[j] / d.data[i * d.stride];
    });
  }
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads) {
  return std::make_unique<CpuBackend>(threads);
}

}  // namespace cisolve
