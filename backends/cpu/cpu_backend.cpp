#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cpu/dense_kernels.hpp"
#include "core/error.hpp"
#include "core/host_matrix.hpp"
#include "core/memory.hpp"
#include "core/mixed.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"

namespace cisolve {
namespace {

// Rows handled at once by the dense kernels: a block of them stays in the first-level cache.
constexpr Index chunk_rows = 64;

using Stride = Eigen::OuterStride<>;
using ConstMap = Eigen::Map<const HostMatrix, 0, Stride>;
using Map = Eigen::Map<HostMatrix, 0, Stride>;

ConstMap map(ConstView v, Index first, Index count) {
  return {v.data + first * v.stride, count, v.columns, Stride(v.stride)};
}
Map map(View v, Index first, Index count) {
  return {v.data + first * v.stride, count, v.columns, Stride(v.stride)};
}

/// Elements of a block: what it takes to read or write it.
Offset numbers(ConstView x) {
  return Offset{x.rows} * x.columns;
}

/// Calls f(i, row of x, row of y) for every row, in parallel.
template <class X, class Y, class F>
void for_each_row(X x, Y y, F f) {
  for_each_index(y.rows, worth_threads(numbers(x) + numbers(y)),
                 [=](Index i) { f(i, x.data + i * x.stride, y.data + i * y.stride); });
}

/// Chunks that so many rows are.
Index chunks(Index rows) {
  return rows / chunk_rows + (rows % chunk_rows != 0 ? 1 : 0);
}

/// Threads that share a loop in which so many numbers are moved.
int threads_for(Offset moved) {
  return worth_threads(moved) ? omp_get_max_threads() : 1;
}

/// This thread's number among so many that share a loop. One has no team, but perhaps one of the
/// caller's, whose numbers are not meant.
int own_number(int threads) {
  return threads > 1 ? omp_get_thread_num() : 0;
}

/// Whether a block is one array of numbers, without gaps between its rows.
bool is_flat(ConstView x) {
  return x.stride == x.columns;
}

/// Calls f(i) for the n numbers of flat blocks, of which so many are moved, in parallel.
template <class F>
void for_each_number(Offset n, Offset moved, F f) {
  if (!worth_threads(moved)) {
#pragma omp simd
    for (Offset i = 0; i < n; ++i) f(i);
    return;
  }
#pragma omp parallel for simd schedule(static)
  for (Offset i = 0; i < n; ++i) f(i);
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
    if (is_flat(x) && is_flat(y)) {
      const double* const from = x.data;
      double* const to = y.data;
      return for_each_number(numbers(y), 2 * numbers(y), [=](Offset i) { to[i] = from[i]; });
    }
    for_each_row(x, y, [k = y.columns](Index, const double* from, double* to) {
      cpu::copy_row(from, k, to);
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
    if (is_flat(x) && is_flat(y) && beta != 0.0) {
      const double* const from = x.data;
      double* const to = y.data;
      return for_each_number(numbers(y), 2 * numbers(y),
                             [=](Offset i) { to[i] = alpha * from[i] + beta * to[i]; });
    }
    for_each_row(x, y, [=, k = y.columns](Index, const double* from, double* to) {
      for (int j = 0; j < k; ++j) to[j] = alpha * from[j] + (beta == 0.0 ? 0.0 : beta * to[j]);
    });
  }
  void waxpby(double alpha, ConstView x, double beta, ConstView y, View w) override {
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
        reduce(y.rows, 3 * numbers(y), y.columns, [=](Index first, Index rows, double* to) {
          cpu::add_columns(a.data(), v.row_range(first, rows), b.data(), w.row_range(first, rows),
                           y.row_range(first, rows));
          cpu::add_dots(v, y, first, rows, to);
        });
    std::copy_n(sums, y.columns, dots.data());
  }
  void scale_columns(std::span<const double> s, View y) override {
    if (y.columns == 1 && is_flat(y)) {
      const double factor = s[0];
      double* const to = y.data;
      return for_each_number(numbers(y), numbers(y), [=](Offset i) { to[i] *= factor; });
    }
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
    const double* sums =
        reduce(y.rows, numbers(x) + numbers(y), product_size(x, y),
               [=](Index first, Index rows, double* to) { cpu::add_gram(x, y, first, rows, to); });
    unpad(sums, c);
  }
  void grams(ConstView x, ConstView y, HostRef c, HostRef g) override {
    const std::size_t first_of_g = product_size(x, y);
    const double* sums =
        reduce(y.rows, numbers(x) + 2 * numbers(y), first_of_g + product_size(y, y),
               [=](Index first, Index rows, double* to) {
                 cpu::add_gram(x, y, first, rows, to);
                 cpu::add_gram(y, y, first, rows, to + first_of_g);
               });
    unpad(sums, view_of(c));
    unpad(sums + first_of_g, view_of(g));
  }

  void combine(double alpha, ConstView x, const ConstHostRef& c, double beta, View y) override {
    combine_views(alpha, x, view_of(c), beta, y);
  }
  void combine(ConstView x, ConstView c, View y) override {
    combine_views(1.0, x, c, 0.0, y);
  }

  void multiply_blocks(double alpha, ConstView blocks, ConstView x, double beta, View y) override {
    const int k = y.columns, p = cpu::padded(k);
    double* factors = reserve(factors_, static_cast<std::size_t>(x.rows) * p);
    for_each_row(x, View{factors, x.rows, p, p}, [=](Index, const double* from, double* to) {
      for (int j = 0; j < p; ++j) to[j] = j < k ? alpha * from[j] : 0.0;
    });
    const std::size_t chunk = static_cast<std::size_t>(chunk_rows) * p;
    double* products = reserve(products_, chunk * omp_get_max_threads());
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
      add_rows(product, beta, first, rows, y);
    }
  }

  void residuals(ConstView w, ConstView v, const ConstHostRef& s, std::span<const double> theta,
                 View r, std::span<double> norms) override {
    const int k = r.columns;
    const std::size_t size = product_size(w, r);
    double* c = reserve(factors_, 2 * size);
    pad(view_of(s), c, [](int) { return 1.0; });
    pad(view_of(s), c + size, [&](int j) { return -theta[j]; });
    const cpu::Term terms[] = {{w, c}, {v, c + size}};
    const double* squares =
        sum_terms(terms, r, [=](Index first, Index rows, const double* product, double* sums) {
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
    const double* sums =
        reduce(x.rows, numbers(x) + numbers(y), x.columns,
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
    const std::size_t size = product_size(x, to);
    double* factors = reserve(factors_, size + product_size(y, to));
    pad(view_of(c), factors, [](int) { return 1.0; });
    pad(view_of(b), factors + size, [](int) { return 1.0; });
    const cpu::Term terms[] = {{x, factors}, {y, factors + size}};
    sum_terms(terms, to, [=](Index first, Index rows, const double* product, double*) {
      for (Index i = 0; i < rows; ++i) {
        cpu::copy_row(product + i * cpu::padded(to.columns), to.columns,
                      to.data + (first + i) * to.stride);
      }
    });
  }

  void largest_elements(ConstView x, double equal, std::span<double> elements) override {
    std::ranges::fill(elements, std::numeric_limits<double>::infinity());
    first_of_largest(x, elements);
    if (equal <= 0.0) return;
    for (double& element : elements) element = (1.0 - equal) * std::abs(element);
    first_of_largest(x, elements);
  }
  std::pair<double, double> extremes(ConstView x) override {
    double lowest = x.data[0], highest = x.data[0];
#pragma omp parallel for if (worth_threads(numbers(x))) schedule(static) reduction(min       \
                                                                                   : lowest) \
    reduction(max                                                                            \
              : highest)
    for (Index i = 0; i < x.rows; ++i) {
      const double* row = x.data + i * x.stride;
      for (int j = 0; j < x.columns; ++j) {
        lowest = std::min(lowest, row[j]);
        highest = std::max(highest, row[j]);
      }
    }
    return {lowest, highest};
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
    if (x.columns == 1 && is_flat(x) && is_flat(r) && is_flat(d)) {
      const double *const from = r.data, *const by = d.data;
      double* const to = x.data;
      const Offset n = x.rows;
      if (beta == 0.0) {
        return for_each_number(n, 3 * n, [=](Offset i) { to[i] = omega * from[i] / by[i]; });
      }
      return for_each_number(n, 4 * n,
                             [=](Offset i) { to[i] = omega * from[i] / by[i] + beta * to[i]; });
    }
    for_each_row(r, x, [=, k = x.columns](Index i, const double* from, double* to) {
      for (int j = 0; j < k; ++j) {
        to[j] = omega * from[j] / d.data[i * d.stride] + (beta == 0.0 ? 0.0 : beta * to[j]);
      }
    });
  }

 private:
  /// elements_j := the first element of column j of largest magnitude, where all beyond elements_j
  /// count as equal.
  static void first_of_largest(ConstView x, std::span<double> elements) {
    const auto magnitude = [](double value, double limit) {
      const double size = std::abs(value);
      return limit < size ? limit : size;
    };
    // Every thread has a contiguous range of rows, and the ranges ascend: the first stays first.
    HostMatrix largest = HostMatrix::Zero(omp_get_max_threads(), x.columns);
#pragma omp parallel if (worth_threads(numbers(x)))
    {
      auto found = largest.row(omp_get_thread_num());
#pragma omp for schedule(static)
      for (Index i = 0; i < x.rows; ++i) {
        const double* row = x.data + i * x.stride;
        for (int j = 0; j < x.columns; ++j) {
          if (magnitude(row[j], elements[j]) > magnitude(found[j], elements[j])) found[j] = row[j];
        }
      }
    }
    for (int j = 0; j < x.columns; ++j) {
      const double limit = std::exchange(elements[j], 0.0);
      for (Eigen::Index t = 0; t < largest.rows(); ++t) {
        if (magnitude(largest(t, j), limit) > magnitude(elements[j], limit)) {
          elements[j] = largest(t, j);
        }
      }
    }
  }

  /// Memory kept between calls.
  using Scratch = std::vector<double>;
  static double* reserve(Scratch& scratch, std::size_t count) {
    if (scratch.size() < count) scratch.resize(count);
    return scratch.data();
  }
  static ConstView view_of(const ConstHostRef& c) {
    return {c.data(), static_cast<Index>(c.rows()), static_cast<int>(c.cols()), c.outerStride()};
  }
  static View view_of(HostRef& c) {
    return {c.data(), static_cast<Index>(c.rows()), static_cast<int>(c.cols()), c.outerStride()};
  }
  /// Numbers that XᵀY takes, its rows padded.
  static std::size_t product_size(ConstView x, ConstView y) {
    return static_cast<std::size_t>(x.columns) * cpu::padded(y.columns);
  }
  /// to := C, its columns times factor(j) and padded with zeros.
  template <class F>
  static void pad(ConstView c, double* to, F factor) {
    const int p = cpu::padded(c.columns);
    for (Index a = 0; a < c.rows; ++a) {
      for (int j = 0; j < p; ++j) {
        to[a * p + j] = j < c.columns ? factor(j) * c.data[a * c.stride + j] : 0.0;
      }
    }
  }
  static void unpad(const double* from, View c) {
    for (Index a = 0; a < c.rows; ++a) {
      std::copy_n(from + a * cpu::padded(c.columns), c.columns, c.data + a * c.stride);
    }
  }

  /// The `count` sums that add(first, rows, sums) adds up over all chunks of the rows, in which it
  /// moves so many numbers: one partial sum per thread, added in the threads' order, so that every
  /// run has the same bits.
  template <class F>
  const double* reduce(Index rows, Offset moved, std::size_t count, F add) {
    const int threads = threads_for(moved);
    const std::size_t stride = (count + 7) / 8 * 8;  // a cache line belongs to one thread
    double* totals = reserve(sums_, 2 * stride * threads);
    std::fill_n(totals, stride * threads, 0.0);
    for_each_index(chunks(rows), threads > 1, [=](Index c) {
      // A chunk's sum for itself, then to the thread's: fewer roundings one upon another.
      double* total = totals + stride * own_number(threads);
      double* chunk = total + stride * threads;
      std::fill_n(chunk, count, 0.0);
      add(c * chunk_rows, std::min(chunk_rows, rows - c * chunk_rows), chunk);
      for (std::size_t i = 0; i < count; ++i) total[i] += chunk[i];
    });
    for (int t = 1; t < threads; ++t) {
      for (std::size_t i = 0; i < count; ++i) totals[i] += totals[t * stride + i];
    }
    return totals;
  }

  /// Calls take(first, rows, product, sums) with the rows of X₁C₁ + X₂C₂ + …, chunk by chunk;
  /// returns the sums, one a column of Y, added up as `reduce` does.
  template <std::size_t count, class F>
  const double* sum_terms(const cpu::Term (&terms)[count], View y, F take) {
    const std::size_t chunk = static_cast<std::size_t>(chunk_rows) * cpu::padded(y.columns);
    double* products = reserve(products_, chunk * omp_get_max_threads());
    Offset moved = numbers(y);
    for (const cpu::Term& term : terms) moved += numbers(term.x);
    const int threads = threads_for(moved);
    return reduce(y.rows, moved, y.columns, [=, &terms](Index first, Index rows, double* sums) {
      double* product = products + chunk * own_number(threads);
      cpu::sum_of_products(terms, count, first, rows, y.columns, product);
      take(first, rows, product, sums);
    });
  }

  void combine_views(double alpha, ConstView x, ConstView c, double beta, View y) {
    if (x.columns == 1 && y.columns == 1) return axpby(alpha * c.data[0], x, beta, y);
    double* factors = reserve(factors_, product_size(x, y));
    pad(c, factors, [=](int) { return alpha; });
    const cpu::Term terms[] = {{x, factors}};
    sum_terms(terms, y, [=](Index first, Index rows, const double* product, double*) {
      add_rows(product, beta, first, rows, y);
    });
  }

  /// Rows first … of Y := padded rows of a product + β times what they were.
  static void add_rows(const double* product, double beta, Index first, Index rows, View y) {
    const int p = cpu::padded(y.columns);
    const auto add = [beta](const double* from, Index count, double* to) {
      if (beta == 0.0) return cpu::copy_row(from, count, to);
      for (Index j = 0; j < count; ++j) to[j] = from[j] + beta * to[j];
    };
    double* const to = y.data + first * y.stride;
    if (y.stride == p && y.columns == p) return add(product, rows * p, to);
    for (Index i = 0; i < rows; ++i) add(product + i * p, y.columns, to + i * y.stride);
  }

  Scratch factors_, products_, sums_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() {
  return std::make_unique<CpuBackend>();
}

}  // namespace cisolve
