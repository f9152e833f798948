#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda/check.hpp"
#include "backends/cuda/cublas.hpp"
#include "backends/cuda/dense_kernels.hpp"
#include "backends/cuda/device_memory.hpp"
#include "backends/cuda/entry.hpp"
#include "backends/cuda/staging.hpp"
#include "backends/cuda/vector_kernels.hpp"
#include "backends/cuda/vector_sums.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/mixed.hpp"

namespace cisolve {
namespace {

/// One device, its default stream, and cuBLAS for dense products with wide matrices. A row-major
/// n × k block of stride s is to cuBLAS a column-major k × n matrix of leading dimension s. Few
/// numbers go to a kernel as its arguments, and come back in pinned memory that it writes, so that
/// an operation that returns values waits once and the others never do.
class CudaBackend final : public DeviceMemory {
 public:
  explicit CudaBackend(int device) : DeviceMemory(device) {}
  using Backend::add_columns;
  using Backend::combine;
  using Backend::gram;
  using Backend::recombine;

  void copy(ConstView x, View y) override { cuda::copy(x, y); }
  void fill(double value, View y) override { cuda::fill(value, y); }
  void fill_random(std::uint64_t seed, std::int64_t first, View y) override {
    cuda::fill_random(mixed(seed) + static_cast<std::uint64_t>(first) * y.columns, y);
  }
  void fill_normal(std::uint64_t seed, std::int64_t first, View y) override {
    cuda::fill_normal(seed, first, y);
  }
  void axpby(double alpha, ConstView x, double beta, View y) override {
    cuda::axpby(alpha, x, beta, y);
  }
  void waxpby(double alpha, ConstView x, double beta, ConstView y, View w) override {
    cuda::waxpby(alpha, x, beta, y, w);
  }
  void scale_columns(std::span<const double> s, View y) override {
    for_column_values(s, [&](const cuda::ColumnValues& part, int first, int count) {
      cuda::scale_columns(part, y.slice(first, count));
    });
  }
  void add_columns(std::span<const double> a, ConstView v, std::span<const double> b, ConstView w,
                   View y) override {
    for_column_values(a, [&](const cuda::ColumnValues& part, int first, int count) {
      cuda::ColumnValues other;
      std::copy_n(b.data() + first, count, other.values);
      cuda::add_columns(part, v.slice(first, count), other, w.slice(first, count),
                        y.slice(first, count));
    });
  }

  void step_residual(std::span<const double> a, ConstView v, ConstView d, View r,
                     std::span<double> squares) override {
    double* sums = staging_.results(squares.size());
    double* partial =
        scratch_.reserve(static_cast<std::size_t>(blocks_) * cuda::most_column_values);
    for_column_values(a, [&](const cuda::ColumnValues& part, int first, int count) {
      cuda::step_residual(part, v.slice(first, count), d, r.slice(first, count), partial, blocks_,
                          sums + first);
    });
    staging_.wait();
    std::copy_n(sums, squares.size(), squares.data());
  }
  void step_along(std::span<const double> a, std::span<const double> b, ConstView r, ConstView d,
                  View p, View x) override {
    for_column_values(a, [&](const cuda::ColumnValues& part, int first, int count) {
      cuda::ColumnValues other;
      std::copy_n(b.data() + first, count, other.values);
      cuda::step_along(part, other, r.slice(first, count), d, p.slice(first, count),
                       x.slice(first, count));
    });
  }

  void gram(ConstView x, ConstView y, HostRef c) override {
    double* result = staging_.results(c.size());
    if (y.columns <= widest_own_gram) {
      own_gram(x, {}, y, result, y.columns);
    } else {
      double* device = scratch_.reserve(c.size());
      cublas_gram(x, y, device, y.columns);
      check_cuda(cudaMemcpyAsync(result, device, c.size() * sizeof(double), cudaMemcpyDeviceToHost),
                 "downloading");
    }
    staging_.wait();
    take_rows(result, c);
  }
  void gram(ConstView x, ConstView y, View c) override {
    if (y.columns <= widest_own_gram) {
      own_gram(x, {}, y, c.data, c.stride);
    } else {
      cublas_gram(x, y, c.data, c.stride);
    }
  }
  void grams(ConstView x, ConstView y, HostRef c, HostRef g) override {
    if (y.columns > widest_own_gram) {
      if (x.columns > 0) gram(x, y, c);
      return gram(y, y, g);
    }
    double* result = staging_.results(c.size() + g.size());
    own_gram(x, y, y, result, y.columns);
    staging_.wait();
    take_rows(result, c);
    take_rows(result + c.size(), g);
  }

