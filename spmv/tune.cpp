#include "spmv/tune.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "backends/stopwatch.hpp"

namespace cisolve {
namespace {

double median_seconds(const LinearOperator& a, Backend& backend, ConstView x, View y) {
  const auto seconds = [&] {
    return timed_milliseconds(backend, [&] { a.apply(1.0, x, 0.0, y); }) * 1e-3;
  };
  const double first = seconds();
  if (first > 1.0) return first;  // its warm-up costs nothing beside it
  std::vector<double> times(5);
  std::ranges::generate(times, seconds);
  std::ranges::nth_element(times, times.begin() + 2);
  return times[2];
}

}  // namespace

Tuning tune(LinearOperator& a, Backend& backend, int columns, const Kernel& in_use) {
  Tuning result{in_use, 0.0, 0.0, 0};
  const auto kernels = a.kernels();
  if (kernels.empty() || a.rows() == 0) return result;
  MultiVector x(backend, a.columns(), columns), y(backend, a.rows(), columns);
  backend.fill(1.0, x.view());
  const auto measure = [&](const Kernel& kernel) {
    a.use(kernel);
    ++result.tried;
    return median_seconds(a, backend, x.view(), y.view());
  };
  result.seconds = result.default_seconds = measure(in_use);
  for (const Kernel& kernel : kernels) {
    if (kernel == in_use) continue;
    const double seconds = measure(kernel);
    if (seconds >= result.seconds) continue;
    result.seconds = seconds;
    result.kernel = kernel;
  }
  a.use(result.kernel);
  return result;
}

std::string describe(const Kernel& kernel, BackendKind backend) {
  if (backend == BackendKind::cuda) {
    const auto number = [](int n) { return n > 0 ? std::to_string(n) : std::string("default"); };
    return number(kernel.threads_per_row) + " threads a row, blocks of " +
           number(kernel.block_threads);
  }
  const char* names[] = {"static", "dynamic", "guided"};
  return std::string(names[static_cast<int>(kernel.schedule)]) + " chunks of " +
         std::to_string(kernel.chunk) + " rows";
}

std::string describe(const Tuning& tuning, const std::string& format, BackendKind backend) {
  if (tuning.tried == 0) return "tuning " + format + ": its kernel has no choices here";
  char gain[64];
  std::snprintf(gain, sizeof gain, ", %.2f x as fast as before (%d tried)",
                tuning.default_seconds / tuning.seconds, tuning.tried);
  return "tuned " + format + ": " + describe(tuning.kernel, backend) + gain;
}

}  // namespace cisolve
