#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cpu/chunk_sums.hpp"
#include "backends/cpu/dense_kernels.hpp"
#include "backends/cpu/largest.hpp"
#include "backends/cpu/loops.hpp"
#include "backends/cpu/vector_sums.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/mixed.hpp"
#include "core/random.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

using cpu::chunk_rows, cpu::chunks, cpu::for_each_flat, cpu::for_each_row, cpu::numbers;

using Stride = Eigen::OuterStride<>;
using ConstMap = Eigen::Map<const HostMatrix, 0, Stride>;
using Map = Eigen::Map<HostMatrix, 0, Stride>;

ConstMap map(ConstView v, Index first, Index count) {
  return {v.data + first * v.stride, count, v.columns, Stride(v.stride)};
}
Map map(View v, Index first, Index count) {
  return {v.data + first * v.stride, count, v.columns, Stride(v.stride)};
}

ConstView view_of(const ConstHostRef& c) {
  return {c.data(), static_cast<Index>(c.rows()), static_cast<int>(c.cols()), c.outerStride()};
}
View view_of(HostRef& c) {
  return {c.data(), static_cast<Index>(c.rows()), static_cast<int>(c.cols()), c.outerStride()};
}

class CpuBackend final : public Backend {
 public:
  using Backend::gram;
  using Backend::recombine;
  BackendKind kind() const override { return BackendKind::cpu; }
  std::string description() const override {
    const int threads = omp_get_max_threads();
    return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  }
  std::size_t free_memory() const override { return available_host_memory(); }
  bool in_host_memory() const override { return true; }

  /// Long vectors lie in the system's large pages, where it has such: products read them at
  /// scattered places, and a processor has the addresses of few pages at hand.
  void* allocate(std::size_t bytes, Residence) override {
    constexpr std::size_t line = 64, large_page = std::size_t{1} << 21;
    const std::size_t whole = (std::max<std::size_t>(bytes, 1) + line - 1) / line * line;
    const std::size_t in_large_pages = whole / large_page * large_page;
    void* const memory = std::aligned_alloc(in_large_pages > 0 ? large_page : line, whole);
    if (memory == nullptr) {
      throw ResourceError("out of memory: " + std::to_string(bytes) + " bytes needed, " +
                          std::to_string(free_memory()) + " available");
    }
    if (in_large_pages > 0) ::madvise(memory, in_large_pages, MADV_HUGEPAGE);  // a hint
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
    if (for_each_flat(
            y, [](double& to, double from) { to = from; }, x))
      return;
    cpu::with_columns(y.columns, [&](auto k) {
      for_each_row(x, y,
                   [=](Index, const double* from, double* to) { cpu::copy_row(from, k, to); });
    });
  }
  void fill_random(std::uint64_t seed, std::int64_t row, View y) override {
    const std::uint64_t stream = mixed(seed) + static_cast<std::uint64_t>(row) * y.columns;
    for_each_row(y, y, [stream, k = y.columns](Index i, double*, double* to) {
      const std::uint64_t first = stream + static_cast<std::uint64_t>(i) * k;
      for (int j = 0; j < k; ++j) to[j] = mixed_uniform(first + j);
    });
  }
  void fill_normal(std::uint64_t seed, std::int64_t row, View y) override {
    for_each_row(y, y, [seed, row, k = y.columns](Index i, double*, double* to) {
      const std::uint64_t first = static_cast<std::uint64_t>(row + i) * k;
      for (int j = 0; j < k; ++j) to[j] = Random(seed, first + j).normal();
    });
  }
  void fill(double value, View y) override {
    for_each_row(y, y,
                 [k = y.columns, value](Index, double*, double* to) { std::fill_n(to, k, value); });
  }
  void axpby(double alpha, ConstView x, double beta, View y) override {
    const auto first = [=](double& to, double from) { to = alpha * from + 0.0; };  // no −0
    const auto sum = [=](double& to, double from) { to = alpha * from + beta * to; };
    if (beta == 0.0 ? for_each_flat(y, first, x) : for_each_flat(y, sum, x)) return;
    for_each_row(x, y, [=, k = y.columns](Index, const double* from, double* to) {
      for (int j = 0; j < k; ++j) to[j] = alpha * from[j] + (beta == 0.0 ? 0.0 : beta * to[j]);
    });
  }
  void waxpby(double alpha, ConstView x, double beta, ConstView y, View w) override {
    const auto sum = [=](double& to, double from, double other) {
      to = alpha * from + beta * other;
    };
    if (for_each_flat(w, sum, x, y)) return;
    for_each_row(x, w, [=, k = w.columns](Index i, const double* from, double* to) {
      const double* other = y.data + i * y.stride;
      for (int j = 0; j < k; ++j) to[j] = alpha * from[j] + beta * other[j];
    });
  }
  void add_columns(std::span<const double> a, ConstView v, std::span<const double> b, ConstView w,
                   View y) override {
    for_each_index(chunks(y.rows), worth_threads(3 * numbers(y)), [=](Index chunk) {
      const Index first = chunk * chunk_rows;
      const Index rows = std::min(chunk_rows, y.rows - first);
      cpu::add_columns(a.data(), v.row_range(first, rows), b.data(), w.row_range(first, rows),
                       y.row_range(first, rows));
    });
  }
  void add_columns(std::span<const double> a, ConstView v, std::span<const double> b, ConstView w,
                   View y, std::span<double> dots) override {
    const double* sums =
        sums_.reduce(y.rows, 3 * numbers(y), y.columns, [=](Index first, Index rows, double* to) {
          cpu::add_columns(a.data(), v.row_range(first, rows), b.data(), w.row_range(first, rows),
                           y.row_range(first, rows));
          cpu::add_dots(v, y, first, rows, to);
        });
    std::copy_n(sums, y.columns, dots.data());
  }
  void step_residual(std::span<const double> a, ConstView v, ConstView d, View r,
                     std::span<double> squares) override {
    const double* sums = sums_.reduce(
        r.rows, 4 * numbers(r), r.columns, [=, a = a.data()](Index first, Index rows, double* to) {
          cpu::step_residual(a, v.row_range(first, rows), d.row_range(first, rows),
                             r.row_range(first, rows), to);
        });
    std::copy_n(sums, r.columns, squares.data());
  }
  void step_along(std::span<const double> a, std::span<const double> b, ConstView r, ConstView d,
                  View p, View x) override {
    for_each_index(chunks(x.rows), worth_threads(6 * numbers(x)), [=](Index chunk) {
      const Index first = chunk * chunk_rows, rows = std::min(chunk_rows, x.rows - first);
      cpu::step_along(a.data(), b.data(), r.row_range(first, rows), d.row_range(first, rows),
                      p.row_range(first, rows), x.row_range(first, rows));
    });
  }
  void scale_columns(std::span<const double> s, View y) override {
    if (y.columns == 1 && for_each_flat(y, [factor = s[0]](double& to) { to *= factor; })) return;
    cpu::with_columns(y.columns, [&](auto k) {
      for_each_row(y, y, [=, factor = s.data()](Index, double*, double* to) {
#pragma omp simd
        for (int j = 0; j < k; ++j) to[j] *= factor[j];
      });
    });
  }