  void combine(double alpha, ConstView x, const ConstHostRef& c, double beta, View y) override {
    const int k = y.columns;
    if (k > cuda::widest_combination) {
      return cublas_combine(alpha, x, push(c), k, beta, y);
    }
    coefficients_.clear();
    add_coefficients(c, [=](int) { return alpha; });
    cuda::combination(x, {}, coefficients_, device_coefficients(), beta, y, blocks_, nullptr,
                      nullptr);
  }
  void combine(std::span<const VectorSum> sums) override { cuda::combine(sums); }
  void combine(ConstView x, ConstView c, View y) override {
    for (int first = 0; first < y.columns; first += cuda::widest_gram) {
      const int count = std::min(cuda::widest_gram, y.columns - first);
      cuda::wide_combination(x, c.slice(first, count), y.slice(first, count));
    }
  }

  void multiply_blocks(double alpha, ConstView blocks, ConstView x, double beta, View y) override {
    cuda::multiply_blocks(alpha, blocks, x, beta, y);
  }

  void residuals(ConstView w, ConstView v, const ConstHostRef& s, std::span<const double> theta,
                 View r, std::span<double> norms) override {
    const int k = r.columns;
    if (k > cuda::widest_combination) {
      const HostMatrix s_theta = s * Eigen::Map<const HostVector>(theta.data(), k).asDiagonal();
      combine(1.0, w, s, 0.0, r);
      combine(-1.0, v, s_theta, 1.0, r);
      return column_norms(r, norms);
    }
    coefficients_.clear();
    add_coefficients(s, [](int) { return 1.0; });
    add_coefficients(s, [=](int j) { return -theta[j]; });
    double* squares = staging_.results(cuda::combination_width(k));
    cuda::combination(w, v, coefficients_, device_coefficients(), 0.0, r, blocks_,
                      scratch_.reserve(cuda::square_partials(blocks_)), squares);
    staging_.wait();
    for (int j = 0; j < k; ++j) norms[j] = std::sqrt(squares[j]);
  }

  void column_norms(ConstView x, std::span<double> norms) override {
    constexpr int widest = 256;
    double* squares = staging_.results(norms.size());
    double* partial = scratch_.reserve(static_cast<std::size_t>(blocks_) * widest);
    for (int first = 0; first < x.columns; first += widest) {
      cuda::column_squares(x.slice(first, std::min(widest, x.columns - first)), partial, blocks_,
                           squares + first);
    }
    staging_.wait();
    for (int j = 0; j < x.columns; ++j) norms[j] = std::sqrt(squares[j]);
  }

  void gather_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    cuda::gather_rows(rows.data(), x, y);
  }
  void scatter_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    cuda::scatter_rows(rows.data(), x, y);
  }

  void recombine(ConstView x, const ConstHostRef& c, View y, const ConstHostRef& b) override {
    const View to = y.slice(0, static_cast<int>(b.cols()));
    if (to.columns > cuda::widest_combination) return recombine_by_chunks(x, c, y, b);
    coefficients_.clear();
    add_coefficients(c, [](int) { return 1.0; });
    add_coefficients(b, [](int) { return 1.0; });
    cuda::combination(x, y, coefficients_, device_coefficients(), 0.0, to, blocks_, nullptr,
                      nullptr);
  }

  void largest_elements(ConstView x, double equal, std::span<double> elements) override {
    constexpr int widest = 64;
    double* results = staging_.results(elements.size());
    // The partial elements, two numbers each, then the largest of each column.
    const std::size_t partials = 2 * static_cast<std::size_t>(blocks_) * widest;
    double* scratch = scratch_.reserve(partials + widest);
    auto* partial = reinterpret_cast<cuda::LargeElement*>(scratch);
    double* largest = scratch + partials;
    for (int first = 0; first < x.columns; first += widest) {
      const ConstView columns = x.slice(first, std::min(widest, x.columns - first));
      const bool twice = equal > 0.0;
      cuda::largest_elements(columns, nullptr, 0.0, partial, blocks_,
                             twice ? largest : results + first);
      if (!twice) continue;
      cuda::largest_elements(columns, largest, 1.0 - equal, partial, blocks_, results + first);
    }
    staging_.wait();
    std::copy_n(results, elements.size(), elements.data());
  }
  std::pair<double, double> extremes(ConstView x) override {
    double* results = staging_.results(2);
    cuda::extremes(x, scratch_.reserve(2 * static_cast<std::size_t>(blocks_)), blocks_, results);
    staging_.wait();
    return {results[0], results[1]};
  }
  void shifted_power(double alpha, ConstView x, double shift, double least, Power p,
                     View y) override {
    cuda::shifted_power(alpha, x, shift, least, p, y);
  }

