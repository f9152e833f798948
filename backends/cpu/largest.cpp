#include "backends/cpu/largest.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "backends/cpu/loops.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve::cpu {

void first_of_largest(ConstView x, std::span<double> elements) {
  const auto magnitude = [](double value, double limit) {
    const double size = std::abs(value);
    return limit < size ? limit : size;
  };
  const double* const limits = elements.data();
  // Every thread has a contiguous range of rows, and the ranges ascend: the first stays first.
  HostMatrix largest = HostMatrix::Zero(omp_get_max_threads(), x.columns);
#pragma omp parallel if (worth_threads(numbers(x)))
  {
    double* const found = largest.data() + omp_get_thread_num() * largest.cols();
#pragma omp for schedule(static)
    for (Index i = 0; i < x.rows; ++i) {
      const double* row = x.data + i * x.stride;
      for (int j = 0; j < x.columns; ++j) {
        if (magnitude(row[j], limits[j]) > magnitude(found[j], limits[j])) found[j] = row[j];
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
