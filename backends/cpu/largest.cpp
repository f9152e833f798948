#include "backends/cpu/largest.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/cpu/loops.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve::cpu {

namespace {

constexpr Index rows_at_once = 512;

double magnitude(double value, double limit) {
  const double size = std::abs(value);
  return limit < size ? limit : size;
}

/// True if a column, in neighbouring places, has elements of a larger magnitude than `least`.
bool has_larger(const double* x, Index rows, double limit, double least) {
  int larger = 0;
#pragma omp simd reduction(+ : larger)
  for (Index i = 0; i < rows; ++i) larger += magnitude(x[i], limit) > least ? 1 : 0;
  return larger > 0;
}

}  // namespace

void first_of_largest(ConstView x, std::span<double> elements) {
  const double* const limits = elements.data();
  const bool is_column = x.columns == 1 && x.stride == 1;
  // Every thread has a contiguous range of rows, and the ranges ascend: the first stays first.
  HostMatrix largest = HostMatrix::Zero(omp_get_max_threads(), x.columns);
#pragma omp parallel if (worth_threads(numbers(x)))
  {
    double* const found = largest.data() + omp_get_thread_num() * largest.cols();
#pragma omp for schedule(static)
    for (Index piece = 0; piece < (x.rows + rows_at_once - 1) / rows_at_once; ++piece) {
      const Index begin = piece * rows_at_once, end = std::min(x.rows, begin + rows_at_once);
      if (is_column &&
          !has_larger(x.data + begin, end - begin, limits[0], magnitude(found[0], limits[0]))) {
        continue;
      }
      for (Index i = begin; i < end; ++i) {
        const double* row = x.data + i * x.stride;
        for (int j = 0; j < x.columns; ++j) {
          if (magnitude(row[j], limits[j]) > magnitude(found[j], limits[j])) found[j] = row[j];
        }
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

std::pair<double, double> extremes(ConstView x) {
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

}  // namespace cisolve::cpu