  void gram(ConstView x, ConstView y, HostRef c) override {
    gram(x, y, view_of(c));
  }
  void gram(ConstView x, ConstView y, View c) override {
    const double* sums = sums_.reduce(
        y.rows, numbers(x) + numbers(y), cpu::product_size(x, y),
        [=](Index first, Index rows, double* to) { cpu::add_gram(x, y, first, rows, to); });
    cpu::unpad(sums, c);
  }
  void grams(ConstView x, ConstView y, HostRef c, HostRef g) override {
    const std::size_t first_of_g = cpu::product_size(x, y);
    const double* sums =
        sums_.reduce(y.rows, numbers(x) + 2 * numbers(y), first_of_g + cpu::product_size(y, y),
                     [=](Index first, Index rows, double* to) {
                       cpu::add_gram(x, y, first, rows, to);
                       cpu::add_gram(y, y, first, rows, to + first_of_g);
                     });
    cpu::unpad(sums, view_of(c));
    cpu::unpad(sums + first_of_g, view_of(g));
  }

  void combine(double alpha, ConstView x, const ConstHostRef& c, double beta, View y) override {
    combine_views(alpha, x, view_of(c), beta, y);
  }
  void combine(std::span<const VectorSum> sums) override {
    cpu::combine(sums);
  }
  void combine(ConstView x, ConstView c, View y) override {
    combine_views(1.0, x, c, 0.0, y);
  }

  void multiply_blocks(double alpha, ConstView blocks, ConstView x, double beta, View y) override {
    const int k = y.columns, p = cpu::padded(k);
    double* factors = factors_.reserve(static_cast<std::size_t>(x.rows) * p);
    for_each_row(x, View{factors, x.rows, p, p}, [=](Index, const double* from, double* to) {
      for (int j = 0; j < p; ++j) to[j] = j < k ? alpha * from[j] : 0.0;
    });
    const std::size_t chunk = cpu::ChunkSums::product_numbers(k);
    double* products = sums_.products(k);
    // Chunks of rows that lie in one block each.
    const Index size = blocks.columns, parts = (size + chunk_rows - 1) / chunk_rows;
    const Index count = (y.rows + size - 1) / size * parts;
#pragma omp parallel for if (worth_threads(numbers(x) * size)) schedule(static)
    for (Index c = 0; c < count; ++c) {
      const Index block = c / parts * size, end = std::min(block + size, y.rows);
      const Index first = block + c % parts * chunk_rows;
      if (first >= end) continue;
      const Index rows = std::min(chunk_rows, end - first);
      double* product = products + chunk * omp_get_thread_num();
      const cpu::Term term{blocks.slice(0, static_cast<int>(end - block)),
                           factors + static_cast<std::size_t>(block) * p};
      cpu::sum_of_products(&term, 1, first, rows, k, product);
      cpu::add_rows(product, beta, first, rows, y);
    }
  }