  void diagonal_correction(ConstView r, std::span<const double> theta, ConstView d,
                           Denominator kind, double guard, View t) override {
    for_column_values(theta, [&](const cuda::ColumnValues& part, int first, int count) {
      cuda::diagonal_correction(r.slice(first, count), part, d, kind, guard, t.slice(first, count));
    });
  }
  void jacobi_update(double omega, ConstView r, ConstView d, double beta, View x) override {
    cuda::jacobi_update(omega, r, d, beta, x);
  }

 private:
  /// Calls f(values, first column, columns), as many columns at once as a kernel's arguments hold.
  template <class F>
  static void for_column_values(std::span<const double> values, F f) {
    const auto columns = static_cast<int>(values.size());
    for (int first = 0; first < columns; first += cuda::most_column_values) {
      const int count = std::min(cuda::most_column_values, columns - first);
      cuda::ColumnValues part;
      std::copy_n(values.data() + first, count, part.values);
      f(part, first, count);
    }
  }
  /// C := the rows of a packed matrix.
  static void take_rows(const double* from, HostRef c) {
    if (c.size() > 0) c = Eigen::Map<const HostMatrix>(from, c.rows(), c.cols());
  }

  // Beyond, cuBLAS is the faster one: the product is no longer bound by the bytes of X and Y.
  static constexpr int widest_own_gram = 2 * cuda::widest_gram;

  void own_gram(ConstView x1, ConstView x2, ConstView y, double* c, std::int64_t stride) {
    const int m = x1.columns + x2.columns;
    double* partial = scratch_.reserve(cuda::gram_partials(m, blocks_));
    for (int first = 0; first < y.columns; first += cuda::widest_gram) {
      const int count = std::min(cuda::widest_gram, y.columns - first);
      cuda::gram(x1, x2, y.slice(first, count), partial, blocks_, c + first, stride);
    }
  }
  void cublas_gram(ConstView x, ConstView y, double* c, std::int64_t stride) {
    cublas_.gemm(CUBLAS_OP_N, CUBLAS_OP_T, y.columns, x.columns, x.rows, 1.0, y.data, y.stride,
                 x.data, x.stride, 0.0, c, stride, "gram");
  }
  /// Y := αXC + βY, C in device memory, its rows `stride` apart.
  void cublas_combine(double alpha, ConstView x, const double* c, std::int64_t stride, double beta,
                      View y) {
    cublas_.gemm(CUBLAS_OP_N, CUBLAS_OP_N, y.columns, y.rows, x.columns, alpha, c, stride, x.data,
                 x.stride, beta, y.data, y.stride, "combine");
  }

  /// Appends C to the coefficients of a combination, its columns times factor(j) and padded.
  template <class F>
  void add_coefficients(const ConstHostRef& c, F factor) {
    const int k = static_cast<int>(c.cols()), width = cuda::combination_width(k);
    for (Eigen::Index a = 0; a < c.rows(); ++a) {
      for (int j = 0; j < width; ++j) coefficients_.push_back(j < k ? factor(j) * c(a, j) : 0.0);
    }
  }
  /// Coefficients in device memory, if there are too many for a kernel's arguments; null otherwise.
  const double* device_coefficients() {
    if (coefficients_.size() <= cuda::most_parameters) return nullptr;
    return staging_.push(coefficients_.data(), coefficients_.size());
  }
  const double* push(const ConstHostRef& c) {
    const HostMatrix packed = c;
    return staging_.push(packed.data(), packed.size());
  }

  /// Rows in chunks, each by way of a small block: cuBLAS cannot form the product in place.
  void recombine_by_chunks(ConstView x, const ConstHostRef& c, View y, const ConstHostRef& b) {
    constexpr Index chunk = 1 << 16;
    const int l = static_cast<int>(b.cols());
    const Index most = std::min(chunk, y.rows);
    double* memory = scratch_.reserve(static_cast<std::size_t>(most) * l);
    HostMatrix both(c.rows() + b.rows(), l);
    both << c, b;
    const double* factors = push(both);
    for (Index first = 0; first < y.rows; first += chunk) {
      const Index rows = std::min(chunk, y.rows - first);
      const View product{memory, rows, l, l}, part = y.row_range(first, rows);
      cublas_combine(1.0, part, factors + c.size(), l, 0.0, product);
      if (x.columns > 0) cublas_combine(1.0, x.row_range(first, rows), factors, l, 1.0, product);
      cuda::copy(product, part.slice(0, l));
    }
  }

  /// Thread blocks of a kernel whose blocks leave partial sums.
  const int blocks_ = 4 * multiprocessors();
  Cublas cublas_;
  cuda::Staging staging_;
  std::vector<double> coefficients_;
};

}  // namespace

std::unique_ptr<Backend> CISOLVE_IN_MODULE(make_device_backend)(int device) {
  return std::make_unique<CudaBackend>(device);
}

}  // namespace cisolve