  void residuals(ConstView w, ConstView v, const ConstHostRef& s, std::span<const double> theta,
                 View r, std::span<double> norms) override {
    const int k = r.columns;
    const std::size_t size = cpu::product_size(w, r);
    double* c = factors_.reserve(2 * size);
    cpu::pad(view_of(s), c, [](int) { return 1.0; });
    cpu::pad(view_of(s), c + size, [&](int j) { return -theta[j]; });
    const cpu::Term terms[] = {{w, c}, {v, c + size}};
    const double* squares = sums_.sum_terms(
        terms, r, [=](Index first, Index rows, const double* product, double* sums) {
          for (Index i = 0; i < rows; ++i) {
            for (int j = 0; j < k; ++j) {
              const double value = product[i * cpu::padded(k) + j];
              r.data[(first + i) * r.stride + j] = value;
              sums[j] += value * value;
            }
          }
        });
    for (int j = 0; j < k; ++j) norms[j] = std::sqrt(squares[j]);
  }

  void column_dots(ConstView x, ConstView y, std::span<double> dots) override {
    const double* sums = sums_.reduce(
        x.rows, numbers(x) + numbers(y), x.columns,
        [=](Index first, Index rows, double* to) { cpu::add_dots(x, y, first, rows, to); });
    std::copy_n(sums, x.columns, dots.data());
  }

  void gather_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    const Index* row = rows.data();
    for_each_row(y, y, [=, k = y.columns](Index r, double*, double* to) {
      cpu::copy_row(x.data + row[r] * x.stride, k, to);
    });
  }
  void scatter_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    const Index* row = rows.data();
    for_each_row(x, x, [=, k = x.columns](Index r, const double* from, const double*) {
      cpu::copy_row(from, k, y.data + row[r] * y.stride);
    });
  }

  void recombine(ConstView x, const ConstHostRef& c, View y, const ConstHostRef& b) override {
    const View to = y.slice(0, static_cast<int>(b.cols()));
    const std::size_t size = cpu::product_size(x, to);
    double* factors = factors_.reserve(size + cpu::product_size(y, to));
    cpu::pad(view_of(c), factors, [](int) { return 1.0; });
    cpu::pad(view_of(b), factors + size, [](int) { return 1.0; });
    const cpu::Term terms[] = {{x, factors}, {y, factors + size}};
    sums_.sum_terms(terms, to, [=](Index first, Index rows, const double* product, double*) {
      for (Index i = 0; i < rows; ++i) {
        cpu::copy_row(product + i * cpu::padded(to.columns), to.columns,
                      to.data + (first + i) * to.stride);
      }
    });
  }

  void largest_elements(ConstView x, double equal, std::span<double> elements) override {
    std::ranges::fill(elements, std::numeric_limits<double>::infinity());
    cpu::first_of_largest(x, elements);
    if (equal <= 0.0) return;
    for (double& element : elements) element = (1.0 - equal) * std::abs(element);
    cpu::first_of_largest(x, elements);
  }
  std::pair<double, double> extremes(ConstView x) override {
    return cpu::extremes(x);
  }

  void shifted_power(double alpha, ConstView x, double shift, double least, Power p,
                     View y) override {
    for_each_row(x, y, [=, k = y.columns](Index, const double* from, double* to) {
      for (int j = 0; j < k; ++j) {
        to[j] = alpha * cisolve::shifted_power(from[j], shift, least, p);
      }
    });
  }
  void diagonal_correction(ConstView r, std::span<const double> theta, ConstView d,
                           Denominator kind, double guard, View t) override {
    cpu::with_columns(t.columns, [&](auto k) {
      for_each_row(r, t, [=](Index i, const double* from, double* to) {
        for (int j = 0; j < k; ++j) {
          to[j] = from[j] / guarded(kind, theta[j], d.data[i * d.stride], guard);
        }
      });
    });
  }
  void jacobi_update(double omega, ConstView r, ConstView d, double beta, View x) override {
    const auto first = [=](double& to, double from, double by) { to = omega * from / by; };
    const auto sum = [=](double& to, double from, double by) {
      to = omega * from / by + beta * to;
    };
    if (beta == 0.0 ? for_each_flat(x, first, r, d) : for_each_flat(x, sum, r, d)) return;
    for_each_row(r, x, [=, k = x.columns](Index i, const double* from, double* to) {
      for (int j = 0; j < k; ++j) {
        to[j] = omega * from[j] / d.data[i * d.stride] + (beta == 0.0 ? 0.0 : beta * to[j]);
      }
    });
  }

 private:
  void combine_views(double alpha, ConstView x, ConstView c, double beta, View y) {
    if (x.columns == 1 && y.columns == 1) return axpby(alpha * c.data[0], x, beta, y);
    double* factors = factors_.reserve(cpu::product_size(x, y));
    cpu::pad(c, factors, [=](int) { return alpha; });
    const cpu::Term terms[] = {{x, factors}};
    sums_.sum_terms(terms, y, [=](Index first, Index rows, const double* product, double*) {
      cpu::add_rows(product, beta, first, rows, y);
    });
  }

  cpu::Scratch factors_;
  cpu::ChunkSums sums_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() {
  return std::make_unique<CpuBackend>();
}

}  // namespace cisolve
